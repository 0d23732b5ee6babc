import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { cleanup } from './cleanup.js';
import { freshHome } from './home.js';
import { LeanClient } from './lean.js';
import type { Environment } from './processes.js';
import { eventually, soon } from './until.js';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** The program as it is installed, or as it was just compiled. */
export const PROGRAM = existsSync(join(ROOT, 'dist/bin/mcp-multibroker.js'))
  ? join(ROOT, 'bin/mcp-multibroker')
  : join(ROOT, 'dist/hub/main.js');

/** The command line of a child of ours: `plain`, `stubborn`, `wrapper`. */
export function childCommand(name: string, ...args: readonly string[]): string[] {
  return [process.execPath, join(ROOT, 'dist/test/children', `${name}.js`), ...args];
}

/** A child of ours as it stands on the hub's command line. */
export function child(alias: string, name: string, ...args: readonly string[]): string[] {
  return [alias, '---', ...childCommand(name, ...args), '---'];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running hub and a lean client on its standard input and output. */
export class HubProcess {
  readonly pid: number;
  readonly client: LeanClient;
  readonly env: Environment;
  readonly exited: Promise<Exit>;
  /** What it wrote to standard error. */
  stderr = '';
  readonly #process: ChildProcessWithoutNullStreams;
  #deaf = false;

  private constructor(process: ChildProcessWithoutNullStreams, env: Environment) {
    this.#process = process;
    this.pid = process.pid ?? 0;
    this.env = env;
    this.client = new LeanClient(process.stdout, process.stdin);
    const said = once(process.stderr, 'close');
    this.exited = once(process, 'exit').then(async ([code, signal]) => {
      if (!this.#deaf) await said;
      return { code, signal } as Exit;
    });
    process.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
  }

  /** Starts `mcp-multibroker --stdio` for a person who has nothing yet, or for the one whose environment is given. */
  static async start(t: TestContext, args: readonly string[], given?: Environment): Promise<HubProcess> {
    const env = given ?? (await freshHome(t));
    const hub = new HubProcess(spawn(process.execPath, [PROGRAM, '--stdio', ...args], { cwd: ROOT, env }), env);
    cleanup(t, () => hub.close());
    return hub;
  }

  /** The same, greeted by its client. */
  static async greeted(t: TestContext, args: readonly string[], given?: Environment): Promise<HubProcess> {
    const hub = await HubProcess.start(t, args, given);
    await hub.client.greet();
    return hub;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Reads no more of its standard error; the pipe stays open, or is closed. */
  deafen(how: 'open' | 'closed'): void {
    this.#deaf = true;
    if (how === 'open') this.#process.stderr.pause();
    else this.#process.stderr.destroy();
  }

  /** Ends it by the end of its input. */
  async close(): Promise<void> {
    this.client.end();
    try {
      await soon('end of the hub', this.exited);
    } finally {
      this.#process.kill('SIGKILL');
    }
  }
}

/** The token of hubs over HTTP. */
export const TOKEN = 'a-token-for-http-tests';

/** Starts a hub without standard streams; the address for clients. */
export async function hubUrl(t: TestContext, args: readonly string[], given?: Environment): Promise<string> {
  const env = given ?? (await freshHome(t));
  const own = ['--bind', '127.0.0.1:0', '--token', TOKEN];
  const hub = spawn(process.execPath, [PROGRAM, ...own, ...args], { cwd: ROOT, env });
  cleanup(t, () => hub.kill('SIGKILL'));
  let log = '';
  hub.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const port = await eventually('the hub says where it listens', () => /listens on .*:(\d+)/.exec(log)?.[1]);
  return `http://127.0.0.1:${port}/${TOKEN}/mcp`;
}

/** Runs the program to its end without any input. */
export function run(
  args: readonly string[],
  env: Environment,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const program = execFile(process.execPath, [PROGRAM, ...args], { env, timeout: 10_000 }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
    );
    program.stdin?.end();
  });
}
