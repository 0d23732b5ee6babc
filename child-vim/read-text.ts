import { asFault } from '../shared/fault.js';
import type { Answer } from './protocol.js';
import type { PageText } from './remembered.js';
import type { Vim } from './vim.js';

/** Bytes asked for at once: Vim takes some milliseconds for them, in which the screen stands still. */
export const PAGE = 32 * 1024;

/** Which text is read: lines `first` (from the end if negative) to `last`, from character `column` of the first on. */
export interface Wanted {
  readonly buffer: number;
  readonly first: number;
  readonly last: number;
  readonly column?: number;
  /** The changedtick it must have. */
  readonly tick?: number | undefined;
}

/**
 * Reads at most so many pages, all of the same tick: where the buffer changes in between, what came before is the answer
 * unless a tick was given.
 * @throws Fault `stale` when the buffer is not at the tick that was given.
 */
export async function readText(vim: Vim, wanted: Wanted, pages: number, signal: AbortSignal): Promise<PageText> {
  const { buffer, last, tick } = wanted;
  const page = (from: number, column: number, at: number | undefined): Promise<Answer<'read'>> => {
    const guard = at === undefined ? {} : { tick: at };
    return vim.request('read', { buffer, first: from, last, column, bytes: PAGE, ...guard }, signal);
  };
  const { first, lines, lossy, cut, ...facts } = await page(wanted.first, wanted.column ?? 1, tick);
  const end = Math.min(last, facts.line_count);
  let next = after(first, lines, cut);
  for (let read = 1; read < pages && next.line <= end; read += 1) {
    const more = await page(next.line, next.column, facts.changedtick).catch((error: unknown) =>
      changedMeanwhile(error, tick),
    );
    if (more === undefined) break;
    append({ lines, lossy }, more, next.column > 1);
    next = after(first, lines, more.cut);
  }
  const found = { facts, first, lines, lossy, next: next.line <= end ? next : undefined };
  if ((wanted.column ?? 1) === 1) vim.remembered.read(found);
  return found;
}

/** Nothing more is read of a buffer that changed, unless the caller wants this very tick. */
function changedMeanwhile(error: unknown, tick: number | undefined): undefined {
  if (tick !== undefined || asFault(error).kind !== 'stale') throw error;
}

/** Adds a page to what was read, the first line to the last one if that was cut. */
function append(to: { lines: string[]; lossy: number[] }, page: Answer<'read'>, isCut: boolean): void {
  const [first = '', ...rest] = page.lines;
  to.lines.push(isCut ? (to.lines.pop() ?? '') + first : first, ...rest);
  for (const line of page.lossy) if (to.lossy.at(-1) !== line) to.lossy.push(line);
}

function after(first: number, lines: readonly string[], cut: number): { line: number; column: number } {
  return cut > 0 ? { line: first + lines.length - 1, column: cut } : { line: first + lines.length, column: 1 };
}
