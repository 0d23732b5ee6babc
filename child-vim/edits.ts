import { z } from 'zod';
import { Fault } from '../shared/fault.js';
import type { Lines, Text } from './buffer-text.js';
import { nearest } from './candidates.js';
import { compare, type Point, type Position, Positions, type Unit } from './offsets.js';
import { Passage } from './search.js';
import type { Splice } from './splices.js';

/** What the schema leaves out, for it would get long; the checks say it when it matters. */
const LEAN = { minimum: undefined, exclusiveMinimum: undefined, maximum: undefined, additionalProperties: undefined };

const count = z.int().nonnegative().meta(LEAN);
const ordinal = z.int().positive().meta(LEAN);
const position = z.union([z.strictObject({ line: ordinal, column: ordinal }).meta(LEAN), count], {
  error: 'expected {line, column} or an offset',
});
const text = z.string();

/** One operation of the tool `edit`. */
export const edit = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('replace'),
      old: z.string().min(1).describe('Literal text that stands exactly once, between first and last if given'),
      new: text,
      all: z.boolean().optional().describe('Every one'),
      first: ordinal.optional(),
      last: ordinal.optional(),
    })
    .meta(LEAN),
  z
    .strictObject({ kind: z.literal('range'), start: position, end: position.describe('Not included'), text })
    .meta(LEAN),
  z.strictObject({ kind: z.literal('insert'), at: position, text }).meta(LEAN),
  z
    .strictObject({ kind: z.literal('lines'), first: ordinal, last: ordinal, text: text.describe('Empty deletes') })
    .meta(LEAN),
  z.strictObject({ kind: z.literal('insert-lines'), after: count.describe('0: at the top'), text }).meta(LEAN),
  z.strictObject({ kind: z.literal('document'), text: text.describe('The whole new text') }).meta(LEAN),
]);
export type Edit = z.infer<typeof edit>;
type Kind<K extends Edit['kind']> = Extract<Edit, { kind: K }>;

/** Reads the lines that edits concern, and no others. */
export async function loadFor(edits: readonly Edit[], lines: Text): Promise<void> {
  for (const one of edits) await lines.load(...concerned(one));
}

/** The lines that edits concern, from the first to the last. */
export function spanOf(edits: readonly Edit[]): { first: number; last: number } {
  const spans = edits.map(concerned);
  return { first: Math.min(...spans.map(([first]) => first)), last: Math.max(...spans.map(([, last]) => last)) };
}

/**
 * The splices that edits come to, all resolved against the same text.
 * @throws Fault `invalid` beginning with the edit's index when its place does not exist or is not certain.
 */
export function resolve(edits: readonly Edit[], unit: Unit, lines: Lines): Splice[] {
  const resolver = new Resolver(lines, unit);
  return edits.flatMap((one, index) => resolver.splices(one, index));
}

function concerned(one: Edit): [first: number, last: number] {
  switch (one.kind) {
    case 'replace':
      return [one.first ?? 1, one.last ?? Number.MAX_SAFE_INTEGER];
    case 'range':
      return spanned(one.start, one.end);
    case 'insert':
      return spanned(one.at, one.at);
    case 'lines':
      return [one.first - 1, one.last + 1];
    case 'insert-lines':
      return [one.after, one.after + 1];
    case 'document':
      return [1, Number.MAX_SAFE_INTEGER];
  }
}

/** An offset can only be found from the beginning of the text; the line before the end tells how lines end there. */
function spanned(start: Position, end: Position): [first: number, last: number] {
  if (typeof start === 'number' || typeof end === 'number') return [1, Number.MAX_SAFE_INTEGER];
  return [Math.min(start.line, end.line) - 1, Math.max(start.line, end.line)];
}

class Resolver {
  readonly #lines: Lines;
  readonly #positions: Positions;
  readonly #passages = new Map<string, Passage>();

  constructor(lines: Lines, unit: Unit) {
    this.#lines = lines;
    this.#positions = new Positions(lines, unit);
  }

  splices(one: Edit, index: number): Splice[] {
    const what = `operations[${index}]`;
    switch (one.kind) {
      case 'replace':
        return this.#replace(one, what).map((splice) => ({ edit: index, ...splice }));
      case 'range':
        return [{ edit: index, ...this.#range(one, what) }];
      case 'insert': {
        const at = this.#positions.point(one.at, `${what}.at`);
        return [{ edit: index, start: at, end: at, text: this.#logical(one.text, at.line, at.line) }];
      }
      case 'lines':
        this.#check(one.last, `${what}.last`);
        if (one.last < one.first) throw backwards(`${what}.last`, `${what}.first`);
        return [this.#whole(index, one.first, one.last, one.text)];
      case 'insert-lines':
        this.#check(one.after, `${what}.after`);
        return [this.#whole(index, one.after + 1, one.after, one.text)];
      case 'document':
        return [this.#whole(index, 1, this.#lines.count, one.text)];
    }
  }

  #replace({ old, new: now, all = false, first = 1, last = Number.MAX_SAFE_INTEGER }: Kind<'replace'>, what: string) {
    const passage = this.#passage(first, last);
    let sought = { old, now };
    let found = passage.find(old, all);
    if (found.length === 0 && old.includes('\r\n')) {
      sought = { old: withoutCr(old), now: withoutCr(now) };
      found = passage.find(sought.old, all);
    }
    if (found.length === 0) throw absent(sought.old, passage, what);
    if (found.length > 1 && !all) throw ambiguous(passage.points(found), what);
    const ends = passage.points(found.map((at) => at + sought.old.length));
    return passage.points(found).map((start, row) => ({ start, end: ends[row] ?? start, text: sought.now }));
  }

  #range({ start, end, text: now }: Kind<'range'>, what: string): Omit<Splice, 'edit'> {
    const from = this.#positions.point(start, `${what}.start`);
    const to = this.#positions.point(end, `${what}.end`);
    if (compare(to, from) < 0) throw backwards(`${what}.end`, `${what}.start`);
    return { start: from, end: to, text: this.#logical(now, from.line, to.line) };
  }

  /** Whole lines `first` to `last`, or before `first`, by the lines of a text. */
  #whole(index: number, first: number, last: number, now: string): Splice {
    const end = Math.min(last, this.#lines.count) + 1;
    const lines = this.#logical(now, first - 1, end);
    const whole = lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`;
    return { edit: index, start: { line: Math.min(first, end), index: 0 }, end: { line: end, index: 0 }, text: whole };
  }

  /** CRLF ends a line as LF does, unless the lines there have a CR of their own. */
  #logical(now: string, first: number, last: number): string {
    if (!now.includes('\r\n')) return now;
    for (let line = Math.max(Math.min(first, this.#lines.count), 1); line <= last; line += 1)
      if (this.#lines.line(line).endsWith('\r')) return now;
    return withoutCr(now);
  }

  #passage(first: number, last: number): Passage {
    const key = `${first}-${last}`;
    const passage = this.#passages.get(key) ?? new Passage(this.#lines, first, last);
    this.#passages.set(key, passage);
    return passage;
  }

  /** The empty text is shown as one line. */
  #check(line: number, what: string): void {
    const { count: last } = this.#lines;
    if (line > Math.max(last, 1)) throw new Fault('invalid', `${what} is beyond the end: the text has ${last} lines`);
  }
}

function absent(old: string, passage: Passage, what: string): Fault {
  const { first, lines } = passage;
  const where = lines.length === 0 ? 'there are no such lines' : `lines ${first} to ${first + lines.length - 1}`;
  const hint = nearest(old, passage, false);
  return new Fault('invalid', `${what}.old matches 0 times (${where})${hint === undefined ? '' : `; ${hint}`}`, {
    next: 'Read the lines again and copy the text exactly.',
  });
}

function ambiguous(points: readonly Point[], what: string): Fault {
  const lines = [...new Set(points.map(({ line }) => line))];
  const shown = lines.slice(0, 20).join(', ') + (lines.length > 20 ? ', …' : '');
  return new Fault('invalid', `${what}.old matches ${points.length} times, at lines ${shown}`, {
    next: 'Add text around it to old, narrow it with first and last, or set all.',
  });
}

function backwards(end: string, start: string): Fault {
  return new Fault('invalid', `${end} comes before ${start}`);
}

function withoutCr(string: string): string {
  return string.replaceAll('\r\n', '\n');
}
