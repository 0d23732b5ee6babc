import { diffArrays } from 'diff';
import { Fault } from '../shared/fault.js';

/** Lines `first` to `last` give way to others; `last` is `first - 1` where lines are put in before `first`. */
export type Operation = readonly [first: number, last: number, lines: readonly string[]];

/** Lines that a comparison lets differ before it takes all of them for changed; its time grows with the square. */
const MOST_DIFFERENT = 1_000;

/** The smallest changes that make `now` of `old`, which begins at line `first`: what stays is never written. */
export function difference(first: number, old: readonly string[], now: readonly string[]): Operation[] {
  if (old.length <= 1 && now.length <= 1) return old[0] === now[0] ? [] : [[first, first + old.length - 1, now]];
  const parts = diffArrays([...old], [...now], { maxEditLength: MOST_DIFFERENT });
  if (parts === undefined) return [between(first, old, now)];
  const found: Operation[] = [];
  let next = first;
  let removed = 0;
  let added: readonly string[] = [];
  const flush = (): void => {
    if (removed > 0 || added.length > 0) found.push([next - removed, next - 1, added]);
    removed = 0;
    added = [];
  };
  for (const part of parts) {
    if (part.added) added = part.value;
    else if (part.removed) removed = part.count;
    else flush();
    if (!part.added) next += part.count;
  }
  flush();
  return found;
}

/** All between the lines that are the same at both ends. */
export function between(first: number, old: readonly string[], now: readonly string[]): Operation {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [first + head, first + old.length - tail - 1, now.slice(head, now.length - tail)];
}

/** The same with neighbours in one, where that keeps each line where it is: thousands of calls would stop the screen. */
export function joined(operations: readonly Operation[]): Operation[] {
  const found: { first: number; last: number; lines: string[] }[] = [];
  for (const [first, last, lines] of operations) {
    const before = found.at(-1);
    if (before?.last === first - 1 && before.lines.length === before.last - before.first + 1) {
      before.last = last;
      for (const line of lines) before.lines.push(line);
    } else found.push({ first, last, lines: [...lines] });
  }
  return found.map(({ first, last, lines }) => [first, last, lines]);
}

/** How many lines operations add and remove. */
export function totals(operations: readonly Operation[]): { added: number; removed: number } {
  return {
    added: operations.reduce((sum, [, , lines]) => sum + lines.length, 0),
    removed: operations.reduce((sum, [first, last]) => sum + last - first + 1, 0),
  };
}

/** The lines of a text, and the numbers of those that hold bytes that are no text. */
interface Held {
  line(number: number): string;
  readonly lossy: ReadonlySet<number>;
}

/**
 * @throws Fault `unsupported` where a line would be lost, or written, that cannot cross the channel as it is: with a NUL,
 * or with bytes that are no text.
 */
export function checkKept(operations: readonly Operation[], text: Held): void {
  for (const [first, last, lines] of operations) {
    for (let number = first; number <= last; number += 1) {
      if (text.lossy.has(number)) throw kept(`line ${number} holds bytes that are no text and would be lost`);
      if (text.line(number).includes('\0')) throw kept(`line ${number} holds a NUL and would be lost`);
    }
    // What a lossy line was read as must not be written beside it.
    if (text.lossy.size > 0 && lines.some((line) => line.includes('\uFFFD'))) {
      throw kept(`the text for line ${first} holds U+FFFD, which stands for bytes that are no text and would be lost`);
    }
  }
}

function kept(message: string): Fault {
  return new Fault('unsupported', message, {
    next: 'Leave lines with a NUL, or that read-lines reports as lossy, as they are.',
  });
}
