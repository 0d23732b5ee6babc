/**
 * An MCP server over HTTP, on the first SDK with its own authorization server, which lets in who has signed in. Prints its
 * address. A token is good for `--lives N` calls, then it has to be renewed.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import type { OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js';
import { getOAuthProtectedResourceMetadataUrl, mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';

const at = process.argv.indexOf('--lives');
const lives = at === -1 ? Number.POSITIVE_INFINITY : Number(process.argv[at + 1]);
const clients = new Map<string, OAuthClientInformationFull>();
const codes = new Map<string, string>();
const tokens = new Map<string, number>();
const renewals = new Set<string>();
let signedIn = 0;
let renewed = 0;

function fresh(): OAuthTokens {
  const [access, refresh] = [randomUUID(), randomUUID()];
  tokens.set(access, lives);
  renewals.add(refresh);
  return { access_token: access, token_type: 'Bearer', expires_in: 3600, refresh_token: refresh };
}

const provider: OAuthServerProvider = {
  clientsStore: {
    getClient: (id) => clients.get(id),
    registerClient: (client) => {
      const registered = { ...client, client_id: randomUUID() } as OAuthClientInformationFull;
      clients.set(registered.client_id, registered);
      return registered;
    },
  },
  authorize: (_, { codeChallenge, redirectUri, state }, response) => {
    const code = randomUUID();
    codes.set(code, codeChallenge);
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    if (state !== undefined) back.searchParams.set('state', state);
    (response as unknown as ServerResponse).writeHead(302, { location: back.href }).end();
    return Promise.resolve();
  },
  challengeForAuthorizationCode: (_, code) => Promise.resolve(codes.get(code) ?? ''),
  exchangeAuthorizationCode: (_, code) => {
    signedIn += codes.delete(code) ? 1 : 0;
    return Promise.resolve(fresh());
  },
  exchangeRefreshToken: (_, token) => {
    if (!renewals.delete(token)) throw new InvalidTokenError('no such token');
    renewed += 1;
    return Promise.resolve(fresh());
  },
  verifyAccessToken: (token) => {
    const left = tokens.get(token) ?? 0;
    if (left <= 0) throw new InvalidTokenError('expired');
    tokens.set(token, left - 1);
    return Promise.resolve({ token, clientId: 'any', scopes: [], expiresAt: Date.now() / 1000 + 3600 });
  },
};

function serve(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
  const server = new McpServer({ name: 'protected', version: '1' });
  server.registerTool('counts', {}, () => ({ content: [{ type: 'text', text: `${signedIn} ${renewed}` }] }));
  const transport = new StreamableHTTPServerTransport({});
  return server
    .connect(transport as Parameters<McpServer['connect']>[0])
    .then(() => transport.handleRequest(request, response, body));
}

const http = createServer();
http.listen(0, '127.0.0.1', () => {
  const { port } = http.address() as { port: number };
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const app = createMcpExpressApp();
  app.use(mcpAuthRouter({ provider, issuerUrl: new URL(url.origin), resourceServerUrl: url }));
  const guard = requireBearerAuth({
    verifier: provider,
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
  });
  app.all('/mcp', guard, (request: IncomingMessage & { body?: unknown }, response: ServerResponse) => {
    if (request.method === 'POST') void serve(request, response, request.body);
    else response.writeHead(405).end();
  });
  http.on('request', app as unknown as (request: IncomingMessage, response: ServerResponse) => void);
  console.log(url.href);
});
