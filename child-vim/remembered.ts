import type { Operation } from './operations.js';
import type { Answer } from './protocol.js';

/** Characters of the lines that are remembered. */
const MOST = 128 * 1024;

/** Lines of a buffer at one tick. */
export interface Stretch {
  readonly buffer: number;
  readonly tick: number;
  readonly first: number;
  readonly last: number;
}

/** Text as it was read. */
export interface PageText {
  readonly facts: Answer<'edit'>;
  /** Number of the first line. */
  readonly first: number;
  readonly lines: readonly string[];
  /** Numbers of lines with bytes that JSON cannot carry. */
  readonly lossy: readonly number[];
  /** Where the rest of what was wanted begins, if there is more; within the last line if the column is above 1. */
  readonly next: { readonly line: number; readonly column: number } | undefined;
}

/** Lines that were seen, whole and such as can be written back. */
type Seen = Pick<PageText, 'facts' | 'first' | 'lines'>;

/**
 * The lines of one editor that were seen last, by reading or by writing them. They are good for their tick only, and whether
 * the buffer still is at it Vim alone knows: a change that is worked out on them has to name it.
 */
export class Remembered {
  #seen: Seen | undefined;

  /** A stretch, as far as there are such lines, and what is remembered around it; none unless all of it is. */
  lines({ buffer, tick, first, last }: Stretch): Seen | undefined {
    const seen = this.#seen;
    if (seen?.facts.buffer !== buffer || seen.facts.changedtick !== tick) return undefined;
    const end = seen.first + seen.lines.length - 1;
    return Math.max(first, 1) >= seen.first && Math.min(last, seen.facts.line_count) <= end ? seen : undefined;
  }

  /** Lines were read, the first of them from its beginning. */
  read({ facts, first, lines, lossy, next }: PageText): void {
    const isCut = next !== undefined && next.column > 1;
    this.#keep(lossy.length > 0 ? undefined : { facts, first, lines: isCut ? lines.slice(0, -1) : lines });
  }

  /** Operations were carried out on the buffer at `tick`, and made it what `facts` tell. */
  changed(tick: number, operations: readonly Operation[], facts: Answer<'edit'>): void {
    const [first, last] = [operations[0]?.[0] ?? 1, operations.at(-1)?.[1] ?? 0];
    const seen = this.lines({ buffer: facts.buffer, tick, first, last });
    if (seen === undefined) return;
    const lines = changedLines(seen, operations);
    // Vim keeps an empty line where all are taken away.
    const isAll = facts.line_count - seen.facts.line_count === lines.length - seen.lines.length;
    this.#keep(isAll ? { facts, first: seen.first, lines } : undefined);
  }

  #keep(seen: Seen | undefined): void {
    let size = 0;
    for (const line of seen?.lines ?? []) size += line.length + 1;
    this.#seen = size > 0 && size <= MOST ? seen : undefined;
  }
}

function changedLines({ first: start, lines }: Seen, operations: readonly Operation[]): string[] {
  const found: string[] = [];
  let next = start;
  for (const [first, last, added] of operations) {
    for (; next < first; next += 1) found.push(lines[next - start] ?? '');
    for (const line of added) found.push(line);
    next = last + 1;
  }
  return found.concat(lines.slice(next - start));
}
