import { z } from 'zod';

/**
 * The private protocol between broker and plugin, version MAJOR.MINOR: a plugin of the same major and no newer minor
 * is accepted. See docs/vim-protocol.md and `vim/autoload/mcp/dispatch.vim`.
 */
export const MAJOR = 1;
export const MINOR = 1;

/** The one Vim function that the broker calls. */
export const ENTRY = 'mcp#dispatch#Run';

/** Largest frame sent to Vim, in bytes: Vim parses a frame again from its start at each 4 KB. */
export const MAX_FRAME = 65_536;

/** First line of a plugin: it wants a proof that the broker knows the token. */
export const prove = z.tuple([z.literal('mcp-vim-prove'), z.string().regex(/^[0-9a-f]{32}$/), z.string().max(4096)]);

/** The hello. The cookie is an accepted token, or `proof:` and a keyed hash of it. */
export const hello = z.tuple([
  z.literal('mcp-vim'),
  z.string().max(4096),
  z.number().int(),
  z.number().int(),
  z.string().max(256),
  z.string().min(1).max(128),
]);
export type Hello = z.infer<typeof hello>;

const brief = z.object({
  buffer: z.number(),
  filename: z.string(),
  changedtick: z.number(),
  line_count: z.number(),
  modified: z.boolean(),
});

/** A place in a text, the column in characters from 1. */
const place = z.object({ line: z.number(), column: z.number() });

const step = z.object({
  buffer: z.number(),
  filename: z.string(),
  changedtick: z.number(),
  changed: z.boolean(),
  seq_cur: z.number(),
  seq_last: z.number(),
  modified: z.boolean(),
});

/** A change of a followed buffer, from one tick to another: lines gave way to others. See `vim/autoload/mcp/feed.vim`. */
const changed = z.object({
  buffer: z.number(),
  from: z.number(),
  to: z.number(),
  /** Lines of the buffer after it. */
  count: z.number(),
  /** Whose: the operation of an assistant, or else who. */
  op: z.number().optional(),
  who: z.enum(['person', 'editor', 'reload']).optional(),
  /** What was changed is not known. */
  lost: z.boolean().optional(),
  /** It is what was asked for. */
  known: z.boolean().optional(),
  first: z.number().optional(),
  last: z.number().optional(),
  added: z.number().optional(),
  lines: z.array(z.string()).optional(),
});
export type Changed = z.infer<typeof changed>;

/** Something else that happened. */
const happened = z.object({
  event: z.enum(['entered', 'written', 'focused', 'unfocused', 'wiped']),
  buffer: z.number(),
  filename: z.string(),
  changedtick: z.number(),
  op: z.number().optional(),
  /** The function or autocommand in the editor that did it, where it was no command of the person's. */
  via: z.string().optional(),
});
export type Happened = z.infer<typeof happened>;

/** Vim's answers to the verbs, by verb. Parameters are objects of JSON values, described in the plugin's files. */
export const answers = {
  welcome: z.object({
    major: z.number(),
    minor: z.number(),
    pid: z.number(),
    cwd: z.string(),
    version: z.string(),
    verbs: z.array(z.string()),
  }),
  refused: z.object({}),
  pulse: z.object({ mode: z.string(), busy: z.string() }),
  state: z.object({
    mode: z.string(),
    cwd: z.string(),
    project_root: z.string(),
    cursor: z.object({ buffer: z.number(), line: z.number(), column: z.number() }),
    tab: z.number(),
    tabs: z.number(),
    windows: z.array(
      z.object({
        buffer: z.number(),
        first: z.number(),
        last: z.number(),
        line: z.number(),
        current: z.boolean().optional(),
      }),
    ),
    buffers: z.array(
      brief.extend({
        modified: z.boolean().optional(),
        current: z.boolean().optional(),
        alternate: z.boolean().optional(),
        loaded: z.boolean().optional(),
        listed: z.boolean().optional(),
        visible: z.boolean().optional(),
        modifiable: z.boolean().optional(),
        readonly: z.boolean().optional(),
        filetype: z.string().optional(),
        buftype: z.string().optional(),
        fileencoding: z.string().optional(),
        fileformat: z.string().optional(),
        endofline: z.boolean().optional(),
        bomb: z.boolean().optional(),
        last_used: z.number(),
      }),
    ),
    total: z.number(),
    recent: z.array(z.string()),
  }),
  selection: brief.extend({
    active: z.boolean(),
    mode: z.enum(['charwise', 'linewise', 'blockwise', 'none']),
    start: place.optional(),
    end: place.optional(),
    lines: z.array(z.string()).optional(),
    lossy: z.array(z.number()).optional(),
    left_out: z.number().optional(),
    next: z.number().optional(),
    next_column: z.number().optional(),
  }),
  screen: z.object({
    mode: z.string(),
    rows: z.number(),
    columns: z.number(),
    cursor: z.object({ row: z.number(), column: z.number() }),
    lines: z.array(z.string()),
    windows: z.array(
      z.object({
        buffer: z.number(),
        filename: z.string(),
        row: z.number(),
        column: z.number(),
        height: z.number(),
        width: z.number(),
        first: z.number(),
        last: z.number(),
        cursor: place,
        current: z.boolean().optional(),
      }),
    ),
  }),
  keymap: z.object({
    options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    programs: z.array(z.string()),
    maps: z.array(
      z.object({ lhs: z.string(), rhs: z.string(), bits: z.number(), noremap: z.boolean(), expr: z.boolean() }),
    ),
  }),
  probe: brief.extend({ modifiable: z.boolean(), name: z.string() }),
  read: brief.extend({
    first: z.number(),
    lines: z.array(z.string()),
    lossy: z.array(z.number()),
    cut: z.number(),
  }),
  grep: z.object({
    buffers: z.array(z.object({ buffer: z.number(), filename: z.string(), changedtick: z.number() })),
    matches: z.array(
      z.object({ buffer: z.number(), line: z.number(), column: z.number(), text: z.string(), cut: z.boolean() }),
    ),
    count: z.number(),
    at: z.record(z.string(), z.number()),
  }),
  open: brief.extend({
    swap: z.object({ pid: z.number(), host: z.string(), user: z.string(), dirty: z.boolean() }).partial().optional(),
  }),
  edit: brief,
  matches: brief.extend({
    count: z.number(),
    lines: z.array(z.number()),
    touched: z.number(),
    samples: z.array(z.object({ first: z.number(), before: z.array(z.string()), after: z.array(z.string()) })),
  }),
  substitute: brief,
  undo: step,
  redo: step,
  save: brief.extend({ written: z.boolean().optional(), changed: z.boolean().optional() }),
  new: brief,
  cursor: brief.extend({ line: z.number(), column: z.number(), mode: z.string() }),
  ex: z.object({ output: z.string(), bytes: z.number() }),
  eval: z.object({ value: z.unknown(), notes: z.array(z.string()) }),
  notify: z.object({ shown: z.enum(['message', 'popup', 'later']) }),
  follow: brief,
  unfollow: z.object({}),
  listen: z.object({ buffer: z.number() }),
  changes: z.object({ items: z.array(z.union([changed, happened])), more: z.boolean() }),
  hash: z.object({ changedtick: z.number(), sha256: z.string() }),
  stage: z.object({}),
  unstage: z.object({}),
  staged: z.unknown(),
};
export type Verb = keyof typeof answers;
export type Answer<V extends Verb> = z.infer<(typeof answers)[V]>;

/** Verbs whose answers may have tens of KB. */
const LONG: ReadonlySet<Verb> = new Set<Verb>(['read', 'selection', 'screen', 'keymap', 'grep', 'state', 'changes']);

/**
 * Whether an answer can be long. Such are asked one at a time: if this process is stopped, what Vim has to write still
 * fits into the buffer of a socket (200 KB of a unix socket on Linux), and its screen does not freeze.
 */
export function isLong(verb: Verb): boolean {
  return LONG.has(verb);
}

/** A failed call. The categories are kinds of Fault. */
export const failure = z.object({
  err: z.object({
    category: z.enum(['invalid', 'unknown', 'stale', 'busy', 'gone', 'unsupported', 'bug']),
    message: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** What Vim reports by itself. */
const reported = z.looseObject({ name: z.string() });
export type Reported = z.infer<typeof reported>;
export const event = z.tuple([z.literal('event'), reported]);

/** Events that come with an answer, which then need no write of their own. */
export const events = z.array(reported);
