/** The program as a person meets it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { WebSocket } from 'ws';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { PROGRAM, printedUrl } from './broker.js';
import { stage } from './fixture.js';

const FIRST = 'the-first-token-of-three';
const TOKENS = [FIRST, 'the-second-token-of-three', 'the-third-token-of-three'];

/** A port that is free now. */
async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

describe('mcp-vim', () => {
  const at = stage();

  const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [PROGRAM, ...args], { env: at.home.env, encoding: 'utf8', timeout: 20_000, input: '' });

  /** A broker without a client, once it listens; with what it says. */
  async function daemon(
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<{ process: ChildProcess; log: () => string }> {
    const broker = spawn(process.execPath, [PROGRAM, ...args], {
      env: { ...at.home.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    at.own({ close: () => broker.kill('SIGKILL') });
    let log = '';
    broker.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    await eventually('it listens', () => log.includes('listens on'));
    return { process: broker, log: () => log };
  }

  async function announcedUrl(name: string): Promise<string> {
    const file = join(at.home.path, `run/mcp-multibroker/vim-${name}.json`);
    return (JSON.parse(await readFile(file, 'utf8')) as { url: string }).url;
  }

  async function targets(url: string): Promise<string[]> {
    const client = new Client({ name: 'test', version: '0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { structuredContent } = await client.callTool({ name: 'targets', arguments: {} });
    await client.close();
    return (structuredContent as { targets: { target: string }[] }).targets.map(({ target }) => target);
  }

  for (const [args, says] of [
    [['--nope'], 'unknown option --nope. Run with --help'],
    [['word'], 'unexpected argument "word". Run with --help'],
    [['--stdio=yes'], '--stdio takes no value. Run with --help'],
    [['--name'], '--name needs a value: --name NAME. Run with --help'],
    [['--name', 'a', '--name', 'b'], '--name is given twice. Run with --help'],
    [['--name', '../x'], '--name takes letters'],
    [['--bind', 'host.example:1'], '--bind host.example:1: expected an address'],
    [['--bind', ':70000'], '--bind :70000: expected an address'],
    [['--token', 'short'], '--token: a token is 16 or more'],
    [['--connect', 'http://127.0.0.1/x'], '--connect takes http://HOST:PORT/TOKEN/ALIAS'],
    [['--auto-allow', 'everything'], '"everything" is no action. The actions are read,'],
    [['--patience', 'long'], '--patience is a number of seconds'],
    [['--patience', '0'], '--patience is a number of seconds'],
    [['--print-url', '--bind', ':0'], 'with port 0 the system chooses'],
  ] as const) {
    it(`exits with 2 and says what is wrong: ${args.join(' ')}`, () => {
      const { status, stdout, stderr } = run(...args);
      assert.deepEqual([status, stdout, stderr.split('\n').length], [2, '', 2]);
      assert.ok(stderr.startsWith(`mcp-vim: error: ${says}`), stderr);
    });
  }

  it('prints the URL that a broker with the same options serves', async () => {
    const port = await freePort('127.0.0.1');
    for (const args of [
      ['--name', 'one'],
      ['--name', 'two', '--token', FIRST],
      ['--name', 'three', '--bind', `:${port}`],
      ['--name', 'four', '--bind', 'localhost'],
      ['--name', 'five', '--bind', '0.0.0.0'],
    ]) {
      const printed = printedUrl(at.home, ...args);
      const { process: broker } = await daemon(args);
      assert.equal(printed, await announcedUrl(args[1] ?? ''));
      assert.match(printed, /^http:\/\/(127\.0\.0\.1|localhost):\d+\/[\w-]{16,}\/$/);
      assert.deepEqual(await targets(printed), []);
      broker.kill();
      await once(broker, 'exit');
    }
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((found) => found?.some(({ address }) => address === '::1'));

  it('serves an IPv6 address, which it prints in brackets', { skip: !hasIpv6 }, async () => {
    const args = ['--bind', `[::1]:${await freePort('::1')}`];
    const { log } = await daemon(args);
    const url = printedUrl(at.home, ...args);
    assert.match(url, /^http:\/\/\[::1\]:\d+\/[\w-]+\/$/);
    const vim = at.own(await Vim.start(at.home));
    await vim.ex(`Mcp ${url}six`);
    await vim.until("execute('McpStatus') =~ 'connected to \\[::1\\]:\\d\\+ as six'", 1);
    assert.deepEqual(await targets(url), ['six']);
    assert.doesNotMatch(log(), /warning|other machines/);
  });

  it('takes each of several tokens from clients of all kinds and from Vim', async () => {
    const args = TOKENS.flatMap((token) => ['--token', token]);
    await daemon(args);
    const first = printedUrl(at.home, ...args);
    assert.ok(first.includes(FIRST));
    const vim = at.own(await Vim.start(at.home));
    for (const [number, token] of TOKENS.entries()) {
      const url = first.replace(FIRST, token);
      await vim.ex(`Mcp ${url}ed${number}`);
      await eventually('Vim is connected', async () => (await targets(url)).join() === `ed${number}`);
      const socket = new WebSocket(url.replace('http:', 'ws:'));
      await once(socket, 'open');
      socket.close();
    }
    const response = await fetch(first.replace(FIRST, 'not-one-of-the-three'), { method: 'POST' });
    assert.equal(response.status, 401);
  });

  it('warns when other machines can reach it', async () => {
    const { log } = await daemon(['--bind', '0.0.0.0']);
    await eventually('it warns', () => /warning: 0\.0\.0\.0 can be reached from other machines/.test(log()));
  });

  it('says what to do when its port is taken', async () => {
    await daemon([]);
    const { status, stderr } = run();
    assert.equal(status, 1);
    assert.match(
      stderr,
      /error: 127\.0\.0\.1:\d+ is in use\. If another mcp-vim with --name default runs, use that one/,
    );
  });

  it('speaks MCP on its standard input when the environment says so, and ends with it', async () => {
    const { process: broker } = await daemon([], { MCP_MULTIBROKER_PROTOCOL: 'stdio' });
    broker.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    assert.deepEqual(JSON.parse(String((await once(broker.stdout ?? broker, 'data'))[0])), {
      jsonrpc: '2.0',
      id: 1,
      result: {},
    });
    broker.stdin?.end();
    assert.deepEqual(await once(broker, 'exit'), [0, null]);
  });

  it('without that leaves its standard streams alone', async () => {
    const { process: broker } = await daemon([]);
    broker.stdin?.end();
    assert.deepEqual(await targets(printedUrl(at.home)), []);
    assert.equal(broker.exitCode, null);
    broker.kill('SIGTERM');
    assert.deepEqual(await once(broker, 'exit'), [0, null]);
  });
});
