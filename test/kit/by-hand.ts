import assert from 'node:assert/strict';

const ACCEPT = 'application/json, text/event-stream';

/** What a client over HTTP sends by hand. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: ACCEPT, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Begins a session by hand; the header that belongs to it. */
export async function session(url: string, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const response = await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, headers);
  assert.equal(response.status, 200);
  await response.text();
  const own = { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, own);
  return own;
}

/** Calls a tool under an id; the whole answer as text. */
export async function call(
  url: string,
  headers: Record<string, string>,
  name: string,
  args: unknown,
  id: unknown = 2,
): Promise<string> {
  const params = { name, arguments: args };
  return await (await post(url, { jsonrpc: '2.0', id, method: 'tools/call', params }, headers)).text();
}
