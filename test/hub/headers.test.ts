/** Requests of 2026-07-28 over HTTP by hand: headers that repeat the body, and statuses. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { cleanup } from '../kit/cleanup.js';
import type { Message } from '../kit/end.js';
import { child, HubProcess, hubUrl } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Answer {
  readonly status: number;
  readonly message: Message;
}

async function send(url: string, body: Message, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  });
  const text = await response.text();
  return { status: response.status, message: text === '' ? {} : (JSON.parse(text) as Message) };
}

function headersFor(method: string, name?: string): Record<string, string> {
  const common = { 'mcp-protocol-version': REVISION, 'mcp-method': method };
  return name === undefined ? common : { ...common, 'mcp-name': name };
}

function call(name: string, args: Message = {}): Message {
  return { id: 'i', method: 'tools/call', params: { name, arguments: args, _meta: META } };
}

/** What an answer has to be: its status, and the code of its error. */
function codeOf({ message }: Answer): unknown {
  return (message['error'] as Message | undefined)?.['code'];
}

describe('a request over HTTP without a session', () => {
  it('says in its headers what its body says', async (t) => {
    const url = await hubUrl(t, [...child('m', 'modern'), '--eager']);
    const list = { id: 1, method: 'tools/list', params: { _meta: META } };
    await eventually('the child is known', async () => {
      const { message } = await send(url, list, headersFor('tools/list'));
      return JSON.stringify(message).includes('m.mirrored');
    });
    const echo = call('m.echo');
    const later = { ...list, params: { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } } };
    const rows: [headers: Record<string, string>, body: Message, status: number, code: number | undefined][] = [
      [headersFor('tools/call', 'm.echo'), echo, 200, undefined],
      [headersFor('tools/call', `=?base64?${Buffer.from('m.echo').toString('base64')}?=`), echo, 200, undefined],
      [headersFor('tools/call', '=?base64?***?='), echo, 400, -32020],
      [headersFor('tools/call', 'm.pid'), echo, 400, -32020],
      [headersFor('tools/call'), echo, 400, -32020],
      [headersFor('tools/list', 'm.echo'), echo, 400, -32020],
      [{ 'mcp-method': 'tools/call', 'mcp-name': 'm.echo' }, echo, 400, -32020],
      [{ 'mcp-protocol-version': REVISION, 'mcp-name': 'm.echo' }, echo, 400, -32020],
      [headersFor('tools/call', 'm.mirrored'), call('m.mirrored', { region: 'eu' }), 400, -32020],
      [
        { ...headersFor('tools/call', 'm.mirrored'), 'mcp-param-region': 'us' },
        call('m.mirrored', { region: 'eu' }),
        400,
        -32020,
      ],
      [
        { ...headersFor('tools/call', 'm.mirrored'), 'mcp-param-region': 'eu' },
        call('m.mirrored', { region: 'eu' }),
        200,
        undefined,
      ],
      [headersFor('ping'), { id: 1, method: 'ping', params: { _meta: META } }, 404, -32601],
      [headersFor('tools/list'), { id: 1, method: 'tools/list' }, 400, -32602],
      [
        headersFor('tools/list'),
        { id: 1, method: 'tools/list', params: { _meta: { [Object.keys(META)[0] ?? '']: REVISION } } },
        400,
        -32602,
      ],
      [{ ...headersFor('tools/list'), 'mcp-protocol-version': '2031-01-01' }, list, 400, -32020],
      [{ ...headersFor('tools/list'), 'mcp-protocol-version': '2031-01-01' }, later, 400, -32022],
      [headersFor('initialize'), { id: 1, method: 'initialize', params: { _meta: META } }, 404, -32601],
      [
        headersFor('notifications/cancelled'),
        { method: 'notifications/cancelled', params: { _meta: META, requestId: 1 } },
        202,
        undefined,
      ],
    ];
    for (const [headers, body, status, code] of rows) {
      const answer = await send(url, body, headers);
      assert.deepEqual([answer.status, codeOf(answer)], [status, code], JSON.stringify([headers, body]));
      if (body['id'] !== undefined) assert.equal(answer.message['id'], body['id']);
    }
    for (const method of ['GET', 'DELETE']) {
      const { status } = await fetch(url, { method, headers: { 'mcp-protocol-version': REVISION } });
      assert.equal(status, 405);
    }
    const { status } = await fetch(url.replace(/\/[^/]*\/mcp$/, '/wrong/mcp'), { method: 'POST' });
    assert.equal(status, 401);
  });

  it('is cancelled at the child when the connection is closed', async (t) => {
    const url = await hubUrl(t, [...child('c', 'plain'), '--eager']);
    const stop = new AbortController();
    const slow = fetch(url, {
      method: 'POST',
      signal: stop.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headersFor('tools/call', 'c.slow'),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...call('c.slow') }),
    }).catch(() => undefined);
    const text = async (name: string): Promise<string> => {
      const { message } = await send(url, call(name), headersFor('tools/call', name));
      return JSON.stringify((message['result'] as Message | undefined)?.['content'] ?? '');
    };
    await eventually('it has begun', async () => (await text('c.begun')).includes('1'));
    stop.abort();
    await slow;
    await eventually('the child knows', async () => (await text('c.cancelled')).includes('closed the request'));
  });
});

describe('a server over HTTP without sessions', () => {
  it('is sent in headers what the body says, the name as it knows it', async (t) => {
    const seen: Message[] = [];
    const results = new Map<string, Message>([
      ['server/discover', { supportedVersions: [REVISION], capabilities: { tools: {} } }],
      [
        'tools/list',
        {
          tools: [
            {
              name: 'n\u00e4me',
              inputSchema: {
                properties: {
                  r: { type: 'string', 'x-mcp-header': 'Region' },
                  n: { type: 'integer', 'x-mcp-header': 'N' },
                },
              },
            },
            { name: 'wrong', inputSchema: { properties: { r: { type: 'object', 'x-mcp-header': 'R' } } } },
          ],
        },
      ],
    ]);
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        const { id, method = '' } = JSON.parse(body) as { id?: unknown; method?: string };
        seen.push({ method, ...request.headers });
        const result = results.get(method) ?? { resultType: 'complete', content: [] };
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    cleanup(t, () => server.close());
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const hub = await HubProcess.greeted(t, ['s', `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`]);
    const [shown = '', ...others] = await hub.client.toolNames();
    assert.deepEqual(others, []);
    const { error } = await hub.client.call(shown, { r: 'J\u00f6rg', n: 42 });
    assert.equal(error, undefined);
    const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
    const sent = seen.find(({ method }) => method === 'tools/call') ?? {};
    const names = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-param-region', 'mcp-param-n'];
    assert.deepEqual(
      names.map((name) => sent[name]),
      [REVISION, 'tools/call', base64('n\u00e4me'), base64('J\u00f6rg'), '42'],
    );
    assert.match(hub.stderr, /wrong.*left out/);
  });
});
