import { Fault } from '../shared/fault.js';
import { type Lines, slice } from './buffer-text.js';
import type { Point } from './offsets.js';

/** Places looked at, at most. */
const MOST = 100_000;

/** Lines `first` to `last` as one string to search in, each ended by LF. */
export class Passage {
  readonly first: number;
  readonly lines: readonly string[];
  readonly text: string;

  constructor(lines: Lines, first: number, last: number) {
    this.first = first;
    this.lines = slice(lines, first, Math.min(last, lines.count));
    this.text = this.lines.map((line) => `${line}\n`).join('');
  }

  /**
   * Where a text begins, as indices in order. They may overlap, so that `aa` stands in `aaa` twice, unless `apart`: then
   * they are those that can all be replaced, from the left.
   * @throws Fault `unsupported` when there are too many.
   */
  find(wanted: string, apart: boolean): number[] {
    const found: number[] = [];
    const step = apart ? wanted.length : 1;
    for (let at = this.text.indexOf(wanted); at !== -1; at = this.text.indexOf(wanted, at + step)) {
      if (found.push(at) > MOST) throw new Fault('unsupported', `a text stands at more than ${MOST} places`);
    }
    return found;
  }

  /** The points of indices that are in order. */
  points(indices: readonly number[]): Point[] {
    let row = 0;
    let start = 0;
    return indices.map((at) => {
      for (;;) {
        const next = start + (this.lines[row]?.length ?? Number.POSITIVE_INFINITY) + 1;
        if (at < next) return { line: this.first + row, index: at - start };
        start = next;
        row += 1;
      }
    });
  }
}
