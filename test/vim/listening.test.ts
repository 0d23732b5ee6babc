/** Buffers as resources whose changes a client of 2026-07-28 listens to, whichever way it comes. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { it, type TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { cleanup } from '../kit/cleanup.js';
import { type Home, makeHome } from '../kit/home.js';
import { PROGRAM as HUB } from '../kit/hub.js';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { PROGRAM } from './broker.js';

/** Milliseconds in which changes of one text are told of once. */
const COALESCED = 250;
const EDITS = 40;

/** How a client reaches mcp-vim, and the prefix of its tools. */
interface Way {
  readonly prefix: string;
  connect(t: TestContext, home: Home, client: Client): Promise<void>;
}

const OPTIONS = ['--auto-allow', 'write'];
const BEHIND = ['vim', '---', process.execPath, PROGRAM, ...OPTIONS, '---', '--eager'];

function stdio(home: Home, ...args: readonly string[]): StdioClientTransport {
  const env = home.env as Record<string, string>;
  return new StdioClientTransport({ command: process.execPath, args: [...args], env, stderr: 'ignore' });
}

/** Runs a program that listens for HTTP, and connects where it says that it does. */
async function http(t: TestContext, home: Home, client: Client, args: readonly string[]): Promise<void> {
  const program = spawn(process.execPath, args, { env: home.env, stdio: 'ignore' });
  cleanup(t, () => program.kill());
  const [path = '', ...options] = args;
  const name = options.includes('--name') ? ['--name', 'front'] : [];
  const printed = execFileSync(process.execPath, [path, '--print-url', ...name], { env: home.env, encoding: 'utf8' });
  await eventually('it is reached', async () => {
    await client.connect(new StreamableHTTPClientTransport(new URL(printed.trim())));
    return true;
  });
}

const WAYS = new Map<string, Way>([
  [
    'on standard streams',
    { prefix: '', connect: (_, home, client) => client.connect(stdio(home, PROGRAM, '--stdio', ...OPTIONS)) },
  ],
  ['over HTTP', { prefix: '', connect: (t, home, client) => http(t, home, client, [PROGRAM, ...OPTIONS]) }],
  [
    'through the hub',
    { prefix: 'vim.', connect: (_, home, client) => client.connect(stdio(home, HUB, '--stdio', ...BEHIND)) },
  ],
  [
    'through the hub over HTTP',
    { prefix: 'vim.', connect: (t, home, client) => http(t, home, client, [HUB, '--name', 'front', ...BEHIND]) },
  ],
]);

for (const [how, { prefix, connect }] of WAYS)
  it(`a client ${how} hears that a buffer has changed, of many changes few times`, async (t) => {
    const home = await makeHome();
    cleanup(t, () => home.remove());
    const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    cleanup(t, () => client.close());
    await connect(t, home, client);
    const vim = await Vim.start(home);
    cleanup(t, () => vim.close());
    await vim.ex('Mcp ed');
    const call = async (name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const result = await client.callTool({ name: `${prefix}${name}`, arguments: args });
      assert.notEqual(result.isError, true, JSON.stringify(result));
      return result.structuredContent as Record<string, unknown>;
    };
    await eventually('Vim is connected', async () => JSON.stringify(await call('targets', {})).includes('"ed"'));
    const buffer = await vim.buffer(['one']);
    const other = await vim.buffer(['other']);
    const uri = `vim://ed/${buffer}`;
    const heard: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
    const listening = await client.listen({ resourceSubscriptions: [uri] });

    // The person.
    await vim.ex(`buffer ${buffer}`);
    await eventually('it hears of it', async () => {
      await vim.typed('Ax\x1b');
      return heard.length > 0;
    });
    const read = async (): Promise<string> => {
      const [content] = (await client.readResource({ uri })).contents;
      return content !== undefined && 'text' in content ? content.text : '';
    };
    assert.match(await read(), /^onex+\n$/);

    // An agent, many times.
    heard.length = 0;
    const begun = performance.now();
    let tick: unknown = await vim.tick(buffer);
    for (let n = 1; n <= EDITS; n += 1) {
      const operations = [{ kind: 'lines', first: 1, last: 1, text: `edit ${n}` }];
      tick = (await call('edit', { buffer, expected_changedtick: tick, operations }))['changedtick'];
      await call('edit', {
        buffer: other,
        expected_changedtick: await vim.tick(other),
        operations: [{ kind: 'lines', first: 1, last: 1, text: `edit ${n}` }],
      });
    }
    await eventually('it hears of the last', async () => heard.length > 0 && (await read()) === `edit ${EDITS}\n`);
    const most = (performance.now() - begun) / COALESCED + 2;
    assert.ok(heard.length <= most, `${heard.length} notices, at most ${most} were due`);
    assert.deepEqual([...new Set(heard)], [uri]);
    await listening.close();
  });
