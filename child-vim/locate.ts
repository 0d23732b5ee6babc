import { Fault } from '../shared/fault.js';
import type { BufferText } from './buffer-text.js';
import type { Hunk } from './patch.js';

/** What is read of the text. */
type Text = Pick<BufferText, 'facts' | 'range' | 'all'>;

/** Where a hunk applies. */
export interface Placed {
  readonly hunk: Hunk;
  /** First line of its old text in the buffer. */
  readonly at: number;
}

/**
 * Finds the place of each hunk, in order: where it says, moved by what the one before was off, else the nearest place
 * where the old text stands exactly. Never with a part of the context left out.
 * @throws Fault `invalid` telling what the buffer has instead.
 */
export async function locate(hunks: readonly Hunk[], text: Text): Promise<Placed[]> {
  const placed: Placed[] = [];
  let drift = 0;
  let free = 1;
  for (const hunk of hunks) {
    const at = await place(hunk, Math.max(hunk.first + drift, free), free, text);
    placed.push({ hunk, at });
    drift = at - hunk.first;
    free = at + oldText(hunk).length;
  }
  return placed;
}

/** What a hunk expects to find. */
function oldText({ lines }: Hunk): string[] {
  return lines.filter(({ sign }) => sign !== '+').map((line) => line.text);
}

async function place(hunk: Hunk, wanted: number, free: number, text: Text): Promise<number> {
  const old = oldText(hunk);
  const there = await text.range(wanted, wanted + old.length - 1);
  const count = text.facts?.line_count ?? 0;
  if (old.length === 0 && wanted <= count + 1) return wanted;
  if (old.length > 0 && matches(old, there, 0)) return wanted;
  const found = old.length === 0 ? undefined : nearest(old, await text.all(), wanted, free);
  if (found === undefined) throw mismatch(hunk, old, there, wanted);
  return found;
}

function matches(old: readonly string[], lines: readonly string[], from: number): boolean {
  return old.every((line, index) => lines[from + index] === line);
}

function nearest(old: readonly string[], lines: readonly string[], wanted: number, free: number): number | undefined {
  const last = lines.length - old.length + 1;
  for (let off = 1; wanted + off <= last || wanted - off >= free; off += 1) {
    if (wanted + off <= last && matches(old, lines, wanted + off - 1)) return wanted + off;
    const before = wanted - off;
    if (before >= free && before <= last && matches(old, lines, before - 1)) return before;
  }
  return undefined;
}

function mismatch(hunk: Hunk, old: readonly string[], there: readonly string[], wanted: number): Fault {
  const index = old.findIndex((line, number) => there[number] !== line);
  const has = there[index];
  const difference =
    index === -1
      ? 'it begins beyond the end of the buffer'
      : `line ${wanted + index} is ${has === undefined ? 'missing' : quoted(has)} where the diff has ${quoted(old[index] ?? '')}`;
  return new Fault('invalid', `${hunk.header} matches nowhere in the buffer: ${difference}`, {
    next: 'Read these lines again and make the diff from them.',
  });
}

function quoted(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}
