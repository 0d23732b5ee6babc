import { z } from 'zod';
import { Fault } from '../../shared/fault.js';
import type { Editor } from '../editor.js';
import type { Feed } from '../feed.js';
import type { Entry } from '../journal.js';
import { anyFile, editorQuestion, fileOfBuffer } from '../question.js';
import type { Client } from '../revision.js';
import { buffer, defineTool, target } from '../tool.js';
import { concerns, type Group, grouped, type Watched, wait } from '../watching.js';
import { doer } from '../writers.js';

export const watch = defineTool({
  name: 'watch',
  action: 'read',
  title: 'Wait for changes',
  description:
    'Wait until somebody else changes text, or goes to, writes or closes a buffer; returns soon after the first. Without buffer: wherever the person is.',
  input: z.strictObject({
    target,
    buffer: buffer.optional(),
    since: z.int().nonnegative().optional().meta({ maximum: undefined }).describe('changedtick you saw of buffer'),
    after: z
      .int()
      .nonnegative()
      .optional()
      .meta({ maximum: undefined })
      .describe('next of an earlier watch; default: from now'),
    settle_ms: z.int().nonnegative().max(10_000).default(400).describe('Wait so much longer for what follows'),
    timeout_ms: z.int().nonnegative().max(600_000).default(20_000),
    include_own: z.boolean().default(false),
    include_noise: z.boolean().default(false).describe('Ticks without a change of text; events elsewhere'),
  }),
  output: z.object({
    target: z.string(),
    next: z.number(),
    timed_out: z.boolean(),
    changedtick: z.number().optional().describe('Of buffer'),
    changes: z.array(
      z.object({
        who: z.string().describe('person, you, client NAME, reload, editor (a plugin), unknown'),
        buffer: z.number(),
        filename: z.string(),
        from: z.number().describe('changedtick'),
        to: z.number(),
        diff: z.string().optional(),
        diff_cut: z.boolean().optional(),
      }),
    ),
    events: z.array(
      z.object({
        event: z.string().describe('entered, written, focused, unfocused, wiped, left'),
        who: z.string().optional(),
        buffer: z.number(),
        filename: z.string(),
      }),
    ),
  }),
  handle: async (args, { editors, allow, signal, by: { client: own }, progress }) => {
    const { buffer: number, since, after, settle_ms: settle, timeout_ms: timeout } = args;
    if (since !== undefined && number === undefined) {
      throw new Fault('invalid', 'since needs buffer: it says whose changedtick it is');
    }
    const editor = editors.find(args.target);
    const { feed } = editor;
    const where = number === undefined ? 'the buffers the person goes to' : `buffer ${number}`;
    const files = number === undefined ? anyFile : fileOfBuffer(editor, number, signal);
    await allow(editorQuestion('read', editor, `watch ${where}`, { number }, undefined, files));
    const watched: Watched = { buffer: number, own, includeOwn: args.include_own, includeNoise: args.include_noise };
    const release = await begin(editor, number, signal);
    try {
      // An editor that went away meanwhile is told of, too.
      const start = after ?? feed.journal.last - (feed.isOver ? 1 : 0);
      const find = (): Entry[] => entriesAfter(feed, start, since).filter((entry) => concerns(entry, watched));
      const missed = await missing(feed, number, since);
      const tell = (seconds: number): Promise<void> => progress(seconds, `waiting for changes in ${where}`);
      const patience = { timeout: missed.length > 0 ? 0 : timeout, settle };
      const found = await wait(feed, find, patience, signal, tell);
      const entries = find();
      const changedtick = number === undefined ? undefined : feed.find(number)?.mirror?.tick;
      return {
        target: editor.name,
        next: feed.journal.last,
        timed_out: !found && missed.length === 0,
        ...(changedtick === undefined ? {} : { changedtick }),
        changes: [...missed, ...(await grouped(feed, entries, own))],
        events: entries.flatMap((entry) => eventOf(entry, own)),
      };
    } finally {
      release();
    }
  },
});

/** Has everything followed that is watched; what ends that. */
async function begin(editor: Editor, number: number | undefined, signal: AbortSignal): Promise<() => void> {
  if (!editor.feed.isOffered) throw new Fault('unsupported', `the plugin in ${editor.name} is too old to be watched`);
  const release = await editor.feed.hold(number, signal);
  // What cannot be fetched now may come while it is waited for.
  await editor.feed.sync().catch(() => undefined);
  return release;
}

/** Events after a number, and changes after it or after a tick. */
function entriesAfter(feed: Feed, number: number, tick: number | undefined): Entry[] {
  if (tick === undefined) return [...feed.journal.since(number)];
  const isLater = (entry: Entry): boolean =>
    entry.revision === undefined ? entry.number > number : entry.revision.to > tick;
  return feed.journal.since(0).filter(isLater);
}

/** The change of unknown origin between a tick and the first of which something is known. */
async function missing(feed: Feed, number: number | undefined, since: number | undefined): Promise<Group[]> {
  const followed = number === undefined ? undefined : feed.find(number);
  if (since === undefined || followed === undefined) return [];
  await followed.ready();
  const now = followed.mirror?.tick;
  if (now === undefined || now === since) return [];
  const all = feed.journal
    .since(0)
    .flatMap(({ buffer: of, revision }) => (of === number && revision ? [revision] : []));
  if (all.some(({ from }) => from === since)) return [];
  const { buffer: of, filename } = followed;
  const first = all.find(({ from }) => from > since)?.from ?? now;
  return [{ who: 'unknown', buffer: of, filename, from: since, to: first }];
}

function eventOf(entry: Entry, own: Client) {
  if (entry.event === undefined) return [];
  const { event, buffer: number, filename } = entry;
  const who = doer(entry, own);
  return [{ event, ...(who === undefined ? {} : { who }), buffer: number, filename }];
}
