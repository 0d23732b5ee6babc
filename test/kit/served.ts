import { spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { cleanup } from './cleanup.js';
import { freshHome } from './home.js';
import { childCommand } from './hub.js';
import { eventually } from './until.js';

/** Starts a child of ours that serves over HTTP: `modern --http`, `protected`; its address, which it prints. */
export async function servedUrl(t: TestContext, name: string, ...args: readonly string[]): Promise<string> {
  const [program = '', ...words] = childCommand(name, ...args);
  const server = spawn(program, words, { env: await freshHome(t) });
  cleanup(t, () => server.kill('SIGKILL'));
  let said = '';
  server.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return await eventually('the server says its address', () => /http:\S+/.exec(said)?.[0]);
}
