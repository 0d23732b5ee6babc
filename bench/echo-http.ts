/**
 * An MCP server over HTTP that does as little as it can, with sessions and without; prints its port. `--proxy PORT` only passes
 * on what comes to the server at that port, as any reverse proxy would.
 */
import { Agent, request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Request {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly text?: string } };
}

const REVISION = '2026-07-28';
const TOOLS = { resultType: 'complete', tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
const serverInfo = { name: 'echo', version: '1' };
const RESULTS = new Map<string, unknown>([
  ['initialize', { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }],
  ['server/discover', { resultType: 'complete', supportedVersions: [REVISION], capabilities: { tools: {} } }],
  ['tools/list', TOOLS],
]);

const at = process.argv.indexOf('--proxy');
const server = createServer(at === -1 ? serve : proxyTo(Number(process.argv[at + 1])));
server.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)));

function serve(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method !== 'POST') response.writeHead(405).end();
    else answer(JSON.parse(Buffer.concat(chunks).toString()) as Request, response);
  });
}

function answer({ id, method = '', params }: Request, response: ServerResponse): void {
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const text = params?.arguments?.text ?? '';
  const result = RESULTS.get(method) ?? { resultType: 'complete', content: [{ type: 'text', text }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id, result });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

function proxyTo(port: number): (request: IncomingMessage, response: ServerResponse) => void {
  const agent = new Agent({ keepAlive: true });
  return (request, response) => {
    const { method, url: path, headers } = request;
    const onward = ask({ port, host: '127.0.0.1', method, path, headers, agent }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };
}
