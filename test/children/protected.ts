/**
 * An MCP server over HTTP, on the first SDK with its own authorization server, which lets in who has signed in. Prints its
 * address. Its options: `--lives N` calls for which a token is good, then it has to be renewed · `--wants SCOPE` for calls
 * · `--stingy` does not give that · `--client ID --secret S` knows this client, who need not introduce itself. Its tool
 * `move` has it use another authorization server, which knows nobody else.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import type { OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js';
import { getOAuthProtectedResourceMetadataUrl, mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';

type Request = IncomingMessage & { body?: unknown };

const { values } = parseArgs({
  options: {
    lives: { type: 'string', default: 'Infinity' },
    wants: { type: 'string' },
    stingy: { type: 'boolean', default: false },
    client: { type: 'string' },
    secret: { type: 'string' },
  },
});
const known: OAuthClientInformationFull = {
  client_id: values.client ?? '',
  ...(values.secret === undefined ? {} : { client_secret: values.secret }),
  redirect_uris: ['http://127.0.0.1/callback'],
};
const clients = new Map<string, OAuthClientInformationFull>();
const codes = new Map<string, { readonly challenge: string; readonly scopes: readonly string[] }>();
const tokens = new Map<string, { left: number; readonly scopes: readonly string[] }>();
const renewals = new Map<string, readonly string[]>();
let signedIn = 0;
let renewed = 0;
let hasMoved = false;

function fresh(asked: readonly string[]): OAuthTokens {
  const [access, refresh] = [randomUUID(), randomUUID()];
  const scopes = values.stingy ? asked.filter((scope) => scope !== values.wants) : asked;
  tokens.set(access, { left: Number(values.lives), scopes });
  renewals.set(refresh, scopes);
  return { access_token: access, token_type: 'Bearer', expires_in: 3600, refresh_token: refresh };
}

function move(): void {
  hasMoved = true;
  for (const known of [clients, tokens, renewals]) known.clear();
}

const provider: OAuthServerProvider = {
  clientsStore: {
    getClient: (id) => (id === values.client ? known : clients.get(id)),
    registerClient: (client) => {
      const registered = { ...client, client_id: randomUUID() } as OAuthClientInformationFull;
      clients.set(registered.client_id, registered);
      return registered;
    },
  },
  authorize: (_, { codeChallenge, redirectUri, state, scopes = [] }, response) => {
    const code = randomUUID();
    codes.set(code, { challenge: codeChallenge, scopes });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    if (state !== undefined) back.searchParams.set('state', state);
    (response as unknown as ServerResponse).writeHead(302, { location: back.href }).end();
    return Promise.resolve();
  },
  challengeForAuthorizationCode: (_, code) => Promise.resolve(codes.get(code)?.challenge ?? ''),
  exchangeAuthorizationCode: (_, code) => {
    const { scopes = [] } = codes.get(code) ?? {};
    signedIn += codes.delete(code) ? 1 : 0;
    return Promise.resolve(fresh(scopes));
  },
  exchangeRefreshToken: (_, token) => {
    const scopes = renewals.get(token);
    if (scopes === undefined) throw new InvalidTokenError('no such token');
    renewals.delete(token);
    renewed += 1;
    return Promise.resolve(fresh(scopes));
  },
  verifyAccessToken: (token) => {
    const found = tokens.get(token);
    if (found === undefined || found.left <= 0) throw new InvalidTokenError('expired');
    found.left -= 1;
    return Promise.resolve({ token, clientId: 'any', scopes: [...found.scopes], expiresAt: Date.now() / 1000 + 3600 });
  },
};

function serve(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
  const server = new McpServer({ name: 'protected', version: '1' });
  server.registerTool('counts', {}, () => ({ content: [{ type: 'text', text: `${signedIn} ${renewed}` }] }));
  server.registerTool('move', {}, () => {
    move();
    return { content: [] };
  });
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
  const scopes = values.wants === undefined ? {} : { scopesSupported: ['use'] };
  const [here, there] = ['127.0.0.1', 'localhost'].map((host) =>
    mcpAuthRouter({ provider, issuerUrl: new URL(`http://${host}:${port}`), resourceServerUrl: url, ...scopes }),
  );
  app.use((request: Request, response: ServerResponse, next: () => void) => {
    const { url: path = '', headers } = request;
    const isAtHome = path.includes('protected-resource') ? !hasMoved : headers.host?.startsWith('127.') === true;
    void (isAtHome ? here : there)?.(request, response, next);
  });
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(url);
  const guard = requireBearerAuth({ verifier: provider, resourceMetadataUrl });
  const strict = requireBearerAuth({
    verifier: provider,
    resourceMetadataUrl,
    requiredScopes: values.wants === undefined ? [] : [values.wants],
  });
  app.use('/mcp', (request: Request, response: ServerResponse, next: () => void) => {
    const { method } = (request.body ?? {}) as { method?: string };
    void (method === 'tools/call' ? strict : guard)(request, response, next);
  });
  app.all('/mcp', (request: Request, response: ServerResponse) => {
    if (request.method === 'POST') void serve(request, response, request.body);
    else response.writeHead(405).end();
  });
  http.on('request', app as unknown as (request: IncomingMessage, response: ServerResponse) => void);
  console.log(url.href);
});
