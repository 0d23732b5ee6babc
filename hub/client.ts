import type { Call } from '../shared/call.js';
import type { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Link } from '../shared/link.js';
import type { Edit } from '../shared/parts.js';
import { Peer } from '../shared/peer.js';
import { type Caller, type Level, type Owner, rankOf, STATELESS } from './caller.js';
import { CANONICAL, type Form } from './forms.js';
import { EMPTY } from './merged.js';
import { type JsonObject, LISTS, type ListName, listChanged } from './protocol.js';

/** What a client brings up. */
export interface ClientEvents {
  request(client: Client, call: Call): void;
  notification(client: Client, frame: Frame): void;
  end(client: Client, why: Fault): void;
}

/** Milliseconds in which open calls may still be answered after the client has closed its half. */
const LAST_ANSWERS = 1500;

/** One connection at the front of the hub; a session, once it has said `initialize`. */
export class Client implements Caller {
  readonly era = 'legacy';
  readonly peer: Peer;
  readonly owner: Owner;
  /** What it can do, once it has said `initialize`. */
  capabilities: JsonObject | undefined;
  /** Which names it takes, once it has said who it is. */
  form: Form = CANONICAL;
  /** How it introduced itself. */
  info: JsonObject = {};
  /** What it set, or what servers send unasked. */
  level: Level = 'info';
  #greeted = false;
  #initialized = false;
  /** Below it, log messages are not passed on. */
  #least = 0;
  /** What it was last told of each list. */
  readonly #told = new Map<ListName, string>();

  /** `isForOne`: the link is for one request of a client that may come again. */
  constructor(link: Link, events: ClientEvents, isForOne = false) {
    const handlers = {
      request: (call: Call) => events.request(this, call),
      notification: (frame: Frame) => events.notification(this, frame),
      unreadable: (fault: Fault) => this.peer.refuse(fault),
      end: (why: Fault) => events.end(this, why),
    };
    this.peer = new Peer(link, handlers, { lastAnswers: LAST_ANSWERS });
    this.owner = isForOne ? STATELESS : this.peer;
  }

  /** Whether it has a capability; what is asked without one is left to it. */
  can(capability: string | undefined): boolean {
    return capability === undefined || capability in (this.capabilities ?? {});
  }

  /** It has been greeted. */
  greeted(): void {
    this.#greeted = true;
  }

  /** It has said `notifications/initialized`. */
  initialized(): void {
    this.#initialized = true;
  }

  /** Whether it may be told things; never before the answer to its `initialize`, however early it said the other. */
  get #ready(): boolean {
    return this.#greeted && this.#initialized;
  }

  /** Sets the least level of log messages that it wants. */
  setLevel(level: unknown): boolean {
    const rank = rankOf(level);
    if (rank === -1) return false;
    this.#least = rank;
    this.level = level as Level;
    return true;
  }

  /** Remembers what it was given of a list. */
  gave(list: ListName, state: string): void {
    this.#told.set(list, state);
  }

  /** Tells it which lists have changed: those that it was given or told in another state. */
  tellChanged(states: ReadonlyMap<ListName, string>): void {
    if (!this.#ready) return;
    const changed = [...states].filter(([list, state]) => (this.#told.get(list) ?? EMPTY) !== state);
    for (const [list, state] of changed) this.#told.set(list, state);
    const methods = new Set(changed.map(([list]) => listChanged(LISTS[list].capability)));
    for (const method of methods) this.peer.notify(method);
  }

  /** A log message of the hub itself. */
  say(level: Level, text: string): void {
    if (this.#ready && rankOf(level) >= this.#least) {
      this.peer.notify('notifications/message', { level, logger: 'mcp-multibroker', data: text });
    }
  }

  hear(notification: Frame, edits: readonly Edit[]): void {
    if (this.#ready && !this.#isBelow(notification)) this.peer.send([notification.with(edits)]);
  }

  #isBelow(notification: Frame): boolean {
    if (this.#least === 0 || notification.method !== 'notifications/message') return false;
    const rank = rankOf(notification.value('level'));
    return rank !== -1 && rank < this.#least;
  }
}
