import { Fault } from '../shared/fault.js';
import type { Lines } from './buffer-text.js';

/** What columns and offsets count: code points, UTF-16 code units, or bytes of UTF-8. A tab is one, whatever it shows. */
export const UNITS = ['char', 'utf16', 'byte'] as const;
export type Unit = (typeof UNITS)[number];

/**
 * A place between two characters: line and column, both from 1, or an offset from 0 into the text, see {@link Lines}.
 * The column after the last one is the end of the line; column 1 of the line after the last one is the end of the text.
 */
export type Position = number | { readonly line: number; readonly column: number };

/** The same as line from 1 and index into it as a string, from 0. */
export interface Point {
  readonly line: number;
  readonly index: number;
}

/** Negative if `a` comes before `b`, 0 if they are the same. */
export function compare(a: Point, b: Point): number {
  return a.line - b.line || a.index - b.index;
}

/** How long a text is. */
export function measure(text: string, unit: Unit): number {
  if (unit === 'utf16') return text.length;
  if (unit === 'byte') return Buffer.byteLength(text);
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** Finds positions in a text of which the lines are there that they name, or for offsets all. */
export class Positions {
  readonly #lines: Lines;
  readonly #unit: Unit;
  /** Offset at which each line begins, and the end of the text. */
  #starts: Float64Array | undefined;

  constructor(lines: Lines, unit: Unit) {
    this.#lines = lines;
    this.#unit = unit;
  }

  /** @throws Fault `invalid` beginning with `what` when there is no such place. */
  point(position: Position, what: string): Point {
    return typeof position === 'number' ? this.#atOffset(position, what) : this.#atColumn(position, what);
  }

  #atColumn({ line, column }: Exclude<Position, number>, what: string): Point {
    const end = this.#lines.count + 1;
    if (line > end || (line === end && column > 1)) {
      throw beyond(what, `the text has ${end - 1} lines and ends at line ${end}, column 1`);
    }
    const most = measure(this.#lines.line(line), this.#unit) + 1;
    if (column > most) throw beyond(what, `line ${line} ends at column ${most} (unit ${this.#unit})`);
    return this.#within(line, column - 1, what);
  }

  #atOffset(offset: number, what: string): Point {
    this.#starts ??= starts(this.#lines, this.#unit);
    const end = this.#starts.at(-1) ?? 0;
    if (offset > end) throw beyond(what, `the text ends at offset ${end} (unit ${this.#unit})`);
    // The last line that begins at the offset or before it.
    let low = 0;
    for (let high = this.#starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return this.#within(low + 1, offset - (this.#starts[low] ?? 0), what);
  }

  /** The point `length` units into a line that has so many. */
  #within(line: number, length: number, what: string): Point {
    let index = 0;
    let passed = 0;
    for (const character of this.#lines.line(line)) {
      if (passed >= length) break;
      passed += this.#unit === 'char' ? 1 : measure(character, this.#unit);
      index += character.length;
    }
    if (passed === length) return { line, index };
    throw new Fault('invalid', `${what} lies inside a character of line ${line} (unit ${this.#unit})`, {
      next: 'Take a place between two characters.',
    });
  }
}

function starts(lines: Lines, unit: Unit): Float64Array {
  const found = new Float64Array(lines.count + 1);
  for (let line = 1; line <= lines.count; line += 1) {
    found[line] = (found[line - 1] ?? 0) + measure(lines.line(line), unit) + 1;
  }
  return found;
}

function beyond(what: string, limits: string): Fault {
  return new Fault('invalid', `${what} is beyond the end: ${limits}`, { next: 'Read the lines again and count anew.' });
}
