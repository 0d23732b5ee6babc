import { setTimeout as sleep } from 'node:timers/promises';
import { OPEN_OBJECT } from '../shared/ascii.js';
import type { Call } from '../shared/call.js';
import { asFault, Fault } from '../shared/fault.js';
import { type Frame, LOOSELY_READ } from '../shared/jsonrpc.js';
import type { Link } from '../shared/link.js';
import { log } from '../shared/log.js';
import { Peer } from '../shared/peer.js';
import { isRenewed, isStale } from './fresh.js';
import { type Greeting, greet, offers } from './handshake.js';
import { type Catalogue, LIST_NAMES, LISTS, type ListName, listChanged, NOTHING } from './protocol.js';

/** What a child brings up by itself. */
export interface ConversationEvents {
  /** A request to the client side: elicitation, sampling, roots. */
  question(call: Call): void;
  /** `on` is who waits for the answer to the request that it came with, where that is known. */
  notification(frame: Frame, on: unknown): void;
  /** What the child offers has been read again. */
  changed(): void;
  end(why: Fault): void;
}

/** The lists that a notification says have changed. */
const CHANGED: ReadonlyMap<string, readonly ListName[]> = new Map(
  LIST_NAMES.map((name) => {
    const { capability } = LISTS[name];
    return [listChanged(capability), LIST_NAMES.filter((other) => LISTS[other].capability === capability)];
  }),
);

/** Least time between two readings of a list that a child says has changed, in milliseconds. */
const CALM = 500;

/** One connection to a child, from the greeting to its end. */
export class Conversation {
  readonly peer: Peer;
  readonly #events: ConversationEvents;
  #catalogue: Catalogue = NOTHING;
  #overHttp = false;
  #junk = 0;
  readonly #stale = new Set<ListName>();
  /** Whether lists may be read: after the greeting, and by one reader. */
  #idle = false;
  #isGreeted = false;
  #refreshing: Promise<void> | undefined;

  constructor(link: Link, events: ConversationEvents) {
    this.#events = events;
    this.peer = new Peer(link, {
      request: (call) => this.#request(call),
      notification: (frame, on) => this.#notification(frame, on),
      unreadable: (fault, bytes) => this.#unreadable(fault, bytes),
      end: (why) => events.end(why),
    });
  }

  /** What the child offers now. */
  get catalogue(): Catalogue {
    return this.#catalogue;
  }

  /** How much came that is no message. */
  get junk(): number {
    return this.#junk;
  }

  /** Greets the child, offering it what the client side can do. */
  async begin(greeting: Greeting): Promise<void> {
    this.#overHttp = greeting.overHttp === true;
    this.peer.start();
    this.#catalogue = await greet(this.peer, greeting);
    this.#isGreeted = true;
    this.#idle = true;
    this.#rereadStale();
  }

  /** Reads all lists again. */
  reread(): void {
    for (const list of LIST_NAMES) this.#stale.add(list);
    this.#rereadStale();
  }

  /** Reads again what its server says may have changed by now, where it does not tell of changes (2026-07-28). */
  async refresh(): Promise<void> {
    if (!this.#isGreeted) return;
    const stale = LIST_NAMES.filter((list) => isStale(this.#catalogue, list));
    if (stale.length === 0) return;
    this.#refreshing ??= Promise.all(stale.map((list) => this.#read(list))).then(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  #request(call: Call): void {
    if (call.frame.method === 'ping') call.result({});
    else this.#events.question(call);
  }

  #notification(frame: Frame, on: unknown): void {
    const lists = CHANGED.get(frame.method);
    if (frame.method === 'notifications/subscriptions/acknowledged') return;
    if (lists === undefined) {
      this.#events.notification(frame, on);
      return;
    }
    for (const list of lists) this.#stale.add(list);
    this.#rereadStale();
  }

  #rereadStale(): void {
    if (this.#idle) void this.#readStale();
  }

  /** Reads changed lists again, one reading at a time however often the child says so. */
  async #readStale(): Promise<void> {
    this.#idle = false;
    for (const list of this.#stale) {
      this.#stale.delete(list);
      await this.#read(list);
      await sleep(CALM, undefined, { ref: false });
    }
    this.#idle = true;
  }

  async #read(list: ListName): Promise<void> {
    try {
      const items = await offers(this.peer, { ...this.#catalogue, overHttp: this.#overHttp }, list);
      if (isRenewed(this.#catalogue.lists[list], items)) return;
      this.#catalogue = { ...this.#catalogue, lists: { ...this.#catalogue.lists, [list]: items } };
      this.#events.changed();
    } catch (error) {
      log.warn(`${this.peer.name}: its ${list} cannot be read: ${asFault(error).message}`);
    }
  }

  /**
   * Programs print on standard output what they should not; it is dropped, and said once. But a broken message that is
   * large may be the answer that somebody waits for, and nobody can tell whose: then the conversation is over.
   */
  #unreadable(fault: Fault, bytes: Buffer): void {
    if (bytes.length > LOOSELY_READ && bytes[0] === OPEN_OBJECT) {
      this.peer.close(
        new Fault('protocol', `${this.peer.name} sent a message that cannot be passed on: ${fault.message}`),
      );
      return;
    }
    this.#junk += 1;
    if (this.#junk > 1) return;
    const start = JSON.stringify(bytes.subarray(0, 80).toString());
    log.warn(
      `${this.peer.name} wrote something that is no message (${fault.message}): ${start}; more of it is dropped silently`,
    );
  }
}
