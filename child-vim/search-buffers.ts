import { Fault } from '../shared/fault.js';
import type { Editor } from './editor.js';
import type { Answer } from './protocol.js';

/** What is looked for, and where. */
export interface Wanted {
  /** A Vim regular expression. */
  readonly pattern: string;
  /** A buffer, or 0 for all listed and loaded ones. */
  readonly buffer: number;
  readonly first: number;
  readonly last: number;
  /** So many matches are passed over, then so many taken. */
  readonly offset: number;
  readonly limit: number;
}

type Buffer = Answer<'grep'>['buffers'][number] & { changed?: boolean };

/** What a search found. */
export interface Found {
  /** The buffers looked at; `changed` while that was done. */
  readonly buffers: readonly Buffer[];
  readonly matches: Answer<'grep'>['matches'];
  /** Matches counted. */
  readonly count: number;
  /** Whether those are all there are. */
  readonly isComplete: boolean;
}

/** Slices spent on counting when there are enough matches: most of a second. */
const COUNTING = 40;

/** Searches slice by slice; in between Vim serves the person. */
export async function search(editor: Editor, wanted: Wanted, signal: AbortSignal): Promise<Found> {
  const { offset, limit, ...params } = wanted;
  const buffers = new Map<number, Buffer>();
  const matches: Answer<'grep'>['matches'] = [];
  let count = 0;
  let at: Answer<'grep'>['at'] = {};
  let spare = COUNTING;
  do {
    const rest = { skip: Math.max(0, offset - count), limit: limit - matches.length };
    const slice = await editor.request('grep', { ...params, ...rest, at }, signal);
    for (const seen of slice.buffers) note(buffers, seen);
    matches.push(...slice.matches);
    count += slice.count;
    at = slice.at;
    if (matches.length === limit) spare -= 1;
  } while (isOpen(at) && spare > 0);
  return { buffers: [...buffers.values()], matches, count, isComplete: !isOpen(at) };
}

function isOpen(at: Answer<'grep'>['at']): boolean {
  return at['buffer'] !== undefined;
}

/** A buffer keeps the tick at which it was looked at first. */
function note(buffers: Map<number, Buffer>, seen: Buffer): void {
  const before = buffers.get(seen.buffer);
  if (before === undefined) buffers.set(seen.buffer, seen);
  else if (before.changedtick !== seen.changedtick) before.changed = true;
}

/** More repeated items than this make Vim's pattern compiler take all memory. */
const MOST_REPEATED = 100_000;

/**
 * The pattern for Vim, whatever the person's options: 'magic', and case as told (a `\c` in the pattern still counts).
 * @throws Fault `invalid` for counts that multiply beyond what Vim can hold.
 */
export function vimPattern(pattern: string, isLiteral: boolean, ignoresCase: boolean): string {
  const flag = ignoresCase ? '\\c' : '\\C';
  if (isLiteral) return `${flag}\\V${pattern.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`;
  let repeated = 1;
  for (const [, counts = ''] of pattern.matchAll(/\{-?([\d,]+)/g))
    repeated *= Math.max(1, ...counts.split(',').map(Number));
  if (repeated > MOST_REPEATED) throw tooLarge(repeated);
  // The choice of an engine has to stay in front, `:help two-engines`.
  const [engine = ''] = /^\\%#=[0-2]/.exec(pattern) ?? [];
  return `${engine}${flag}\\m${pattern.slice(engine.length)}`;
}

function tooLarge(repeated: number): Fault {
  return new Fault('invalid', `the counts of the pattern come to ${repeated} items, more than ${MOST_REPEATED}`, {
    next: 'Use smaller counts, or * and \\+.',
  });
}
