import { between, difference } from './operations.js';
import type { LineChange, Revision } from './revision.js';

/** A place in a text; lines and columns count from 1, columns in characters. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where somebody is in a text. */
export interface Caret extends Place {
  /** The screen column, from 0, that vertical motions keep to; -1 for the end of the line. */
  readonly want?: number | undefined;
  /** The first line shown. */
  readonly topline?: number | undefined;
  /** Where what is selected begins; it ends at the caret. The mode is Vim's: v, V or CTRL-V. */
  readonly anchor?: (Place & { readonly mode: string }) | undefined;
}

/** Where a caret is after the text has changed; if its line was the last one and is gone, one line beyond the end. */
export function carried(caret: Caret, revisions: readonly Revision[]): Caret {
  return revisions.reduce((at, { changes }) => carriedBy(at, changes), caret);
}

function carriedBy(caret: Caret, changes: readonly LineChange[]): Caret {
  const { want, topline, anchor, ...at } = caret;
  const now = moved(at, changes);
  return {
    ...now,
    ...(now.column === caret.column ? { want } : {}),
    ...(topline === undefined ? {} : { topline: moved({ line: topline, column: 1 }, changes).line }),
    ...(anchor === undefined ? {} : { anchor: { ...anchor, ...moved(anchor, changes) } }),
  };
}

function moved({ line, column }: Place, changes: readonly LineChange[]): Place {
  let shift = 0;
  for (const { first, old, now } of changes) {
    if (first + old.length <= line) shift += now.length - old.length;
    else if (first <= line) {
      const within = inLines({ line: line - first, column }, old, now);
      return { line: first + shift + within.line, column: within.column };
    } else break;
  }
  return { line: line + shift, column };
}

/** A place in lines that gave way to others; here lines count from 0. */
function inLines({ line, column }: Place, old: readonly string[], now: readonly string[]): Place {
  const [first, end] = between(0, old, now);
  if (line < first) return { line, column };
  if (line > end) return { line: line + now.length - old.length, column };
  const last = now.length - (old.length - end);
  // A line that is gone: the one that took its place.
  if (line > last) return { line: last + 1, column: 1 };
  return { line, column: inLine(column, [...(old[line] ?? '')], [...(now[line] ?? '')]) };
}

function inLine(column: number, old: readonly string[], now: readonly string[]): number {
  let shift = 0;
  for (const [first, last, characters] of difference(1, old, now)) {
    if (last < column) shift += characters.length - (last - first + 1);
    else if (first <= column) return first + shift;
    else break;
  }
  return column + shift;
}
