/** Clients of protocol 2024-11-05 over HTTP: a stream of events, and an address to post to. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { cleanup } from '../kit/cleanup.js';
import { child, hubUrl } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

describe('a client of the first transport over HTTP', () => {
  it('calls, is asked, cancels, and its calls end when it goes away', async (t) => {
    const url = (await hubUrl(t, [...child('c', 'plain'), '--eager'])).replace(/mcp$/, 'sse');
    const connect = async (): Promise<Client> => {
      const client = new Client({ name: 'old', version: '1' }, { capabilities: { elicitation: {} } });
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
      cleanup(t, () => client.close());
      // What is deprecated there is just what is tried.
      await client.connect(new SSEClientTransport(new URL(url)));
      return client;
    };
    const text = async (client: Client, name: string, args = {}, options = {}): Promise<string> =>
      JSON.stringify((await client.callTool({ name, arguments: args }, CallToolResultSchema, options)).content);
    const client = await connect();
    assert.match(await text(client, 'c.echo', { a: 'h\u00e9' }), /h\u00e9/);
    const question = { message: 'who?', requestedSchema: { type: 'object', properties: {} } };
    assert.match(await text(client, 'c.ask', question), /Ada/);
    const stop = new AbortController();
    const slow = text(client, 'c.slow', {}, { signal: stop.signal });
    await eventually('it has begun', async () => (await text(client, 'c.begun')).includes('1'));
    stop.abort('enough');
    await assert.rejects(slow);
    assert.match(await text(client, 'c.cancelled'), /enough/);
    const other = await connect();
    const left = text(other, 'c.slow');
    left.catch(() => undefined);
    await eventually('it has begun', async () => (await text(client, 'c.begun')).includes('2'));
    await other.close();
    await eventually('the child knows', async () => (await text(client, 'c.cancelled')).includes('went away'));
  });

  it('is told what it did wrong', async (t) => {
    const url = (await hubUrl(t, child('c', 'plain'))).replace(/mcp$/, '');
    const json = { 'content-type': 'application/json' };
    const status = async (path: string, init: RequestInit): Promise<number> => (await fetch(url + path, init)).status;
    assert.equal(await status('messages?session=x', { method: 'POST', headers: json, body: '{}' }), 404);
    assert.equal(await status('messages', { method: 'GET' }), 405);
    assert.equal(await status('sse', { method: 'POST', headers: json, body: '{}' }), 405);
    assert.equal(await status('sse', { headers: { accept: 'application/json' } }), 406);
    assert.equal(await status('elsewhere', {}), 404);
    assert.equal((await fetch(url.replace(/[^/]*\/$/, 'wrong/sse'))).status, 401);
  });
});
