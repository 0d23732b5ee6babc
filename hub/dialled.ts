import { asFault, Fault } from '../shared/fault.js';
import type { Link } from '../shared/link.js';
import { log } from '../shared/log.js';
import type { Peer } from '../shared/peer.js';
import type { Child, ChildEvents, ChildStatus } from './child.js';
import { Conversation } from './conversation.js';
import { EVERYTHING, Exposure } from './exposure.js';
import type { Greeting } from './handshake.js';
import type { Catalogue } from './protocol.js';

/** Milliseconds in which the present connection must answer a ping, or a new one takes its place. */
const ALIVE = 2000;

/** A child that dials in by itself and comes back by itself. */
export class DialledChild implements Child {
  readonly alias: string;
  readonly exposure: Exposure;
  readonly timeout = undefined;
  readonly remarks = undefined;
  readonly owner = undefined;
  readonly #greeting: Greeting;
  readonly #events: ChildEvents;
  #conversation: Conversation | undefined;
  #introduced = false;

  constructor(alias: string, greeting: Greeting, events: ChildEvents) {
    this.alias = alias;
    this.exposure = new Exposure(alias, EVERYTHING);
    this.#greeting = greeting;
    this.#events = events;
  }

  get catalogue(): Catalogue | undefined {
    return this.#introduced ? this.#conversation?.catalogue : undefined;
  }

  get peer(): Peer | undefined {
    return this.#introduced ? this.#conversation?.peer : undefined;
  }

  /** Takes a new connection; one that is there already keeps its place if it still answers. */
  async adopt(link: Link): Promise<void> {
    link.name = this.alias;
    const before = this.#conversation;
    if (before !== undefined && (await answers(before.peer))) {
      log.warn(`a second child dialled in as ${this.alias} and was refused; give it another alias`);
      link.close(new Fault('busy', `the alias ${this.alias} is taken`));
      return;
    }
    // Somebody else may have taken the place meanwhile.
    if (this.#conversation !== before) return this.adopt(link);
    before?.peer.close(new Fault('gone', `${this.alias} dialled in anew`));
    await this.#converse(link);
  }

  instance(): Child {
    return this;
  }

  instances(): readonly Child[] {
    return [this];
  }

  ready(): Promise<Peer> {
    const { peer } = this;
    if (peer !== undefined) return Promise.resolve(peer);
    const next = `It dials in by itself; see that it runs with --connect and the hub's address.`;
    return Promise.reject(new Fault('gone', `${this.alias} is not connected`, { next, data: { child: this.alias } }));
  }

  recall(): Promise<void> {
    return Promise.resolve();
  }

  async learn(): Promise<void> {
    await this.#conversation?.refresh();
  }

  stop(why = new Fault('gone', 'the hub ends')): Promise<void> {
    this.#conversation?.peer.close(why);
    return Promise.resolve();
  }

  status(): ChildStatus {
    return { state: this.peer === undefined ? 'away' : 'running', junk: this.#conversation?.junk ?? 0 };
  }

  restart(): Promise<void> {
    const next = 'Restart it where it was started.';
    return Promise.reject(new Fault('unsupported', `${this.alias} dials in by itself`, { next }));
  }

  halt(): Promise<void> {
    const next = 'Stop it where it was started.';
    return Promise.reject(new Fault('unsupported', `${this.alias} dials in by itself`, { next }));
  }

  async #converse(link: Link): Promise<void> {
    const conversation: Conversation = new Conversation(link, {
      question: (call) => this.#events.question(this, call),
      notification: (frame, on) => this.#events.notification(this, frame, on),
      changed: () => this.#events.changed(this),
      end: (why) => this.#ended(conversation, why),
    });
    this.#conversation = conversation;
    try {
      await conversation.begin(this.#greeting);
      this.#introduced = true;
      this.#events.changed(this);
    } catch (error) {
      conversation.peer.close(asFault(error));
      log.warn(`${this.alias} dialled in, but ${asFault(error).message}`);
    }
  }

  #ended(conversation: Conversation, why: Fault): void {
    if (this.#conversation !== conversation) return;
    this.#conversation = undefined;
    // One that could not be greeted was never there.
    if (!this.#introduced) return;
    this.#introduced = false;
    this.#events.fell(this, why);
    this.#events.changed(this);
  }
}

async function answers(peer: Peer): Promise<boolean> {
  try {
    await peer.request('ping', undefined, { timeout: ALIVE });
    return true;
  } catch (error) {
    // One that knows no ping says so.
    const { kind } = asFault(error);
    return kind !== 'timeout' && kind !== 'gone';
  }
}
