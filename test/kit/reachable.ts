import type { TestContext } from 'node:test';
import { freshHome } from './home.js';
import { HubProcess, run } from './hub.js';
import { eventually } from './until.js';
import { listens } from './wire.js';

/** A greeted hub on a port of its own, and the address that it prints. */
export async function reachable(t: TestContext, ...args: readonly string[]): Promise<{ hub: HubProcess; url: string }> {
  const env = await freshHome(t);
  const url = (await run(['--print-url', ...args], env)).stdout.trim();
  const hub = await HubProcess.greeted(t, args, env);
  const { port } = new URL(url);
  await eventually('it listens', () => listens(Number(port)));
  return { hub, url };
}
