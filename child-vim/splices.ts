import { Fault } from '../shared/fault.js';
import { type Lines, slice, type Text } from './buffer-text.js';
import { compare, type Point } from './offsets.js';
import { difference, joined, type Operation } from './operations.js';

/** Text from `start` up to `end` gives way to other text. */
export interface Splice {
  /** Which of the edits asked for it is of, from 0. */
  readonly edit: number;
  readonly start: Point;
  readonly end: Point;
  readonly text: string;
}

/** Where the outcome of an edit stands: lines in the new text. `last` is `first - 1` where nothing is left. */
export interface Outcome {
  readonly first: number;
  readonly last: number;
  /** How many places were changed. */
  readonly count: number;
}

/**
 * The splices in the order of the text.
 * @throws Fault `invalid` naming two that overlap or begin at the same place, for which no order would be certain.
 */
export function inOrder(splices: readonly Splice[]): Splice[] {
  const sorted = splices.toSorted((a, b) => compare(a.start, b.start) || compare(a.end, b.end));
  for (const [index, b] of sorted.entries()) {
    const a = sorted[index - 1];
    if (a === undefined || (compare(b.start, a.end) >= 0 && compare(b.start, a.start) > 0)) continue;
    const [one, other] = [a.edit, b.edit].toSorted((x, y) => x - y);
    const how = compare(a.start, b.start) === 0 ? 'begin at the same place' : 'overlap';
    throw new Fault('invalid', `operations[${one}] and operations[${other}] ${how}, at line ${b.start.line}`, {
      next: 'All operations refer to the same text. Make one operation of the two.',
    });
  }
  return sorted;
}

/** Reads the lines that splices touch, and where they end. */
export async function loadAround(splices: readonly Splice[], text: Text): Promise<void> {
  for (const { start, end } of splices) await text.load(start.line, end.line);
}

/** The changes of whole lines that splices in order come to. A newline missing at the end of the text is put there. */
export function lineOperations(splices: readonly Splice[], lines: Lines): Operation[] {
  return joined(groups(splices).flatMap((group) => groupOperations(group, lines)));
}

/** Where each of `count` edits ended up, from their splices in order. */
export function outcomes(splices: readonly Splice[], count: number): Outcome[] {
  const found: (Outcome | undefined)[] = Array.from({ length: count });
  let shift = 0;
  for (const { edit, start, end, text } of splices) {
    const grown = newlines(text);
    const first = start.line + shift;
    // Where the new text ends before a line that was not touched, that line is not of the outcome.
    const isWhole = end.index === 0 && (text === '' ? start.index === 0 : text.endsWith('\n'));
    const last = first + grown - (isWhole ? 1 : 0);
    const before = found[edit];
    found[edit] = { first: before?.first ?? first, last, count: (before?.count ?? 0) + 1 };
    shift += grown - (end.line - start.line);
  }
  return found.map((outcome) => outcome ?? { first: 1, last: 0, count: 0 });
}

/** Splices that share a line stay together. */
function groups(splices: readonly Splice[]): Splice[][] {
  const found: Splice[][] = [];
  let end = 0;
  for (const splice of splices) {
    if (splice.start.line > end) found.push([]);
    found.at(-1)?.push(splice);
    end = splice.end.line;
  }
  return found;
}

function groupOperations(group: readonly Splice[], lines: Lines): Operation[] {
  const from = group[0]?.start.line ?? 1;
  let at: Point = { line: from, index: 0 };
  let text = '';
  for (const { start, end, text: added } of group) {
    text += between(lines, at, start) + added;
    at = end;
  }
  const isWhole = at.index === 0 && (text === '' || text.endsWith('\n'));
  const old = slice(lines, from, at.line);
  const now = (text + lines.line(at.line).slice(at.index)).split('\n');
  // The last line was only needed for its beginning, or is the end of the text, which is no line.
  if (isWhole) now.pop();
  if (isWhole || at.line > lines.count) old.pop();
  return difference(from, old, now);
}

function between(lines: Lines, from: Point, to: Point): string {
  if (from.line === to.line) return lines.line(from.line).slice(from.index, to.index);
  const middle = slice(lines, from.line, to.line - 1)
    .join('\n')
    .slice(from.index);
  return `${middle}\n${lines.line(to.line).slice(0, to.index)}`;
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
