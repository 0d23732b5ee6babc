import { Fault } from '../shared/fault.js';
import type { Part } from '../shared/parts.js';
import type { Shown } from './shown.js';

/**
 * The most bytes of one page. Many clients never ask for the next page, so that a list is cut only where it is larger
 * than any of them can use at once.
 */
export const PAGE = 4 * 1024 * 1024;

/** A page of a list: its entries with a comma between them, and the cursor of the next one. */
export interface Page {
  readonly entries: readonly Part[];
  readonly next: string | undefined;
}

/**
 * A page of a list, the first one without a cursor. `state` tells the list from what it was before: a cursor holds for
 * the list that it was given out for, as long as that is the same.
 * @throws Fault `invalid` for another cursor.
 */
export function pageAt(list: readonly Shown[], state: string, cursor: unknown): Page {
  const pages = paged(list);
  const at = cursor === undefined ? 0 : pages.findIndex((_, index) => index > 0 && cursorOf(state, index) === cursor);
  const entries = pages[at];
  if (entries === undefined) {
    const next = 'Ask for the list from its beginning, without a cursor.';
    throw new Fault('invalid', 'that cursor was not given out for the list as it is now', { next });
  }
  return { entries, next: at + 1 < pages.length ? cursorOf(state, at + 1) : undefined };
}

function cursorOf(state: string, page: number): string {
  return `${page}.${state}`;
}

/** Whole entries, as many as fit on a page; one that is larger than a page has one for itself. */
function paged(list: readonly Shown[]): Part[][] {
  let page: Part[] = [];
  let room = PAGE;
  const pages = [page];
  for (const { bytes, ends } of list) {
    for (let from = 0; from < bytes.length; ) {
      const fitting =
        bytes.length - from <= room ? bytes.length : ends.findLast((end) => end > from && end - from <= room);
      if (fitting === undefined && page.length > 0) {
        page = [];
        room = PAGE;
        pages.push(page);
        continue;
      }
      const end = fitting ?? ends.find((each) => each > from) ?? bytes.length;
      if (page.length > 0) page.push(',');
      page.push(bytes.subarray(from, end));
      room -= end - from + 1;
      from = end + 1;
    }
  }
  return pages;
}
