import type { LineChange, Revision } from './revision.js';

/** Lines `first` to `last` of a text; `last` is `first - 1` for the place before line `first`. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** Where lines are after revisions; undefined where one of them was changed, or something was put in at the same place. */
export function moved(span: Span, revisions: readonly Revision[]): Span | undefined {
  let now: Span | undefined = span;
  for (const { changes } of revisions) {
    if (now === undefined) return undefined;
    now = movedBy(now, changes);
  }
  return now;
}

function movedBy({ first, last }: Span, changes: readonly LineChange[]): Span | undefined {
  let shift = 0;
  for (const { first: from, old, now } of changes) {
    const to = from + old.length - 1;
    const isSamePlace = last < first && to < from && first === from;
    if (to < first && !isSamePlace) shift += now.length - old.length;
    else if (from <= last || isSamePlace || from < first) return undefined;
    else break;
  }
  return { first: first + shift, last: last + shift };
}
