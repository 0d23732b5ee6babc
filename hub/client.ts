import type { Call } from '../shared/call.js';
import type { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Link } from '../shared/link.js';
import type { Part } from '../shared/parts.js';
import { Peer } from '../shared/peer.js';
import { CANONICAL, type Form } from './forms.js';
import { type JsonObject, LISTS, type ListName, listChanged } from './protocol.js';

/** What a client brings up. */
export interface ClientEvents {
  request(client: Client, call: Call): void;
  notification(client: Client, frame: Frame): void;
  end(client: Client, why: Fault): void;
}

/** RFC 5424, as MCP names the levels; a client gets those from the level it asked for on. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
type Level = (typeof LEVELS)[number];

/** Milliseconds in which open calls may still be answered after the client has closed its half. */
const LAST_ANSWERS = 1500;

/** One session at the front of the hub. */
export class Client {
  readonly peer: Peer;
  /** What it can do, once it has said `initialize`. */
  capabilities: JsonObject | undefined;
  /** Which names it takes, once it has said who it is. */
  form: Form = CANONICAL;
  #greeted = false;
  #initialized = false;
  #level = 0;
  /** What it was last told of each list. */
  readonly #told = new Map<ListName, string>();

  constructor(link: Link, events: ClientEvents) {
    const handlers = {
      request: (call: Call) => events.request(this, call),
      notification: (frame: Frame) => events.notification(this, frame),
      unreadable: (fault: Fault) => this.peer.refuse(fault),
      end: (why: Fault) => events.end(this, why),
    };
    this.peer = new Peer(link, handlers, { lastAnswers: LAST_ANSWERS });
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
    const index = LEVELS.indexOf(level as Level);
    if (index !== -1) this.#level = index;
    return index !== -1;
  }

  /** Remembers what it was given of a list. */
  gave(list: ListName, state: string): void {
    this.#told.set(list, state);
  }

  /** Tells it which lists have changed: those that it was given or told in another state. */
  tellChanged(states: ReadonlyMap<ListName, string>): void {
    if (!this.#ready) return;
    const changed = [...states].filter(([list, state]) => (this.#told.get(list) ?? '[]') !== state);
    for (const [list, state] of changed) this.#told.set(list, state);
    const methods = new Set(changed.map(([list]) => listChanged(LISTS[list].capability)));
    for (const method of methods) this.peer.notify(method);
  }

  /** A log message of the hub itself. */
  say(level: Level, text: string): void {
    if (this.#ready && LEVELS.indexOf(level) >= this.#level) {
      this.peer.notify('notifications/message', { level, logger: 'mcp-multibroker', data: text });
    }
  }

  /** Passes on a notification of a child. */
  pass(notification: Part): void {
    if (this.#ready) this.peer.send([notification]);
  }
}
