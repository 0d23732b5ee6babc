import { makeHome } from '../test/kit/home.js';
import { eventually } from '../test/kit/until.js';
import { Vim } from '../test/kit/vim.js';
import { median, ratio, timeText } from './figures.js';
import { LeanClient } from './lean-client.js';
import { bin } from './programs.js';
import { printTable, type Verdict } from './report.js';
import { interleaved, type Work } from './rounds.js';
import { hasVim } from './vim.js';

const LINES = 100_000;
const TYPED = 'Some words that somebody types in a row.\r';
const TYPING = { warmUp: 20, rounds: 15, each: 20 };
const SUBSTITUTING = { warmUp: 2, rounds: 9, each: 2 };
/** How many times as long a `:%s` may take, and typing, in a buffer that is followed. */
const BARS = { substituting: 2, typing: 1.5 };

/** What it costs the person that a buffer is followed. */
export async function feed(): Promise<Verdict[]> {
  if (!hasVim()) {
    console.log('\nno Vim with channels here: the part feed is left out');
    return [];
  }
  const home = await makeHome();
  const client = new LeanClient(bin('mcp-vim', '--stdio'), home.env);
  await client.initialize();
  const plain = await Vim.start(home);
  const followed = await Vim.start(home);
  try {
    await followed.ex('Mcp ed');
    await eventually('Vim is connected', () => client.call('state', {}));
    return await measured(plain, followed, client);
  } finally {
    await Promise.all([plain.close(), followed.close(), client.close()]);
    await home.remove();
  }
}

async function measured(plain: Vim, followed: Vim, client: LeanClient): Promise<Verdict[]> {
  const both = [plain, followed];
  for (const vim of both) await vim.buffer(['one']);
  const known = async (): Promise<void> => {
    await client.call('watch', { buffer: await followed.eval('bufnr()'), timeout_ms: 0 });
  };
  await known();
  for (const vim of both) vim.type('i');
  const typing = await interleaved(
    both.map(
      (vim): Work =>
        () =>
          vim.typed(TYPED),
    ),
    TYPING,
  );
  for (const vim of both) {
    await vim.typed('\x1b');
    await vim.buffer(Array.from({ length: 1000 }, (_, line) => `line ${line} of a text`));
    await vim.ex(`%y | while line("$") < ${LINES} | $put | endwhile | ${LINES + 1},$d | set undolevels=-1`);
  }
  await known();
  const works = both.map((vim): Work => {
    const work = (): Promise<unknown> =>
      vim.ex('silent %s/[lL]ine/\\=submatch(0) ==# "line" ? "Line" : "line"/ | redraw');
    return vim === followed ? Object.assign(work, { before: known }) : work;
  });
  const substituting = await interleaved(works, SUBSTITUTING);
  return [told('40 keys', typing, BARS.typing), told(`:%s on ${LINES} lines`, substituting, BARS.substituting)];
}

/** A row of its own table, for the two are not alike. */
function told(what: string, [plain = [], followed = []]: readonly number[][], bar: number): Verdict {
  const times = ratio(followed, plain);
  const met = times < bar;
  const row = [what, timeText(median(plain)), timeText(median(followed)), times.toFixed(2), `< ${bar}`];
  printTable(
    'a buffer that is followed',
    ['', 'not', 'followed', 'times', 'bar', ''],
    [[...row, met ? 'met' : 'MISSED']],
  );
  return { what: `feed, ${what}`, met };
}
