import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../shared/fault.js';
import type { Editor } from './editor.js';
import { between, difference } from './operations.js';
import { type Author, authorName, type Client, type LineChange, type Revision } from './revision.js';
import { shownChanges } from './shown.js';
import { writersSince } from './writers.js';

/** Characters and lines of a diff that a model is told. */
const MOST_SHOWN = 4000;
const MOST_LINES = 80;
/** Lines of two texts that are compared for it. */
const COMPARED = 4000;

/** Milliseconds that a refusal waits for what it could tell. */
const PATIENCE = 1000;

/** Two texts of a buffer. */
interface Known {
  readonly tick: number;
  readonly old: readonly string[];
  readonly now: readonly string[];
  readonly revisions: readonly Revision[];
}

/** What became of a text since a tick. */
export interface Since {
  readonly by: readonly Author[];
  /** The text then and now, at its tick, and what lies between; undefined where that is not known. */
  readonly known: Known | undefined;
}

/** What became of a buffer since a tick; undefined where nobody followed it. */
export async function since(editor: Editor, buffer: number, tick: number): Promise<Since | undefined> {
  const followed = editor.feed.find(buffer);
  if (followed === undefined) return undefined;
  await editor.feed.sync();
  // A text that is changed all the time may not be read for long.
  const isKnown = await Promise.race([followed.ready().then(() => true), pause(PATIENCE, false, { ref: false })]);
  const mirror = isKnown ? followed.mirror : undefined;
  if (mirror === undefined) return { by: authorsOf(editor, buffer, tick), known: undefined };
  const now = { tick: mirror.tick, lines: [...mirror.lines] };
  const past = await mirror.since(tick);
  // A write counts a tick and changes nothing.
  const by = past?.revisions.filter(({ changes }) => changes.length > 0) ?? mirror.history.authorsSince(tick);
  return {
    by: unique(by.filter(({ to }) => to <= now.tick).flatMap((revision) => revision.by)),
    known:
      past === undefined ? undefined : { tick: now.tick, old: past.lines, now: now.lines, revisions: past.revisions },
  };
}

/** The stale refusal with what the model needs to go on: the tick now, who changed the text, and what. */
export async function explained(
  fault: Fault,
  editor: Editor,
  buffer: number,
  tick: number,
  own: Client,
): Promise<Fault> {
  const found = await since(editor, buffer, tick).catch(() => undefined);
  if (found === undefined) return fault;
  return new Fault(fault.kind, fault.message, {
    ...(fault.next === undefined ? {} : { next: fault.next }),
    cause: fault,
    data: {
      ...told(found, own),
      ...saved(writersSince(editor.feed, buffer, tick, own)),
      ...fault.data,
      ...(found.known === undefined ? {} : { changedtick: found.known.tick }),
    },
  });
}

/** Who changed a text and what, for a client. */
function told({ by, known }: Since, own: Client): Record<string, unknown> {
  const names = by.map((author) => authorName(author, own));
  return { changed_by: names, ...(known === undefined ? {} : diffOf(known.old, known.now, known.revisions)) };
}

function saved(by: readonly string[]): Record<string, unknown> {
  return by.length === 0 ? {} : { saved_by: by };
}

/** What differs between two texts, as much of it as can be shown. */
export function diffOf(
  old: readonly string[],
  now: readonly string[],
  revisions: readonly Pick<Revision, 'changes'>[],
): { diff: string; diff_cut?: true } {
  const [first, before, after] = range(revisions.map(({ changes }) => changes));
  const part = [old.slice(first - 1, before - 1), now.slice(first - 1, after - 1)] as const;
  const compare = part[0].length + part[1].length <= COMPARED ? difference : () => [between(first, ...part)];
  const lines = { count: old.length, line: (number: number) => old[number - 1] ?? '' };
  const whole = shownChanges(compare(first, ...part), lines);
  const shown = whole.split('\n', MOST_LINES).join('\n').slice(0, MOST_SHOWN);
  return whole.length - shown.length <= 1 ? { diff: whole } : { diff: `${shown}\n`, diff_cut: true };
}

/** The lines that changes one after the other span: the first, and the one after the last, before and now. */
function range(all: readonly (readonly LineChange[])[]): [first: number, before: number, now: number] {
  let [first, before, now] = [0, 0, 0];
  // Those of one revision all count in the text before it: from the bottom up each is right as it stands.
  for (const { first: from, old, now: lines } of all.flatMap((changes) => changes.toReversed())) {
    const to = from + old.length;
    if (first === 0) [first, before, now] = [from, to, to];
    first = Math.min(first, from);
    before += Math.max(to - now, 0);
    now = Math.max(now, to) + lines.length - old.length;
  }
  return first === 0 ? [1, 1, 1] : [first, before, now];
}

function authorsOf(editor: Editor, buffer: number, tick: number): Author[] {
  const entries = editor.feed.journal.since(0).filter((entry) => entry.buffer === buffer);
  return unique(entries.flatMap(({ revision }) => (revision !== undefined && revision.to > tick ? revision.by : [])));
}

function unique(authors: readonly Author[]): Author[] {
  return [...new Map(authors.map((author) => [typeof author === 'string' ? author : author.id, author])).values()];
}

/** The text of a mirror at one tick, as `edit` reads it. */
export function pastText(lines: readonly string[]): {
  readonly count: number;
  line(number: number): string;
  load(): Promise<void>;
} {
  const isEmpty = lines.length === 1 && lines[0] === '';
  return { count: isEmpty ? 0 : lines.length, line: (number) => lines[number - 1] ?? '', load: async () => undefined };
}
