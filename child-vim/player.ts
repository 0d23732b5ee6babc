import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Fault } from '../shared/fault.js';
import type { Caret } from './caret.js';
import { withNul } from './nul.js';
import type { Answer } from './protocol.js';
import { runScript } from './scripted.js';
import { Turns } from './turns.js';

/** Milliseconds that keys may take, and that others may take before them. */
const PATIENCE = 5000;
const QUEUE = 30_000;
/** Characters of registers that are kept from one call to the next. */
const MOST_KEPT = 256 * 1024;

/** Neither programs can be run (-Z) nor files written (-m). */
const ARGS = ['-Z', '-m'];

const place = z.object({ line: z.number(), column: z.number() });
const kept = z.record(z.string(), z.unknown());
/** Registers and patterns, as `vim/autoload/mcp/play.vim` gives and takes them. */
export type Kept = z.infer<typeof kept>;

const outcome = z.object({
  view: place.extend({
    want: z.number(),
    topline: z.number(),
    anchor: place.extend({ mode: z.string() }).optional(),
  }),
  mode: z.string(),
  unfinished: z.boolean(),
  /** Keys that a command stood before, which was not run, and what it would have done. */
  refused: z.string().optional(),
  effect: z.string().optional(),
  /** Keys from the command on that failed, and what Vim said. */
  stopped: z.string().optional(),
  error: z.string().optional(),
  /** Lines that gave way to others. */
  first: z.number().optional(),
  last: z.number().optional(),
  lines: z.array(z.string()).optional(),
  kept,
  screen: z.array(z.string()),
  cursor: z.object({ row: z.number(), column: z.number() }),
  shown: z.tuple([z.number(), z.number()]),
});
/** What came of keys. */
export type Played = z.infer<typeof outcome>;

/** A text, where somebody is in it, and what they play there. */
interface Score extends Answer<'keymap'> {
  readonly lines: readonly string[];
  readonly rows: number;
  readonly columns: number;
  readonly view: Caret;
  readonly kept: Kept;
  /** In Vim's notation. */
  readonly keys: string;
}

const turns = new Turns();

/**
 * Plays keys in a Vim that is started for that, one at a time: nothing of the person's is in reach, and it can be ended.
 * @throws Fault `timeout` when they take too long, `unsupported` without a Vim.
 */
export function play(score: Score, signal: AbortSignal): Promise<Played> {
  return turns.take(() => inFolder(score, signal), signal, QUEUE);
}

async function inFolder(score: Score, signal: AbortSignal): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-play-'));
  try {
    const [given, out] = [join(folder, 'in'), join(folder, 'out')];
    // In memory Vim keeps a NUL as a newline.
    const lines = score.lines.map((line) => line.replaceAll('\0', '\n'));
    await writeFile(given, JSON.stringify({ ...score, lines }), { mode: 0o600 });
    const { lines: now, ...played } = outcome.parse(JSON.parse(await inVim(given, out, signal)));
    const isLong = JSON.stringify(played.kept).length > MOST_KEPT;
    return { ...played, ...(isLong ? { kept: {} } : {}), ...(now === undefined ? {} : { lines: now.map(withNul) }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What came of it, as JSON. */
async function inVim(given: string, out: string, signal: AbortSignal): Promise<string> {
  const variables = { MCP_PLAY: given, MCP_PLAY_OUT: out };
  const script = { main: 'mcp#play#Main', args: ARGS, variables, out, patience: PATIENCE };
  const { isDone, isLate, said } = await runScript(script, signal);
  if (isLate) throw new Fault('timeout', `nothing was done: the keys took longer than ${PATIENCE / 1000} s`);
  if (said === undefined) {
    throw new Fault('unsupported', 'the Vim beside mcp-vim plays no keys', {
      next: 'Install Vim 9 with all features.',
    });
  }
  if (!isDone) throw new Fault('bug', `Vim could not play the keys: ${said.trim().slice(0, 500)}`);
  return said;
}
