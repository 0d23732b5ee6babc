import { makeHome } from '../test/kit/home.js';
import { eventually } from '../test/kit/until.js';
import { Vim } from '../test/kit/vim.js';
import { LeanClient } from './lean-client.js';
import { residentMemory } from './memory.js';
import { bin } from './programs.js';
import { printTable, type Verdict } from './report.js';
import { hasVim } from './vim.js';

const LINES = 400;
/** Edits after which memory is looked at; from the first but one on it must not grow. */
const LOOKS = [1000, 5000, 10_000, 20_000];
const SETTLED = 5000;
/** How many times as much it may be in the end. */
const BAR = 1.25;

/** The memory of `mcp-vim` and of Vim over a long session, in which a client and a person edit one text by turns. */
export async function long(): Promise<Verdict[]> {
  if (!hasVim()) {
    console.log('\nno Vim with channels here: the part long is left out');
    return [];
  }
  const home = await makeHome();
  const client = new LeanClient(bin('mcp-vim', '--stdio', '--auto-allow', 'write'), home.env);
  await client.initialize();
  const vim = await Vim.start(home);
  try {
    await vim.ex('Mcp ed');
    await eventually('Vim is connected', () => client.call('state', {}));
    return await edited(client, vim);
  } finally {
    await Promise.all([vim.close(), client.close()]);
    await home.remove();
  }
}

async function edited(client: LeanClient, vim: Vim): Promise<Verdict[]> {
  const buffer = await vim.buffer(Array.from({ length: LINES }, (_, line) => `line ${line} of a text`));
  await client.call('watch', { buffer, timeout_ms: 0 });
  const found: { readonly edits: number; readonly memory: readonly [mcpVim: number, vim: number] }[] = [];
  for (let edits = 1; edits <= Math.max(...LOOKS); edits += 1) {
    await (edits % 2 === 0 ? byClient(client, vim, buffer, edits) : byPerson(vim, edits));
    if (LOOKS.includes(edits)) found.push({ edits, memory: [residentMemory(client.pid), residentMemory(vim.pid)] });
  }
  const settled = found.find(({ edits }) => edits === SETTLED)?.memory ?? [Number.NaN, Number.NaN];
  const verdicts = (['mcp-vim', 'Vim'] as const).map((who, at) => {
    const last = found.at(-1)?.memory[at] ?? Number.NaN;
    return { what: `long, memory of ${who}`, met: last < (settled[at] ?? Number.NaN) * BAR };
  });
  const rows = found.map(({ edits, memory }) => [`after ${edits} edits`, ...memory.map((mb) => `${mb.toFixed(0)} MB`)]);
  const told = verdicts.map(({ met }) => (met ? 'met' : 'MISSED'));
  printTable('a long session, memory', ['', 'mcp-vim', 'Vim'], [...rows, [`at the end < ${BAR} times`, ...told]]);
  return verdicts;
}

async function byClient(client: LeanClient, vim: Vim, buffer: number, edits: number): Promise<void> {
  const line = 1 + (edits % LINES);
  const operations = [{ kind: 'lines', first: line, last: line, text: `edit ${edits} of a client in line ${line}` }];
  await client.call('edit', { buffer, expected_changedtick: await vim.tick(buffer), operations });
}

async function byPerson(vim: Vim, edits: number): Promise<void> {
  const line = 1 + ((edits * 7) % LINES);
  await vim.typed(`${line}GSedit ${edits} of the person\x1b`);
}
