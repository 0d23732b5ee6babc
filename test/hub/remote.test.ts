/** Children that are reached by a URL: real servers over HTTP, of this day and of the first. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { cleanup } from '../kit/cleanup.js';
import { freshHome } from '../kit/home.js';
import { child, HubProcess, hubUrl, PROGRAM, ROOT } from '../kit/hub.js';
import { eventually } from '../kit/until.js';
import { freePort } from '../kit/wire.js';

async function answers(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

/** Starts the reference server over HTTP. */
async function everything(t: TestContext, mode: 'sse' | 'streamableHttp'): Promise<number> {
  const port = await freePort();
  const program = join(ROOT, 'node_modules/.bin/mcp-server-everything');
  const env = { ...(await freshHome(t)), PORT: String(port) };
  const server = spawn(process.execPath, [program, mode], { env, stdio: 'ignore' });
  cleanup(t, () => server.kill('SIGKILL'));
  await eventually('the server answers', () => answers(port), 20_000);
  return port;
}

/** Another hub, without standard streams, and its address. */
async function otherHub(t: TestContext, port: number, ...args: readonly string[]): Promise<ChildProcess> {
  const own = ['--bind', `127.0.0.1:${port}`, '--token', TOKEN];
  const hub = spawn(process.execPath, [PROGRAM, ...own, ...args], {
    env: await freshHome(t),
    cwd: ROOT,
    stdio: 'ignore',
  });
  cleanup(t, () => hub.kill('SIGKILL'));
  await eventually('the other hub answers', () => answers(port), 20_000);
  return hub;
}

const TOKEN = 'a-token-of-the-other-hub';

/** Serves one function over HTTP. */
async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  cleanup(t, () => server.close());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** What a server of our own answers; a call gets none. */
const RESULTS = new Map<string, unknown>([
  [
    'initialize',
    { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
  ],
  // As of a server that answers what it does not know.
  ['server/discover', {}],
  ['tools/list', { tools: [{ name: 'x', inputSchema: { type: 'object' } }] }],
]);

async function bodyOf(request: AsyncIterable<Buffer>): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk.toString();
  return body;
}

describe('a server that is reached by a URL', () => {
  for (const [mode, path] of [
    ['streamableHttp', '/mcp'],
    ['sse', '/sse'],
  ] as const) {
    it(`has its tools called and its questions answered (${mode})`, async (t) => {
      const port = await everything(t, mode);
      const hub = await HubProcess.start(t, ['far', `http://127.0.0.1:${port}${path}`, '--eager']);
      const asked: string[] = [];
      await hub.client.greet({ elicitation: {}, sampling: {}, roots: {} });
      const names = await hub.client.toolNames();
      assert.ok(names.includes('far.echo'), names.join());
      assert.equal((await hub.client.call('far.echo', { message: 'h\u00e9llo' })).text, 'Echo: h\u00e9llo');
      hub.client.answers.set('elicitation/create', ({ message }) => {
        asked.push(String(message));
        return { action: 'accept', content: { name: 'Ada' } };
      });
      hub.client.answers.set('roots/list', () => ({ roots: [] }));
      await eventually('the server offers to ask', async () =>
        (await hub.client.toolNames()).includes('far.trigger-elicitation-request'),
      );
      const { message } = await hub.client.call('far.trigger-elicitation-request');
      assert.match(JSON.stringify(message), /Name: Ada/);
      assert.match(asked[0] ?? '', /^far: /);
    });
  }

  it('asks each of two clients what belongs to its own call', async (t) => {
    const url = await hubUrl(t, ['far', `http://127.0.0.1:${await everything(t, 'streamableHttp')}/mcp`, '--eager']);
    const ask = async (name: string, other: Promise<unknown>): Promise<readonly [Promise<string>, Promise<void>]> => {
      const client = new Client({ name, version: '1' }, { capabilities: { elicitation: { form: {} } } });
      cleanup(t, () => client.close());
      let put = (): void => undefined;
      const isPut = new Promise<void>((resolve) => {
        put = resolve;
      });
      client.setRequestHandler('elicitation/create', async () => {
        put();
        await other;
        return { action: 'accept', content: { name } };
      });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      await eventually('the server offers to ask', async () =>
        (await client.listTools()).tools.some((tool) => tool.name === 'far.trigger-elicitation-request'),
      );
      const answer = client.callTool({ name: 'far.trigger-elicitation-request', arguments: {} });
      return [answer.then(({ content }) => JSON.stringify(content)), isPut];
    };
    let release = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const [ada, adaIsAsked] = await ask('Ada', both);
    await adaIsAsked;
    const [bob, bobIsAsked] = await ask('Bob', both);
    await bobIsAsked;
    release();
    assert.match(await ada, /Name: Ada/);
    assert.match(await bob, /Name: Bob/);
  });

  it('may be another hub: names, progress, cancellation, a call that fails when it is killed, and its coming back', async (t) => {
    const port = await freePort();
    const killed = await otherHub(t, port, ...child('c', 'plain'));
    const url = `http://127.0.0.1:${port}/${TOKEN}/`;
    const hub = await HubProcess.greeted(t, ['far', url, '--eager']);
    assert.equal((await hub.client.call('far.c.echo', { a: 1 })).text, '{"a":1}');
    await hub.client.call('far.c.progress', { steps: 3 });
    const slow = hub.client.call('far.c.slow');
    await eventually('it has begun', async () => (await hub.client.call('far.c.begun')).text === '1');
    killed.kill('SIGKILL');
    assert.equal((await slow).error?.code, 4410);
    await otherHub(t, port, ...child('c', 'plain'));
    await eventually(
      'it is there again',
      async () => (await hub.client.call('far.c.echo', { b: 2 })).text === '{"b":2}',
    );
  });

  it('that wants a token says so, and what to do', async (t) => {
    const url = await serve(t, (_, response) => response.writeHead(401).end('who are you?'));
    const hub = await HubProcess.greeted(t, ['far', url]);
    const { error } = await hub.client.call('far.x');
    assert.match(error?.message ?? '', /far refuses access \(HTTP 401\): who are you\?.*--bearer/);
  });

  it('is sent the token and the headers that were given, and nobody sees them in what it says', async (t) => {
    const seen: (string | undefined)[] = [];
    const url = await serve(t, ({ headers }, response) => {
      seen.push(headers.authorization, String(headers['x-team']));
      response.writeHead(500).end(`not ${headers.authorization}\n\u202e`);
    });
    const hub = await HubProcess.greeted(t, [
      ...['--status', 'far', url, '--bearer', 'the-secret', '--header', 'X-Team: red'],
    ]);
    const { error } = await hub.client.call('far.x');
    assert.match(error?.message ?? '', /HTTP 500: not Bearer \[token\].*\\u\{202e\}/);
    assert.match((await hub.client.call('hub.servers')).text, /HTTP 500: not Bearer \[token\]/);
    assert.deepEqual(seen.slice(0, 2), ['Bearer the-secret', 'red']);
    await hub.close();
    assert.ok(!hub.stderr.includes('the-secret'));
  });

  it('that cuts its answer off fails the call, which is not sent again', async (t) => {
    const calls: string[] = [];
    const url = await serve(t, (request, response) => {
      void bodyOf(request).then((body) => {
        const { id, method = '' } = JSON.parse(body || '{}') as { id?: number; method?: string };
        calls.push(method);
        const result = RESULTS.get(method);
        if (id === undefined) response.writeHead(request.method === 'GET' ? 405 : 202).end();
        else if (result === undefined) {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(': soon\n\n', () => response.destroy());
        } else {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id, result }, null, 2));
        }
      });
    });
    const hub = await HubProcess.greeted(t, ['far', url]);
    assert.deepEqual(await hub.client.toolNames(), ['far.x']);
    const { error } = await hub.client.call('far.x');
    assert.match(error?.message ?? '', /was cut off; it may have been carried out/);
    assert.equal(calls.filter((method) => method === 'tools/call').length, 1);
  });
});
