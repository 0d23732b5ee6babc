import { setImmediate as turn } from 'node:timers/promises';
import { asFault, Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import { Followed, type Source } from './followed.js';
import { Journal } from './journal.js';
import { Marks } from './marks.js';
import type { Mirror } from './mirror.js';
import type { Operation } from './operations.js';
import type { Changed, Happened } from './protocol.js';
import { type Client, PERSON, type Revision } from './revision.js';
import type { Trace } from './trace.js';
import type { Vim } from './vim.js';
import { wholeText } from './whole-buffer.js';

/** Milliseconds after Vim's word that something has changed: what is typed meanwhile comes with it. */
const DELAY = 25;
/** Buffers of one editor that are followed, the latest used. */
const MOST_FOLLOWED = 32;

/** An operation of a client, as long as its changes may still come. */
interface Operating {
  readonly client: Client;
  readonly operations: readonly Operation[] | undefined;
}

/** What changes in one editor and who does it: the texts of the buffers that somebody reads, edits or watches. */
export class Feed {
  readonly #vim: Vim;
  readonly #followed = new Map<number, Followed>();
  /** Those that begin to be followed beside what is done with them. */
  readonly #beginning = new Set<number>();
  readonly #operating = new Map<number, Operating>();
  readonly #ended = new AbortController();
  readonly #source: Source;
  readonly #marks: Marks;
  /** What happened lately. */
  readonly journal = new Journal();
  /** Set by who keeps it. */
  trace: Trace | undefined;
  #operation = 0;
  /** How many want the buffers followed that the person goes to. */
  #roaming = 0;
  /** The fetch that runs, and the one after it. */
  #fetching: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;

  constructor(vim: Vim) {
    this.#vim = vim;
    this.#marks = new Marks(vim, () => this.trace, this.#ended.signal);
    this.#source = {
      read: (buffer) => wholeText(vim, buffer, this.#ended.signal),
      sync: () => this.sync(),
      began: (followed, mirror) => this.trace?.add(stateLine(followed, mirror)),
      revised: (followed, revision, mirror) => this.#revised(followed, revision, mirror),
      signal: this.#ended.signal,
    };
  }

  /** The lines with which a trace begins. */
  stateLines(): ReturnType<typeof stateLine>[] {
    return [...this.#followed.values()].flatMap((one) =>
      one.mirror === undefined ? [] : [stateLine(one, one.mirror)],
    );
  }

  /** Vim says that there is something to fetch. */
  changed(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.sync().catch((error: unknown) => this.#missed(error));
    }, DELAY);
  }

  /** Fetches all that has happened before the call. */
  sync(): Promise<void> {
    this.#next ??= this.#fetching
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#fetching = this.#fetch();
        return this.#fetching;
      });
    return this.#next;
  }

  /** The buffer, if it is followed. */
  find(buffer: number): Followed | undefined {
    return this.#followed.get(buffer);
  }

  /** Begins to follow a buffer that somebody uses, beside what they do. Where that cannot be, nothing is known of it. */
  use(buffer: number): void {
    const known = this.#followed.get(buffer);
    if (known !== undefined) known.lastUsed = Date.now();
    else if (this.isOffered && !this.#beginning.has(buffer)) {
      this.#beginning.add(buffer);
      void this.follow(buffer, this.#ended.signal)
        .catch((error: unknown) => this.#missed(error))
        .finally(() => this.#beginning.delete(buffer));
    }
  }

  /** Whether the plugin can tell of changes. */
  get isOffered(): boolean {
    return this.#vim.facts.verbs.has('follow');
  }

  /**
   * Follows a buffer, and returns when its text is known.
   * @throws Fault `unsupported` for a terminal and the like, or where the plugin is too old.
   */
  async follow(buffer: number, signal: AbortSignal): Promise<Followed> {
    let followed = this.#followed.get(buffer);
    if (followed === undefined) {
      const { filename } = await this.#vim.request('follow', { buffer }, signal);
      followed = this.#followed.get(buffer) ?? new Followed(buffer, filename, this.#source);
      this.#followed.set(buffer, followed);
      this.#drop();
    }
    followed.lastUsed = Date.now();
    await followed.ready();
    return followed;
  }

  /**
   * Keeps a buffer followed, or else those that the person goes to, and has Vim note events; what ends that.
   * @throws Fault as {@link follow} does.
   */
  async hold(buffer: number | undefined, signal: AbortSignal): Promise<() => void> {
    const { buffer: current } = await this.#vim.request('listen', {}, signal);
    if (buffer === undefined) {
      this.#roaming += 1;
      this.use(current);
      return () => {
        this.#roaming -= 1;
      };
    }
    const followed = await this.follow(buffer, signal);
    followed.pins += 1;
    return () => {
      followed.pins -= 1;
    };
  }

  /** Whether the editor went away. */
  get isOver(): boolean {
    return this.#ended.signal.aborted;
  }

  /** An operation of a client begins; what goes to Vim with it. */
  begin(client: Client, verb: string, params: { readonly ops?: readonly Operation[]; readonly buffer?: number }) {
    this.#operation += 1;
    this.#operating.set(this.#operation, { client, operations: verb === 'edit' ? params.ops : undefined });
    // Their changes come within moments.
    this.#operating.delete(this.#operation - 200);
    return { op: this.#operation, name: client.name };
  }

  /** It ended. */
  end(op: number, verb: string, buffer: number | undefined, fault: Fault | undefined): void {
    // That only looks.
    if (verb === 'matches') return;
    const client = this.#operating.get(op)?.client.name;
    const outcome = fault === undefined ? {} : { error: fault.kind };
    this.trace?.add({ type: 'agent', op, client, verb, ...(buffer === undefined ? {} : { buffer }), ...outcome });
  }

  /** The editor went away. */
  ended(): void {
    this.#ended.abort(new Fault('gone', 'the editor went away'));
    this.journal.add({ buffer: 0, filename: '', event: 'left', changedtick: 0, by: undefined, via: undefined });
    clearTimeout(this.#soon);
    this.trace?.close();
  }

  async #fetch(): Promise<void> {
    for (let more = this.#followed.size > 0 || this.isOffered; more; ) {
      const answer = await this.#vim.request('changes', {}, this.#ended.signal);
      // Operations whose answers came before it end first.
      await turn();
      for (const item of answer.items) {
        if ('event' in item) this.#happened(item);
        else this.#heard(item);
      }
      more = answer.more;
    }
  }

  #heard(item: Changed): void {
    const operating = item.op === undefined ? undefined : this.#operating.get(item.op);
    const client = operating?.client;
    const by = client === PERSON ? 'person' : (client ?? item.who ?? 'editor');
    this.#followed.get(item.buffer)?.take({ item, by, operations: operating?.operations });
  }

  #happened({ event, buffer, filename, changedtick, op, via }: Happened): void {
    const client = op === undefined ? undefined : this.#operating.get(op)?.client;
    const by = event === 'written' ? (client ?? (via === undefined ? 'person' : 'editor')) : client;
    this.trace?.add({ type: 'event', event, buffer, filename, ...(client === undefined ? {} : { by: client.name }) });
    const followed = this.#followed.get(buffer);
    if (followed !== undefined) followed.filename = filename;
    if (event === 'wiped') this.#forget(buffer);
    if (event === 'entered' && this.#roaming > 0) this.use(buffer);
    this.journal.add({ buffer, filename, event, changedtick, by, via });
  }

  #revised(followed: Followed, revision: Revision, mirror: Mirror | undefined): void {
    const { buffer, filename } = followed;
    const { changes, at: _, by, ...ticks } = revision;
    const names = by.map((author) => (typeof author === 'string' ? author : `client ${author.name}`));
    // The mirror comes after: a trace that begins a new file begins it with the text before.
    const place =
      mirror === undefined ? undefined : this.trace?.add({ type: 'change', buffer, ...ticks, by: names, changes });
    mirror?.advance(revision, place);
    this.journal.add({
      buffer,
      filename,
      revision: { ...ticks, by },
      isText: mirror === undefined || changes.length > 0,
    });
    if (mirror !== undefined) this.#marks.note(followed);
  }

  /** Lets go of those that were not used for longest. */
  #drop(): void {
    while (this.#followed.size > MOST_FOLLOWED) {
      const [oldest] = [...this.#followed.values()]
        .filter(({ pins }) => pins === 0)
        .sort((a, b) => a.lastUsed - b.lastUsed);
      if (oldest === undefined) return;
      this.#forget(oldest.buffer);
      void this.#vim
        .request('unfollow', { buffer: oldest.buffer }, this.#ended.signal)
        .catch((error: unknown) => this.#missed(error));
    }
  }

  #forget(buffer: number): void {
    this.#followed.delete(buffer);
  }

  /** What nobody waits for fails silently, but for what should not be. */
  #missed(error: unknown): void {
    const fault = asFault(error);
    if (fault.kind === 'bug' || fault.kind === 'protocol') log.error(`${this.#vim.name}: ${fault.message}`);
  }
}

/** The text of a buffer, as a line of a trace. */
function stateLine({ buffer, filename }: Followed, { tick, lines }: Mirror) {
  return { type: 'state', buffer, filename, tick, lines } as const;
}
