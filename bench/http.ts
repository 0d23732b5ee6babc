import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, ratio, timeText } from './figures.js';
import { HttpClient } from './http-client.js';
import { bin, type Command, echoChild } from './programs.js';
import { printTable, type Verdict } from './report.js';
import { interleaved, type Repeats, type Work } from './rounds.js';
import { sandbox } from './sandbox.js';

const TOKEN = 'a-token-for-measuring-over-http';
const REPEATS: Repeats = { warmUp: 400, rounds: 40, each: 40 };
const CLIENTS = 200;

/** A server that is measured: its address, what its `echo` is called there, and for whom. */
interface Way {
  readonly name: string;
  readonly client: HttpClient;
  readonly tool: string;
}

/** One figure held against another. */
interface Bar {
  readonly what: string;
  readonly of: string;
  readonly against: string;
  /** How many times the other's time it may take. */
  readonly most: number;
}

const BARS: readonly Bar[] = [
  { what: 'HTTP to HTTP, with sessions', of: 'hub, HTTP child', against: 'reverse proxy', most: 1.5 },
  {
    what: 'HTTP to HTTP, without sessions',
    of: 'hub, HTTP child, modern',
    against: 'reverse proxy, modern',
    most: 1.5,
  },
  { what: 'HTTP to a spawned child', of: 'hub, spawned child', against: 'a hub of SDK parts', most: 0.5 },
  { what: 'the same without sessions', of: 'hub, spawned child, modern', against: 'a hub of SDK parts', most: 0.5 },
];

/** Calls over HTTP: to a server directly, through a proxy that only passes on, through the hub, and through a hub of SDK parts. */
export async function http(): Promise<Verdict[]> {
  const env = sandbox();
  const programs: ChildProcess[] = [];
  const start = async (command: Command, says: RegExp = /^(\d+)$/m): Promise<string> => {
    const { program, port } = await started(command, env, says);
    programs.push(program);
    return port;
  };
  try {
    const child = `http://127.0.0.1:${await start(script('echo-http'))}/mcp`;
    const proxy = `http://127.0.0.1:${await start(script('echo-http', '--proxy', new URL(child).port))}/mcp`;
    const parts = `http://127.0.0.1:${await start(script('sdk-hub', ...echoChild))}/mcp`;
    const own = ['--bind', '127.0.0.1:0', '--token', TOKEN];
    const hub = `http://127.0.0.1:${await start(bin('mcp-multibroker', ...own, 'x', '---', ...echoChild, '---', 'y', child), LISTENS)}/${TOKEN}/`;
    const ways = await Promise.all([
      way('direct', child, 'legacy', 'echo'),
      way('reverse proxy', proxy, 'legacy', 'echo'),
      way('hub, HTTP child', hub, 'legacy', 'y.echo'),
      way('direct, modern', child, 'modern', 'echo'),
      way('reverse proxy, modern', proxy, 'modern', 'echo'),
      way('hub, HTTP child, modern', hub, 'modern', 'y.echo'),
      way('a hub of SDK parts', parts, 'legacy', 'x.echo'),
      way('hub, spawned child', hub, 'legacy', 'x.echo'),
      way('hub, spawned child, modern', hub, 'modern', 'x.echo'),
    ]);
    const figures = await interleaved(ways.map(small), REPEATS);
    const named = new Map(ways.map(({ name }, at) => [name, figures[at] ?? []]));
    const rows = ways.map(({ name }, at) => [name, timeText(median(figures[at] ?? []))]);
    printTable('one small call over HTTP', ['', ''], rows);
    return [...verdicts(named), ...(await crowd(hub))];
  } finally {
    for (const program of programs) program.kill('SIGKILL');
  }
}

const LISTENS = /listens on \S*:(\d+)/;

function verdicts(figures: ReadonlyMap<string, readonly number[]>): Verdict[] {
  const rows = BARS.map(({ what, of, against, most }) => {
    const quotient = ratio(figures.get(of) ?? [], figures.get(against) ?? []);
    return {
      what,
      cells: [what, `${of} / ${against}`, quotient.toFixed(2), `≤ ${most.toFixed(2)}`],
      met: quotient <= most,
    };
  });
  printTable(
    'over HTTP',
    ['', '', 'ratio', 'bar', ''],
    rows.map(({ cells, met }) => [...cells, met ? 'met' : 'MISSED']),
  );
  return rows.map(({ what, met }) => ({ what, met }));
}

/** One client alone, and one of many who are there and say nothing: what each costs must not grow with their number. */
async function crowd(url: string): Promise<Verdict[]> {
  const alone = await way('alone', url, 'legacy', 'x.echo');
  const [before = []] = await interleaved([small(alone)], REPEATS);
  const others = await Promise.all(Array.from({ length: CLIENTS }, () => way('idle', url, 'legacy', 'x.echo')));
  const [after = []] = await interleaved([small(alone)], REPEATS);
  for (const { client } of others) client.close();
  const quotient = median(after) / median(before);
  const met = quotient <= 1.15;
  const cells = ['one small call', timeText(median(before)), timeText(median(after)), quotient.toFixed(2), '≤ 1.15'];
  printTable(
    `among ${CLIENTS} clients`,
    ['', 'alone', 'among them', 'ratio', 'bar', ''],
    [[...cells, met ? 'met' : 'MISSED']],
  );
  return [{ what: `a call among ${CLIENTS} clients`, met }];
}

async function way(name: string, url: string, era: 'legacy' | 'modern', tool: string): Promise<Way> {
  const client = new HttpClient(url, era);
  await client.begin();
  await client.call(tool, { text: 'hello' });
  return { name, client, tool };
}

function small({ client, tool }: Way): Work {
  return () => client.call(tool, { text: 'hello' });
}

function script(name: string, ...args: readonly string[]): Command {
  return [process.execPath, fileURLToPath(new URL(`./${name}.js`, import.meta.url)), ...args];
}

/** Starts a program and waits for what it says; the first group of that. */
function started(
  [command, ...args]: Command,
  env: NodeJS.ProcessEnv,
  says: RegExp,
): Promise<{ readonly program: ChildProcess; readonly port: string }> {
  const program = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  return new Promise((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      text += chunk.toString();
      const port = says.exec(text)?.[1];
      if (port !== undefined) resolve({ program, port });
    };
    program.stdout.on('data', look);
    program.stderr.on('data', look);
    program.once('exit', () => reject(new Error(`${args.join(' ')} ended:\n${text}`)));
  });
}
