import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Home, makeHome } from '../test/kit/home.js';
import { packagesFor } from '../test/kit/packages.js';
import { eventually } from '../test/kit/until.js';
import { freePort } from '../test/kit/wire.js';
import { median, ratio, timeText } from './figures.js';
import { residentMemory } from './memory.js';
import { bin, type Command, echoChild } from './programs.js';
import { printTable, type Verdict } from './report.js';
import { interleaved, type Repeats, type Work } from './rounds.js';

const PACKAGES = ['mcp-hub@4.2.1', 'mcp-proxy@6.7.19', 'supergateway@4.0.0', 'mcp-remote@0.15.1'];
const REPEATS: Repeats = { warmUp: 100, rounds: 25, each: 20 };
const TOKEN = 'a-token-for-measuring-hubs';
const PATIENCE = 60_000;

/** Something between a client of the SDK and the lean child. */
interface Between {
  readonly name: string;
  readonly client: Client;
  /** What the child's `echo` is called there. */
  readonly tool: string;
  /** Its process. */
  readonly pid: number | undefined;
}

/** What all of them start with. */
class Stage {
  readonly home: Home;
  /** The folder that has the others. */
  readonly modules: string;
  readonly #programs: ChildProcess[] = [];

  constructor(home: Home, modules: string) {
    this.home = home;
    this.modules = modules;
  }

  /** Starts a program; its process id. */
  start([program, ...args]: Command): number | undefined {
    const child = spawn(program, args, { env: this.home.env, stdio: 'ignore' });
    this.#programs.push(child);
    return child.pid;
  }

  /** The script of another package. */
  script(name: string, ...args: readonly string[]): Command {
    return [process.execPath, join(this.modules, '.bin', name), ...args];
  }

  close(): void {
    for (const program of this.#programs) program.kill('SIGKILL');
  }
}

type Make = (stage: Stage) => Promise<Between>;

/** The first of each group is this hub; the others are held against it. */
const GROUPS: ReadonlyMap<string, readonly Make[]> = new Map([
  ['HTTP in front, a spawned child behind', [ownOverHttp, supergateway, mcpProxy, mcpHub]],
  ['standard streams in front, a child over HTTP behind', [ownToHttp, mcpRemote]],
]);

/** One small call through other hubs and bridges from npm, side by side, by one client and to one child. */
export async function hubs(): Promise<Verdict[]> {
  const home = await makeHome();
  const stage = new Stage(home, await packagesFor('hubs', PACKAGES));
  try {
    const verdicts: Verdict[] = [];
    for (const [title, makes] of GROUPS) verdicts.push(...(await group(title, makes, stage)));
    return verdicts;
  } finally {
    stage.close();
    await home.remove();
  }
}

async function group(title: string, makes: readonly Make[], stage: Stage): Promise<Verdict[]> {
  const all: Between[] = [];
  for (const make of makes) all.push(await make(stage));
  const figures = await interleaved(all.map(small), REPEATS);
  const [own = []] = figures;
  const rows = all.map(({ name, pid }, at) => {
    const cells = [name, timeText(median(figures[at] ?? [])), ratio(figures[at] ?? [], own).toFixed(2)];
    return [...cells, pid === undefined ? '' : `${memory(pid).toFixed(0)} MB`];
  });
  printTable(title, ['', 'one small call', 'of ours', 'memory'], rows);
  for (const { client } of all) await client.close();
  return all.slice(1).map(({ name }, at) => ({
    what: `${title}: faster than ${name}`,
    met: ratio(figures[at + 1] ?? [], own) > 1,
  }));
}

function small({ client, tool }: Between): Work {
  return () => client.callTool({ name: tool, arguments: { text: 'hello' } });
}

async function ownOverHttp(stage: Stage): Promise<Between> {
  const port = await freePort();
  const own = ['--bind', `127.0.0.1:${port}`, '--token', TOKEN];
  const pid = stage.start(bin('mcp-multibroker', ...own, 'x', '---', ...echoChild, '---', '--eager'));
  return await overHttp('mcp-multibroker', `http://127.0.0.1:${port}/${TOKEN}/`, 'x.echo', pid, port);
}

async function supergateway(stage: Stage): Promise<Between> {
  const port = await freePort();
  const child = ['--stdio', echoChild.join(' '), '--outputTransport', 'streamableHttp', '--stateful'];
  const pid = stage.start(stage.script('supergateway', ...child, '--port', String(port), '--logLevel', 'none'));
  return await overHttp('supergateway', `http://127.0.0.1:${port}/mcp`, 'echo', pid, port);
}

async function mcpProxy(stage: Stage): Promise<Between> {
  const port = await freePort();
  const own = ['--host', '127.0.0.1', '--port', String(port), '--', ...echoChild];
  return await overHttp(
    'mcp-proxy',
    `http://127.0.0.1:${port}/mcp`,
    'echo',
    stage.start(stage.script('mcp-proxy', ...own)),
    port,
  );
}

async function mcpHub(stage: Stage): Promise<Between> {
  const port = await freePort();
  const [command, ...args] = echoChild;
  const config = join(stage.home.path, 'mcp-hub.json');
  await writeFile(config, JSON.stringify({ mcpServers: { x: { command, args } } }));
  const pid = stage.start(stage.script('mcp-hub', '--port', String(port), '--config', config));
  const client = await eventually(
    'mcp-hub has its child',
    async () => {
      const found = new Client({ name: 'bench', version: '1' });
      await found.connect(new SSEClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
      return (await found.listTools()).tools.length > 0 ? found : undefined;
    },
    PATIENCE,
  );
  const [tool] = (await client.listTools()).tools.filter(({ name }) => name.endsWith('echo'));
  return { name: 'mcp-hub', client, tool: tool?.name ?? '', pid };
}

async function ownToHttp(stage: Stage): Promise<Between> {
  const command = bin('mcp-multibroker', '--stdio', '--name', 'to-http', 'x', await httpChild(stage), '--eager');
  return await overStreams('mcp-multibroker', command, 'x.echo', stage);
}

async function mcpRemote(stage: Stage): Promise<Between> {
  return await overStreams(
    'mcp-remote',
    stage.script('mcp-remote', await httpChild(stage), '--allow-http'),
    'echo',
    stage,
  );
}

/** The lean child over HTTP; its address. */
async function httpChild(stage: Stage): Promise<string> {
  const script = fileURLToPath(new URL('./echo-http.js', import.meta.url));
  const child = spawn(process.execPath, [script], { env: stage.home.env, stdio: ['ignore', 'pipe', 'ignore'] });
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(String(chunk).trim())),
  );
  process.once('exit', () => child.kill());
  child.unref();
  return `http://127.0.0.1:${port}/mcp`;
}

async function overStreams(name: string, [command, ...args]: Command, tool: string, { home }: Stage): Promise<Between> {
  const env = home.env as Record<string, string>;
  const transport = new StdioClientTransport({ command, args, env, stderr: 'ignore' });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  await eventually(`${name} has its child`, () => answersTo(client, tool), PATIENCE);
  return { name, client, tool, pid: transport.pid ?? undefined };
}

async function overHttp(
  name: string,
  url: string,
  tool: string,
  pid: number | undefined,
  port: number,
): Promise<Between> {
  await eventually(`${name} answers`, () => answers(port), PATIENCE);
  const client = await eventually(
    `${name} has its child`,
    async () => {
      const found = new Client({ name: 'bench', version: '1' });
      // What the SDK says of its session it may leave undefined, which its own interface does not allow.
      await found.connect(new StreamableHTTPClientTransport(new URL(url)) as Parameters<Client['connect']>[0]);
      return (await answersTo(found, tool)) ? found : undefined;
    },
    PATIENCE,
  );
  return { name, client, tool, pid };
}

async function answersTo(client: Client, tool: string): Promise<boolean> {
  const { isError } = await client.callTool({ name: tool, arguments: { text: 'hello' } });
  return isError !== true;
}

async function answers(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

/** Resident memory of a process and all below it but the lean child, in MB. */
function memory(pid: number): number {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const processes = all.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []);
  const below = (parent: number): number[] =>
    processes
      .filter(([, , ppid, args = '']) => Number(ppid) === parent && !args.includes('echo-child'))
      .flatMap(([, child]) => [Number(child), ...below(Number(child))]);
  return [pid, ...below(pid)].map(residentMemory).reduce((sum, each) => sum + each, 0);
}
