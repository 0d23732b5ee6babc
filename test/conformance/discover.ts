import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server says that speaks 2026-07-28 and has everything. */
const RESULT = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, resources: {}, prompts: {} },
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scenario', version: '1' } },
};

/**
 * Stands before a server of the suite that knows neither `initialize` nor `server/discover`, and so cannot be greeted:
 * answers the second and passes everything else on as it is. Its address, and how to end it.
 */
export async function discoverable(url: string): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const { method, id } = JSON.parse(body || '{}') as { method?: string; id?: unknown };
      if (method === 'server/discover') {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: RESULT }));
        return;
      }
      const headers = Object.entries(request.headers).filter(([name]) => !OWN.includes(name));
      const answer = await fetch(url, {
        method: request.method ?? 'GET',
        headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
        ...(body === '' ? {} : { body }),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
      response.end(await answer.text());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`, close };
}

/** Headers that belong to one connection. */
const OWN = ['host', 'connection', 'content-length', 'transfer-encoding'];

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
  return body;
}
