import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { Fault } from '../shared/fault.js';
import { inherited } from '../shared/inherited.js';
import type { Caret } from './caret.js';
import { withNul } from './nul.js';
import type { Answer } from './protocol.js';
import { Turns } from './turns.js';

/** The plugin, which plays, beside the bundle or the build. */
const PLUGIN = resolve(import.meta.dirname, '../../vim');
/** Milliseconds that keys may take, and that others may take before them. */
const PATIENCE = 5000;
const QUEUE = 30_000;
/** Characters of registers that are kept from one call to the next. */
const MOST_KEPT = 256 * 1024;

/**
 * A Vim that can neither write files (-m) nor run programs (-Z) and reads nothing of the person's. What comes from outside comes
 * by the environment.
 */
const ARGS = ['-Z', '-m', '-u', 'NONE', '-i', 'NONE', '-N', '-n', '--not-a-term', '-T', 'xterm'];
const SETUP = ['--cmd', 'set encoding=utf-8', '--cmd', 'let &runtimepath = $MCP_PLUGIN', '-c', 'call mcp#play#Main()'];

const NEEDED = 'Install Vim 9 with all features.';

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
    await inVim({ MCP_PLAY: given, MCP_PLAY_OUT: out }, signal);
    const { lines: now, ...played } = outcome.parse(JSON.parse(await readFile(out, 'utf8')));
    const isLong = JSON.stringify(played.kept).length > MOST_KEPT;
    return { ...played, ...(isLong ? { kept: {} } : {}), ...(now === undefined ? {} : { lines: now.map(withNul) }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function inVim(variables: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
  const child = spawn('vim', [...ARGS, ...SETUP], {
    env: inherited({ ...variables, MCP_PLUGIN: PLUGIN }),
    stdio: 'ignore',
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
    signal,
  });
  const [status, ended] = (await once(child, 'close').catch((error: unknown) => {
    if (signal.aborted) throw new Fault('cancelled', 'the request was cancelled');
    throw new Fault('unsupported', `no Vim to play keys in: ${String(error)}`, { next: NEEDED });
  })) as [number | null, string | null];
  if (status === 0) return;
  if (ended !== null) throw new Fault('timeout', `nothing was done: the keys took longer than ${PATIENCE / 1000} s`);
  const said = await readFile(variables['MCP_PLAY_OUT'] ?? '', 'utf8').catch(() => undefined);
  if (said === undefined) throw new Fault('unsupported', 'the Vim beside mcp-vim plays no keys', { next: NEEDED });
  throw new Fault('bug', `Vim could not play the keys: ${said.trim().slice(0, 500)}`);
}
