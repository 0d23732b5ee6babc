import { Fault } from '../shared/fault.js';
import type { Placed } from './locate.js';

/** Lines `first` to `last` give way to others; `last` is `first - 1` where lines are put in before `first`. */
export type Operation = readonly [first: number, last: number, lines: readonly string[]];

/**
 * The smallest changes that placed hunks come to: context is never written.
 * @throws Fault `unsupported` where a line would be lost that holds bytes which are no text.
 */
export function operations(placed: readonly Placed[], lossy: ReadonlySet<number>, isEmpty: boolean): Operation[] {
  const found = placed.flatMap(hunkOperations);
  checkLossless(found, lossy);
  // The one empty line that stands for an empty text gives way to the first text put in.
  return found.map((op) => (isEmpty && op[0] === 1 && op[1] === 0 ? ([1, 1, op[2]] as const) : op));
}

function hunkOperations({ hunk, at }: Placed): Operation[] {
  const found: Operation[] = [];
  let next = at;
  let removed = 0;
  let added: string[] = [];
  const flush = (): void => {
    if (removed > 0 || added.length > 0) found.push([next - removed, next - 1, added]);
    removed = 0;
    added = [];
  };
  for (const { sign, text } of hunk.lines) {
    if (sign === ' ') flush();
    if (sign !== '+') next += 1;
    if (sign === '-') removed += 1;
    if (sign === '+') added.push(text);
  }
  flush();
  return found;
}

function checkLossless(found: readonly Operation[], lossy: ReadonlySet<number>): void {
  if (lossy.size === 0) return;
  for (const [first, last, lines] of found) {
    const touched = [...lossy].find((line) => line >= first && line <= last);
    if (touched === undefined && !lines.some((line) => line.includes('\uFFFD'))) continue;
    throw new Fault('unsupported', `line ${touched ?? first} holds bytes that are no text and would be lost`, {
      next: 'Leave lines that read-lines reports as lossy as they are.',
    });
  }
}
