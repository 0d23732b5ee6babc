import { setTimeout as pause } from 'node:timers/promises';
import { BufferText, slice } from './buffer-text.js';
import { withNul } from './nul.js';
import { readText } from './read-text.js';
import type { Vim } from './vim.js';

/** Characters of a text that is kept; of a longer one only is known that it changed. */
const LONGEST = 4 * 1024 * 1024;
/** Lines that are read before it is looked at how much they are, and milliseconds between them for the person. */
const STEP = 400;
const GAP = 5;

/** All lines of a buffer at one tick. */
export interface WholeText {
  readonly tick: number;
  readonly lines: string[];
}

/**
 * Reads a whole text, a short one at once, else a little at a time; undefined if it is too long to be kept.
 * @throws Fault `stale` when it changes meanwhile.
 */
export async function wholeText(vim: Vim, buffer: number, signal: AbortSignal): Promise<WholeText | undefined> {
  const page = await readText(vim, { buffer, first: 1, last: Number.MAX_SAFE_INTEGER }, 1, signal);
  const { changedtick: tick, line_count: count } = page.facts;
  if (page.next === undefined) return { tick, lines: page.lines.map(withNul) };
  const text = await BufferText.open(vim, { buffer, tick, first: 1, last: 1 }, signal);
  const lines: string[] = [];
  for (let [first, size] = [1, 0]; first <= count; first += STEP) {
    await pause(GAP, undefined, { signal, ref: false });
    await text.load(first, first + STEP - 1);
    for (const line of slice(text, first, Math.min(first + STEP - 1, count))) {
      size += line.length + 1;
      lines.push(line);
    }
    if (size > LONGEST) return undefined;
  }
  return { tick, lines };
}
