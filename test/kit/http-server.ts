import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { cleanup } from './cleanup.js';

/** A message as it was posted. */
export interface Posted {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Serves one function over HTTP; its address. */
export async function serveHttp(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  cleanup(t, () => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** What an MCP server of ours answers as long as nothing goes wrong; a call gets none. */
const RESULTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  [
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
  ],
  // As of a server that answers what it does not know.
  ['server/discover', {}],
  ['tools/list', { tools: [{ name: 'x', inputSchema: { type: 'object' } }] }],
]);

/** What `x` says when it is called. */
export const SERVED = { content: [{ type: 'text', text: 'served' }] };

/** A posted message; empty for a request without a body. */
export async function posted(request: IncomingMessage): Promise<Posted> {
  let body = '';
  for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
  return JSON.parse(body || '{}') as Posted;
}

/** Answers as JSON what any server with sessions would; whether there was something to answer. */
export function answerUsual(response: ServerResponse, { id, method = '' }: Posted): boolean {
  const result = RESULTS.get(method);
  const isUnknown = method === 'server/discover';
  if (id === undefined) response.writeHead(method === '' ? 405 : 202).end();
  else if (result !== undefined) answerJson(response, id, result);
  else if (isUnknown) sendJson(response, { id, error: { code: -32601, message: `no ${method}` } });
  return id === undefined || result !== undefined || isUnknown;
}

export function answerJson(response: ServerResponse, id: number | undefined, result: unknown): void {
  sendJson(response, { id, result });
}

function sendJson(response: ServerResponse, message: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

interface SentEvent {
  readonly id?: string;
  readonly data?: unknown;
}

/** Sends these events on a stream; an event without data only says where the stream is. */
export function sendEvents(response: ServerResponse, ...events: readonly SentEvent[]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { id, data } of events) {
    if (id !== undefined) response.write(`id: ${id}\nretry: 60\n`);
    response.write(`data: ${data === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', ...Object(data) })}\n\n`);
  }
}

/** The same, and ends the stream. */
export function endEvents(response: ServerResponse, ...events: readonly SentEvent[]): void {
  sendEvents(response, ...events);
  response.end();
}
