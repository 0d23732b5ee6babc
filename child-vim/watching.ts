import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../shared/fault.js';
import type { Feed } from './feed.js';
import type { Entry } from './journal.js';
import { type Author, apply, authorName, type Client } from './revision.js';
import { diffOf } from './stale.js';

/** Milliseconds between two words to a client that waits. */
const WORD = 5000;

/** What somebody waits for. */
export interface Watched {
  /** One buffer, or all that the person goes to. */
  readonly buffer: number | undefined;
  readonly own: Client;
  readonly includeOwn: boolean;
  readonly includeNoise: boolean;
}

/** Changes of one buffer by the same author, one after the other. */
export interface Group {
  readonly who: string;
  readonly buffer: number;
  readonly filename: string;
  readonly from: number;
  readonly to: number;
  readonly diff?: string;
  readonly diff_cut?: true;
}

/** Whether an entry is what is waited for. */
export function concerns(entry: Entry, { buffer, own, includeOwn, includeNoise }: Watched): boolean {
  const by = authorsOf(entry);
  if (!includeOwn && by.length > 0 && by.every((author) => isOwn(author, own))) return false;
  if (!includeNoise && entry.revision !== undefined && !entry.isText) return false;
  if (buffer === undefined || entry.buffer === buffer || entry.event === 'left') return true;
  return includeNoise && entry.revision === undefined;
}

function authorsOf(entry: Entry): readonly Author[] {
  if (entry.revision !== undefined) return entry.revision.by;
  return entry.by === undefined ? [] : [entry.by];
}

function isOwn(author: Author, own: Client): boolean {
  return typeof author !== 'string' && author.id === own.id;
}

/** How long to wait, in milliseconds: for the first thing to happen, and for what belongs to it. */
interface Patience {
  readonly timeout: number;
  readonly settle: number;
}

/**
 * Waits until `find` finds something, and a little more for what belongs to it; whether there was something in time.
 * @throws Fault `cancelled` when the signal is aborted.
 */
export async function wait(
  feed: Feed,
  find: () => readonly Entry[],
  { timeout, settle }: Patience,
  signal: AbortSignal,
  tell: (seconds: number) => Promise<void>,
): Promise<boolean> {
  const ends = new AbortController();
  const begun = performance.now();
  const word = setInterval(
    () => void tell(Math.round((performance.now() - begun) / 1000)).catch(() => undefined),
    WORD,
  );
  try {
    const found = await new Promise<boolean>((resolve, reject) => {
      const look = (): void => {
        if (find().length > 0) resolve(true);
      };
      feed.journal.onEntry(look, ends.signal);
      const late = setTimeout(() => resolve(false), timeout);
      ends.signal.addEventListener('abort', () => clearTimeout(late), { once: true });
      const cancel = (): void => reject(new Fault('cancelled', 'the request was cancelled', { cause: signal.reason }));
      signal.addEventListener('abort', cancel, { signal: ends.signal });
      if (signal.aborted) cancel();
      look();
    });
    if (found && !feed.isOver) await pause(settle, undefined, { signal });
    return found;
  } finally {
    clearInterval(word);
    ends.abort();
  }
}

/** Changes grouped by who made them, each group with what it changed. */
export async function grouped(feed: Feed, entries: readonly Entry[], own: Client): Promise<Group[]> {
  const groups: Group[] = [];
  for (const { revision, buffer, filename } of entries) {
    if (revision === undefined) continue;
    const who = revision.by.map((author) => authorName(author, own)).join(', ');
    const last = groups.at(-1);
    const isNext = last?.buffer === buffer && last.who === who && last.to === revision.from;
    if (isNext) groups[groups.length - 1] = { ...last, to: revision.to };
    else groups.push({ who, buffer, filename, from: revision.from, to: revision.to });
  }
  return await Promise.all(groups.map(async (group) => ({ ...group, ...(await difference(feed, group)) })));
}

async function difference(feed: Feed, { buffer, from, to }: Group): Promise<{ diff?: string; diff_cut?: true }> {
  const past = await feed.find(buffer)?.mirror?.since(from);
  const revisions = past?.revisions.filter((revision) => revision.to <= to);
  if (past === undefined || revisions === undefined || revisions.at(-1)?.to !== to) return {};
  const now = [...past.lines];
  for (const { changes } of revisions) apply(changes, now);
  return diffOf(past.lines, now, revisions);
}
