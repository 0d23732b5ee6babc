import type { Operation } from './operations.js';

/** Who calls: a session of a client, or a client that has none. */
export interface Client {
  readonly name: string;
  /** The same for calls of one client. */
  readonly id: string;
}

/** In whose name the person has something done. */
export const PERSON: Client = { name: 'person', id: 'person' };

/**
 * Who changed a text: the person at the keyboard, a client, a reload of the file, or something else in the editor (a
 * plugin) in a buffer that the person is not in.
 */
export type Author = 'person' | 'editor' | 'reload' | Client;

/** Lines from `first` on gave way to others; numbers are those of the text before. */
export interface LineChange {
  readonly first: number;
  readonly old: readonly string[];
  readonly now: readonly string[];
}

/** The way from one text of a buffer to the next. */
export interface Revision {
  /** The changedticks before and after. */
  readonly from: number;
  readonly to: number;
  /** When it became known, in milliseconds since the epoch. */
  readonly at: number;
  readonly by: readonly Author[];
  /** In order, without overlap; none where only the tick changed, as a write does. */
  readonly changes: readonly LineChange[];
}

/** What an author is called by a client. */
export function authorName(author: Author, own: Client | undefined): string {
  if (typeof author === 'string') return author;
  return author.id === own?.id ? 'you' : `client ${author.name}`;
}

/** The changes that operations make in a text. */
export function changesOf(operations: readonly Operation[], lines: readonly string[]): LineChange[] {
  return operations.map(([first, last, now]) => ({ first, old: lines.slice(first - 1, last), now }));
}

/** Makes changes in a text. */
export function apply(changes: readonly LineChange[], lines: string[]): void {
  for (const { first, old, now } of changes.toReversed()) replace(lines, first, old.length, now);
}

/** Takes changes back; the text is the one after them. */
export function unapply(changes: readonly LineChange[], lines: string[]): void {
  for (const { first, old, now } of changes) replace(lines, first, now.length, old);
}

function replace(lines: string[], first: number, count: number, now: readonly string[]): void {
  // A call takes a limited number of arguments.
  if (now.length < 10_000) lines.splice(first - 1, count, ...now);
  else {
    const rest = lines.splice(first - 1);
    for (const line of now) lines.push(line);
    for (const line of rest.slice(count)) lines.push(line);
  }
}
