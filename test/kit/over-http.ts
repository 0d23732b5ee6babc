import { spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { cleanup } from './cleanup.js';
import { freshHome } from './home.js';
import { childCommand, PROGRAM, ROOT } from './hub.js';
import { eventually } from './until.js';

const TOKEN = 'a-token-for-tests-over-http';

/** Starts a hub without standard streams; the address for clients. */
export async function hubUrl(t: TestContext, args: readonly string[]): Promise<string> {
  const own = ['--bind', '127.0.0.1:0', '--token', TOKEN];
  const hub = spawn(process.execPath, [PROGRAM, ...own, ...args], { cwd: ROOT, env: await freshHome(t) });
  cleanup(t, () => hub.kill('SIGKILL'));
  let log = '';
  hub.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const port = await eventually('the hub says where it listens', () => /listens on .*:(\d+)/.exec(log)?.[1]);
  return `http://127.0.0.1:${port}/${TOKEN}/mcp`;
}

/** Starts a server of 2026-07-28 only, over HTTP; its address. */
export async function modernUrl(t: TestContext): Promise<string> {
  const [program = '', ...args] = childCommand('modern', '--http');
  const server = spawn(program, args, { env: await freshHome(t) });
  cleanup(t, () => server.kill('SIGKILL'));
  let said = '';
  server.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return await eventually('the server says its address', () => /http:\S+/.exec(said)?.[0]);
}
