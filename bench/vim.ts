import { execFileSync, spawnSync } from 'node:child_process';
import { type Home, makeHome } from '../test/kit/home.js';
import { eventually } from '../test/kit/until.js';
import { Vim } from '../test/kit/vim.js';
import { median, ratio, timeText } from './figures.js';
import { LeanClient } from './lean-client.js';
import { bin, type Command } from './programs.js';
import { printTable, type Verdict } from './report.js';
import { interleaved, type Work } from './rounds.js';

const LINES = Array.from({ length: 20 }, (_, line) => `line ${line + 1} of a text that somebody is writing`);
const LEAST_BYTES = LINES.join('\n').length;
const REPEATS = { warmUp: 300, rounds: 40, each: 30 };

/** A real Vim and a client that reaches it. */
interface Reader {
  readonly vim: Vim;
  readonly client: LeanClient;
  readonly read: Work;
}

/** `read-lines` of 20 lines in a real Vim, beside the same lines fetched by a bare JSON channel. */
export async function vim(): Promise<Verdict[]> {
  if (!hasVim()) {
    console.log('\nno Vim with channels here: the part vim is left out');
    return [];
  }
  const home = await makeHome();
  const readers = [
    await reader(home, 'one', bin('mcp-vim', ...brokerOptions('one')), 'read-lines'),
    await reader(home, 'two', behindHub('two'), 'vim.read-lines'),
  ];
  try {
    const bare = readers[0]?.vim.eval.bind(readers[0].vim, `getbufline('%', 1, ${LINES.length})`) as Work;
    const figures = await interleaved([bare, ...readers.map(({ read }) => read)], REPEATS);
    printTable(`vim, ${LINES.length} lines`, ['', 'time', 'ratio'], rows(figures));
  } finally {
    await Promise.all(readers.flatMap((each) => [each.vim.close(), each.client.close()]));
    await home.remove();
  }
  return [];
}

/** A pseudo-terminal for it comes from `script`. */
function hasVim(): boolean {
  const { stdout } = spawnSync('vim', ['--version'], { encoding: 'utf8' });
  return (stdout ?? '').includes('+channel') && spawnSync('script', ['--version']).status === 0;
}

function rows(figures: readonly number[][]): string[][] {
  const names = ['bare channel', 'mcp-vim', 'mcp-multibroker and mcp-vim'];
  return figures.map((each, at) => [names[at] ?? '', timeText(median(each)), ratio(each, figures[0] ?? []).toFixed(2)]);
}

/** Starts the server and a Vim with the text in it, and has them meet. */
async function reader(home: Home, name: string, server: Command, tool: string): Promise<Reader> {
  const client = new LeanClient(server, home.env);
  await client.initialize();
  const editor = await Vim.start(home);
  const buffer = await editor.buffer(LINES);
  const read = (): Promise<number> => client.call(tool, { buffer, first: 1, last: LINES.length });
  await editor.ex(`Mcp ${url(home, name)}ed`);
  await eventually('the text can be read', async () => (await read()) > LEAST_BYTES);
  return { vim: editor, client, read };
}

function brokerOptions(name: string): readonly string[] {
  return ['--stdio', '--name', name, '--auto-allow', 'read'];
}

function behindHub(name: string): Command {
  return bin('mcp-multibroker', '--stdio', 'vim', '---', 'mcp-vim', ...brokerOptions(name), '---', '--eager');
}

/** What `:Mcp` is to be given, but for the name of the editor. */
function url(home: Home, name: string): string {
  const [program, ...args] = bin('mcp-vim', '--print-url', '--name', name);
  return execFileSync(program, args, { env: home.env, encoding: 'utf8' }).trim();
}
