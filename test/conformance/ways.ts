import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Home, makeHome } from '../kit/home.js';
import { PROGRAM, ROOT } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

/** Which of the two servers is measured. */
export type Era = 'legacy' | 'modern';

const FIXTURE = join(ROOT, 'dist/test/conformance/fixture.js');
const TOKEN = 'a-token-for-the-conformance-suite';

/** The ways from the suite to the server, each as the address that the suite is given. */
export const WAYS: ReadonlyMap<string, (stage: Stage, era: Era) => Promise<string>> = new Map([
  ['direct', direct],
  ['spawned child', spawnedChild],
  ['HTTP child', httpChild],
  ['dial-in child of a second hub', dialledChild],
]);

/** Processes that run for one measurement, for a person who has nothing else. */
export class Stage {
  readonly #home: Home;
  readonly #processes: ChildProcess[] = [];

  private constructor(home: Home) {
    this.#home = home;
  }

  static async open(): Promise<Stage> {
    return new Stage(await makeHome());
  }

  /** A file of the person's. */
  async file(name: string, content: unknown): Promise<string> {
    const path = join(this.#home.path, name);
    await writeFile(path, JSON.stringify(content));
    return path;
  }

  /** Starts a program; the address at which it says that it listens, where it does. */
  start(args: readonly string[]): { readonly port: () => Promise<string> } {
    const child = spawn(process.execPath, args, { cwd: ROOT, env: this.#home.env, stdio: ['pipe', 'ignore', 'pipe'] });
    this.#processes.push(child);
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    const port = (): string | undefined => {
      if (child.exitCode !== null) throw new Error(`${args.join(' ')} has ended:\n${log}`);
      return /listens on \S*:(\d+)/.exec(log)?.[1];
    };
    return { port: () => eventually(`${args[0]} listens`, port, 20_000) };
  }

  /** Starts a hub; the address for clients. */
  async hub(...args: readonly string[]): Promise<string> {
    const port = await this.start([PROGRAM, '--bind', '127.0.0.1:0', '--token', TOKEN, ...args]).port();
    return `http://localhost:${port}/${TOKEN}/`;
  }

  async close(): Promise<void> {
    for (const child of this.#processes.reverse()) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.kill()) await ended;
    }
    await this.#home.remove();
  }
}

async function direct(stage: Stage, era: Era): Promise<string> {
  return `http://localhost:${await stage.start([FIXTURE, era, 'http', '0']).port()}/mcp`;
}

async function spawnedChild(stage: Stage, era: Era): Promise<string> {
  const program = ['---', process.execPath, FIXTURE, era, 'stdio', '---'];
  return await stage.hub('fixture', ...program, '--eager', '--no-prefix');
}

async function httpChild(stage: Stage, era: Era): Promise<string> {
  return await stage.hub('fixture', await direct(stage, era), '--eager', '--no-prefix');
}

/**
 * Who dials in cannot be shown without a prefix, and the suite asks for its own names: so a second hub in front gives them
 * back. What comes through both has gone in at one as an answer of the other, too.
 */
async function dialledChild(stage: Stage, era: Era): Promise<string> {
  const behind = await stage.hub();
  stage.start([FIXTURE, era, 'dial', `${behind}fixture`]);
  const names = await eventually('the fixture has dialled in', async () => {
    const all = await namesAt(behind);
    return all.length > 0 ? all : undefined;
  });
  const rename = Object.fromEntries(names.map((name) => [name, name.replace(/^fixture\./, '')]));
  const far = { url: behind, eager: true, 'no-prefix': true, rename };
  return await stage.hub('--config', await stage.file('servers.json', { mcpServers: { far } }));
}

/** The tools and prompts at an address. */
async function namesAt(url: string): Promise<string[]> {
  const client = new Client({ name: 'conformance', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const [{ tools }, { prompts }] = [await client.listTools(), await client.listPrompts()];
  await client.close();
  return [...tools, ...prompts].map(({ name }) => name);
}
