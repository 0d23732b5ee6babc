/** Clients over Streamable HTTP, alone and beside each other, on one child. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { cleanup } from '../kit/cleanup.js';
import { freshHome } from '../kit/home.js';
import { child, hubUrl, ROOT, run, TOKEN } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

const ACCEPT = 'application/json, text/event-stream';

interface Connected {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  readonly logs: string[];
  readonly questions: string[];
}

async function connect(
  t: TestContext,
  url: string,
  name = 'test',
  mode: 'legacy' | 'auto' = 'legacy',
): Promise<Connected> {
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name, version: '1' }, { capabilities, versionNegotiation: { mode } });
  const [logs, questions]: [string[], string[]] = [[], []];
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(String(params.data)));
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { name } };
  });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  cleanup(t, () => client.close());
  await client.connect(transport);
  return { client, transport, logs, questions };
}

async function text(client: Client, name: string, args: Record<string, unknown> = {}, options = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args }, options);
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

const everything = ['all', '---', process.execPath, join(ROOT, 'node_modules/.bin/mcp-server-everything'), '---'];

/** What a client sends by hand. */
async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: ACCEPT, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

async function session(url: string): Promise<Record<string, string>> {
  const response = await post(url, INITIALIZE);
  assert.equal(response.status, 200);
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

describe('a client over HTTP', () => {
  for (const mode of ['legacy', 'auto'] as const) {
    it(`uses the reference server: calls, progress, questions, cancellation (SDK 2, ${mode})`, async (t) => {
      const { client, questions } = await connect(t, await hubUrl(t, everything), 'J\u00f6rg', mode);
      assert.match(await text(client, 'all.echo', { message: 'h\u00e9llo' }), /h\u00e9llo/);
      const steps: number[] = [];
      const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
      await text(client, 'all.trigger-long-running-operation', { duration: 0.2, steps: 4 }, { onprogress });
      assert.deepEqual(steps.slice(0, 3), [1, 2, 3]);
      assert.match(await text(client, 'all.trigger-elicitation-request'), /Name: J\u00f6rg/);
      assert.match(questions[0] ?? '', /^all: /);
      const stop = new AbortController();
      const stopped = text(
        client,
        'all.trigger-long-running-operation',
        { duration: 5, steps: 2 },
        { signal: stop.signal },
      );
      setTimeout(() => stop.abort('the user stopped it'), 50);
      await assert.rejects(stopped, /the user stopped it|abort/i);
    });
  }

  it('uses it with SDK 1 as well', async (t) => {
    const client = new Client1({ name: 'one', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
    cleanup(t, () => client.close());
    // Its types do not allow for exactOptionalPropertyTypes.
    await client.connect(new Http1(new URL(await hubUrl(t, everything))) as Parameters<typeof client.connect>[0]);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'all.echo'));
    const result = await client.callTool({ name: 'all.trigger-elicitation-request', arguments: {} });
    assert.match(JSON.stringify(result.content), /Name: Ada/);
  });

  it('hears of lists that change, on the stream that it opened', async (t) => {
    const { client } = await connect(t, await hubUrl(t, child('c', 'plain')));
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
    });
    await client.listTools();
    await text(client, 'c.add', { name: 'fresh' });
    await changed;
  });

  it('that closes its session has its open calls cancelled', async (t) => {
    const url = await hubUrl(t, child('c', 'plain'));
    const one = await connect(t, url);
    const two = await connect(t, url);
    const slow = text(one.client, 'c.slow').catch(() => 'failed');
    await eventually('it has begun', async () => (await text(two.client, 'c.begun')) === '1');
    await one.transport.terminateSession();
    await eventually('it is cancelled', async () => (await text(two.client, 'c.cancelled')) !== '[]');
    await one.client.close();
    await slow;
  });

  it('that vanishes in the middle of a call has it cancelled', async (t) => {
    const url = await hubUrl(t, child('c', 'plain'));
    const two = await connect(t, url);
    const headers = await session(url);
    const leave = new AbortController();
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'c.slow', arguments: {} } };
    const left = fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: ACCEPT, ...headers },
      body: JSON.stringify(call),
      signal: leave.signal,
    }).catch(() => undefined);
    await eventually('it has begun', async () => (await text(two.client, 'c.begun')) === '1');
    leave.abort();
    await left;
    await eventually('it is cancelled', async () => (await text(two.client, 'c.cancelled')) !== '[]');
    assert.equal((await post(url, { ...call, id: 3 }, headers)).status, 404);
  });
});

describe('two clients on one child', () => {
  it('get each their own questions, progress and answers, also under the same ids', async (t) => {
    const url = await hubUrl(t, child('c', 'plain'));
    const [one, two] = [await connect(t, url, 'one'), await connect(t, url, 'two')];
    const ask = async ({ client, questions }: Connected, name: string): Promise<void> => {
      for (let i = 0; i < 10; i += 1) {
        const steps: number[] = [];
        const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
        assert.equal(await text(client, 'c.echo', { name, i }), JSON.stringify({ name, i }));
        await text(client, 'c.progress', { steps: 3 }, { onprogress });
        assert.ok(steps.length <= 3, `${name} got ${steps.join()}`);
      }
      assert.deepEqual(questions, []);
    };
    await Promise.all([ask(one, 'one'), ask(two, 'two')]);
    const schema = { type: 'object', properties: {} };
    const answer = await text(one.client, 'c.ask', { message: 'Sure?', requestedSchema: schema });
    assert.match(answer, /"name":"one"/);
    assert.deepEqual([one.questions, two.questions], [['c: Sure?'], []]);
  });

  it('are not asked what they cannot answer', async (t) => {
    const url = await hubUrl(t, child('c', 'plain'));
    const headers = await session(url);
    const params = {
      name: 'c.ask',
      arguments: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
    };
    const answer = await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }, headers);
    assert.match(await answer.text(), /decline/);
  });

  it('are not asked when it cannot be told whose call a question belongs to', async (t) => {
    const url = await hubUrl(t, child('c', 'plain'));
    const [one, two] = [await connect(t, url, 'one'), await connect(t, url, 'two')];
    const stop = new AbortController();
    const slow = text(two.client, 'c.slow', {}, { signal: stop.signal }).catch(() => 'stopped');
    await eventually('it has begun', async () => (await text(one.client, 'c.begun')) === '1');
    const answer = await text(one.client, 'c.ask', {
      message: 'Sure?',
      requestedSchema: { type: 'object', properties: {} },
    });
    assert.match(answer, /no single client/);
    assert.deepEqual([one.questions, two.questions], [[], []]);
    stop.abort();
    await slow;
  });
});

describe('what is no proper request over HTTP', () => {
  it('gets the status that the protocol gives it', async (t) => {
    const url = await hubUrl(t, child('c', 'plain'));
    const headers = await session(url);
    const ping = { jsonrpc: '2.0', id: 5, method: 'ping' };
    const status = async (response: Promise<Response>): Promise<number> => (await response).status;
    assert.equal(await status(post(url, ping)), 400);
    assert.equal(await status(post(url, ping, { 'mcp-session-id': 'nobody' })), 404);
    assert.equal(await status(post(url, '{"jsonrpc":', headers)), 400);
    assert.equal(await status(post(url, ping, { ...headers, 'content-type': 'text/plain' })), 415);
    assert.equal(await status(post(url, ping, { ...headers, accept: 'application/json' })), 406);
    assert.equal(await status(post(url, ping, { ...headers, 'mcp-protocol-version': '1999-01-01' })), 400);
    assert.equal(await status(post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)), 202);
    assert.equal(await status(post(url.replace(TOKEN, 'another-token-than-that'), ping, headers)), 401);
    assert.equal(await status(fetch(url, { method: 'PUT', headers })), 405);
    assert.equal(await status(fetch(`${url}/other`, { headers })), 404);
    assert.equal(
      await status(fetch(url, { headers: { ...headers, origin: 'http://evil.example', accept: ACCEPT } })),
      403,
    );
    assert.equal(await status(post(url, ping, headers)), 200);
    assert.equal(await status(fetch(url, { method: 'DELETE', headers })), 200);
    assert.equal(await status(post(url, ping, headers)), 404);
  });

  it('may be spread over lines, and may be a batch', async (t) => {
    const url = await hubUrl(t, child('c', 'plain'));
    const headers = await session(url);
    await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'c.echo', arguments: { a: 'b\nc' } } };
    const spread = await post(url, JSON.stringify(call, null, 2), headers);
    assert.match(await spread.text(), /\{\\"a\\":\\"b\\\\nc\\"\}/);
    const batch = await post(url, [call, { jsonrpc: '2.0', id: 'x', method: 'ping' }], headers);
    const events = (await batch.text()).split('\n').filter((line) => line.startsWith('data: '));
    const ids = events.map((line) => (JSON.parse(line.slice(6)) as { id: unknown }).id);
    assert.deepEqual(new Set(ids), new Set([2, 'x']));
  });
});

it('the printed address is one that clients can use', async (t) => {
  const env = await freshHome(t);
  const { stdout } = await run(['--print-url', '--bind', ':4711', '--token', TOKEN], env);
  assert.equal(stdout, `http://127.0.0.1:4711/${TOKEN}/\n`);
});
