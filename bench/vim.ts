import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Home, makeHome } from '../test/kit/home.js';
import { eventually } from '../test/kit/until.js';
import { Vim } from '../test/kit/vim.js';
import { median, timeText } from './figures.js';
import { LeanClient } from './lean-client.js';
import { peers, type Trio } from './peers.js';
import { bin, type Command } from './programs.js';
import { printTable, type Verdict } from './report.js';
import { interleaved, type Work } from './rounds.js';

const LINES = Array.from({ length: 20 }, (_, line) => `line ${line + 1} of a text that somebody is writing`);
const REPEATS = { warmUp: 1500, rounds: 30, each: 20 };
const RESTED = { warmUp: 3, rounds: 9, each: 5 };
/** One of the others waits half a second in each edit. */
const PEER_REPEATS = { warmUp: 2, rounds: 5, each: 3 };
/** Milliseconds that a call may take above a round trip on the bare channel. */
const BAR = 1;

type Args = Readonly<Record<string, unknown>>;

/** A call as it is made, beside what a bare channel would be asked for the like. */
interface Case {
  readonly name: string;
  readonly tool: string;
  readonly bare: string;
  readonly args: (buffer: number) => Args;
  /** Arguments of each call that hang on the buffer as it is then. */
  readonly fresh?: (tick: number, turn: boolean) => Args;
  /** Milliseconds before each call in which nothing happens, as between two calls of a model; then there is no bar. */
  readonly rest?: number;
}

/** One line changes to and fro. */
const change = (turn: boolean): readonly [string, string] => (turn ? ['new', LINES[0] ?? ''] : [LINES[0] ?? '', 'new']);

const EDIT: Case = {
  name: 'edit, one line',
  tool: 'edit',
  bare: `setline(1, '${LINES[0]}')`,
  args: (buffer) => ({ buffer }),
  fresh: (tick, turn) => ({
    expected_changedtick: tick,
    operations: [{ kind: 'lines', first: 1, last: 1, text: change(turn)[1] }],
  }),
};

const CASES: readonly Case[] = [
  { name: 'state', tool: 'state', bare: 'getbufinfo(bufnr())', args: (buffer) => ({ buffer }) },
  {
    name: 'read-lines, 20 lines',
    tool: 'read-lines',
    bare: `getbufline('%', 1, ${LINES.length})`,
    args: (buffer) => ({ buffer, first: 1, last: LINES.length }),
  },
  {
    name: 'grep, one line of 20',
    tool: 'grep',
    bare: `match(getbufline('%', 1, '$'), 'line 20')`,
    args: (buffer) => ({ buffer, pattern: 'line 20' }),
  },
  {
    name: 'apply-diff, one line',
    tool: 'apply-diff',
    bare: `setline(1, '${LINES[0]}')`,
    args: (buffer) => ({ buffer }),
    fresh: (tick, turn) => {
      const [from, to] = change(turn);
      return { expected_changedtick: tick, diff: `@@ -1,1 +1,1 @@\n-${from}\n+${to}\n` };
    },
  },
  EDIT,
  { ...EDIT, name: 'the same after a rest', rest: 300 },
];

/** A real Vim and a client that reaches it. */
interface Pair {
  readonly vim: Vim;
  readonly client: LeanClient;
  readonly buffer: number;
  readonly prefix: string;
}

/** Calls of `mcp-vim`, directly and behind the hub, beside a bare JSON channel; then other servers for editors. */
export async function vim(): Promise<Verdict[]> {
  if (!hasVim()) {
    console.log('\nno Vim with channels here: the part vim is left out');
    return [];
  }
  const home = await makeHome();
  const pairs = [
    await pair(home, 'one', bin('mcp-vim', ...brokerOptions('one')), ''),
    await pair(home, 'two', behindHub('two'), 'vim.'),
  ];
  const verdicts: Verdict[] = [];
  try {
    const rows: string[][] = [];
    for (const each of CASES) {
      const found = await measured(each, pairs, verdicts);
      if (found !== undefined) rows.push(found);
    }
    printTable('vim', ['', 'bare channel', 'mcp-vim', 'above', 'bar', '', 'behind the hub', 'above'], rows);
    await besidePeers(home, pairs[0]);
  } finally {
    await Promise.all(pairs.flatMap((each) => [each.vim.close(), each.client.close()]));
    await home.remove();
  }
  return verdicts;
}

/** The same three things of other servers for editors, each with an editor of its own. */
async function besidePeers(home: Home, own: Pair | undefined): Promise<void> {
  const others = await peers(home, LINES);
  const [state, read] = CASES;
  if (own === undefined || others.length === 0 || !state || !read) return;
  try {
    const ours: Trio = { name: 'mcp-vim', state: call(state, own), read: call(read, own), edit: call(EDIT, own) };
    const all = [ours, ...others];
    const columns: number[][] = [];
    for (const part of ['state', 'read', 'edit'] as const) {
      const figures = await interleaved(
        all.map((each) => each[part]),
        PEER_REPEATS,
      );
      columns.push(figures.map(median));
    }
    const rows = all.map(({ name }, at) => [name, ...columns.map((figures) => timeText(figures[at] ?? Number.NaN))]);
    printTable('other servers, one call', ['', 'state', 'read 20 lines', 'edit one line'], rows);
  } finally {
    await Promise.all(others.map((each) => each.close()));
  }
}

/** A row; none where the tool is not there, or does not do what is asked. */
async function measured(each: Case, pairs: readonly Pair[], verdicts: Verdict[]): Promise<string[] | undefined> {
  const [first] = pairs;
  if (first === undefined) return undefined;
  const works = pairs.map((one) => call(each, one));
  try {
    for (const work of works) {
      await work.before?.();
      await work();
    }
  } catch (error) {
    console.log(`\n${each.name} is left out, ${each.tool} is not offered or refuses: ${String(error)}`);
    return undefined;
  }
  const { rest } = each;
  const asked = (): Promise<unknown> => first.vim.eval(each.bare);
  const rested: Work = Object.assign(() => asked(), { before: () => sleep(rest) });
  const base = rest === undefined ? asked : rested;
  const [bare = [], ours = [], hub = []] = await interleaved([base, ...works], rest === undefined ? REPEATS : RESTED);
  const [above, hubAbove] = [difference(ours, bare), difference(hub, bare)];
  const met = above < BAR;
  if (rest === undefined) verdicts.push({ what: `vim, ${each.name}`, met });
  const times = [bare, ours].map((figures) => timeText(median(figures)));
  const verdict = rest === undefined ? [`< ${timeText(BAR)}`, met ? 'met' : 'MISSED'] : ['', ''];
  return [each.name, ...times, timeText(above), ...verdict, timeText(median(hub)), timeText(hubAbove)];
}

/** The median of the differences of each round: a slow spell of the machine falls on both. */
function difference(figures: readonly number[], base: readonly number[]): number {
  return median(figures.map((figure, round) => figure - (base[round] ?? Number.NaN)));
}

function call({ tool, args, fresh, rest }: Case, { vim: editor, client, buffer, prefix }: Pair): Work {
  let more: Args = {};
  let turn = false;
  const work = (): Promise<unknown> => client.call(prefix + tool, { ...args(buffer), ...more });
  if (fresh === undefined) return work;
  const before = async (): Promise<void> => {
    turn = (await editor.eval(`getbufline(${buffer}, 1)[0]`)) !== LINES[0];
    more = fresh(await editor.tick(buffer), turn);
    if (rest !== undefined) await sleep(rest);
  };
  return Object.assign(work, { before });
}

/** A pseudo-terminal for it comes from `script`. */
export function hasVim(): boolean {
  const { stdout } = spawnSync('vim', ['--version'], { encoding: 'utf8' });
  return (stdout ?? '').includes('+channel') && spawnSync('script', ['--version']).status === 0;
}

/** Starts the server and a Vim with the text in it, and has them meet. */
async function pair(home: Home, name: string, server: Command, prefix: string): Promise<Pair> {
  const client = new LeanClient(server, home.env);
  await client.initialize();
  const editor = await Vim.start(home);
  const buffer = await editor.buffer(LINES);
  await editor.ex(`Mcp ${url(home, name)}ed`);
  await eventually('the text can be read', () => client.call(`${prefix}read-lines`, { buffer }));
  return { vim: editor, client, buffer, prefix };
}

function brokerOptions(name: string): readonly string[] {
  return ['--stdio', '--name', name, '--auto-allow', 'read,write'];
}

function behindHub(name: string): Command {
  return bin('mcp-multibroker', '--stdio', 'vim', '---', 'mcp-vim', ...brokerOptions(name), '---', '--eager');
}

/** What `:Mcp` is to be given, but for the name of the editor. */
function url(home: Home, name: string): string {
  const [program, ...args] = bin('mcp-vim', '--print-url', '--name', name);
  return execFileSync(program, args, { env: home.env, encoding: 'utf8' }).trim();
}
