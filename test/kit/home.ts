import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { cleanup } from './cleanup.js';
import { allGone, type Environment } from './processes.js';

/** A folder of its own for one test; removed after it. */
export async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mcp-test-'));
  cleanup(t, () => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** A person who has nothing yet: HOME and all XDG folders lie in a folder of their own. */
export interface Home {
  readonly path: string;
  readonly env: Environment;
  remove(): Promise<void>;
}

/** Makes an empty home below the temporary folder. */
export async function makeHome(): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), 'mcp-home-'));
  await mkdir(join(path, 'run'), { mode: 0o700 });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: path,
    XDG_CONFIG_HOME: join(path, 'config'),
    XDG_STATE_HOME: join(path, 'state'),
    XDG_CACHE_HOME: join(path, 'cache'),
    XDG_RUNTIME_DIR: join(path, 'run'),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  };
  return { path, env, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** The environment of a home for one test. No process that ran for this person may be left at its end. */
export async function freshHome(t: TestContext): Promise<Environment> {
  const home = await makeHome();
  cleanup(t, () => home.remove());
  cleanup(t, () => allGone(home.env));
  return home.env;
}

/** Sets a variable of this process, or takes it away, for as long as the test runs. */
export function setVariable(t: TestContext, name: string, value: string | undefined): void {
  const before = process.env[name];
  put(name, value);
  cleanup(t, () => put(name, before));
}

function put(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
