import type { Editor } from './editor.js';
import type { Feed } from './feed.js';
import type { Entry } from './journal.js';
import { authorName, type Client } from './revision.js';

/** Who did what an event tells of, in the words of a client; undefined where that is not known. */
export function doer(entry: Entry, own: Client): string | undefined {
  if (entry.event === undefined || entry.by === undefined) return undefined;
  const name = authorName(entry.by, own);
  return entry.via === undefined ? name : `${name} (${entry.via})`;
}

/** Everybody who wrote a buffer to its file after a changedtick, in order, as far as it is remembered. */
export function writersSince(feed: Feed, buffer: number, tick: number, own: Client): string[] {
  const names = feed.journal
    .since(0)
    .filter((entry) => entry.buffer === buffer && entry.event === 'written' && entry.changedtick > tick)
    .flatMap((entry) => doer(entry, own) ?? []);
  return [...new Set(names)];
}

/** Who wrote a buffer to its file last; undefined where nobody did since it is followed. */
export async function lastWriter({ feed }: Editor, buffer: number, own: Client): Promise<string | undefined> {
  // What cannot be fetched is not known.
  await feed.sync().catch(() => undefined);
  return writersSince(feed, buffer, 0, own).at(-1);
}
