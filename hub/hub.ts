import { QUOTE } from '../shared/ascii.js';
import type { Call } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Link } from '../shared/link.js';
import { log } from '../shared/log.js';
import type { Edit } from '../shared/parts.js';
import { merged } from './catalog.js';
import type { Child, ChildEvents } from './child.js';
import { Children, type ChildSpec } from './children.js';
import { Client } from './client.js';
import { LIST_NAMES } from './protocol.js';
import { relay } from './relay.js';
import { Router } from './router.js';
import { Subscriptions } from './subscriptions.js';
import { Uris } from './uris.js';

/** Puts the parts together: clients in front, children behind, and who hears of what. */
export class Hub {
  readonly children: Children;
  readonly #router: Router;
  readonly #clients = new Set<Client>();
  readonly #subscriptions = new Subscriptions();
  readonly #uris: Uris;

  constructor(specs: readonly ChildSpec[]) {
    const events: ChildEvents = {
      question: (child, call) => this.#question(child, call),
      notification: (child, frame) => this.#pass(child, frame),
      changed: (child) => this.#changed(child),
      fell: (_, why, wait) => this.#fell(why, wait),
    };
    this.children = new Children(specs, events);
    this.#uris = new Uris(this.children);
    this.#router = new Router(this.children, this.#uris, this.#subscriptions);
  }

  /** Serves a client; resolves when it has gone away, with why. */
  serve(link: Link): Promise<Fault> {
    return new Promise((resolve) => {
      const client = new Client(link, {
        request: (from, call) => this.#router.request(from, call),
        notification: (from, frame) => this.#router.notification(from, frame),
        end: (from, why) => {
          this.#clients.delete(from);
          this.#subscriptions.removeAll(from);
          resolve(why);
        },
      });
      this.#clients.add(client);
      client.peer.start();
    });
  }

  /** A child's question goes to the client that owns the call it belongs to. */
  #question(child: Child, call: Call): void {
    const [client, ...others] = this.#clients;
    if (client === undefined || others.length > 0) {
      call.fail(new Fault('unsupported', `nobody is there to answer ${child.alias}`));
      return;
    }
    const isForPerson = call.frame.method === 'elicitation/create';
    relay(call, client.peer, isForPerson ? headed(call.frame, `${child.alias}: `, 'message') : []);
  }

  /** Notifications of a child go to all clients, but for what only some have asked for. */
  #pass(child: Child, frame: Frame): void {
    if (frame.method === 'notifications/resources/updated') {
      this.#subscriptions.updated(child, frame);
      return;
    }
    const edits = frame.method === 'notifications/message' ? headed(frame, `${child.alias}/`, 'logger') : [];
    for (const client of this.#clients) client.pass(frame.with(edits));
  }

  #changed(child: Child): void {
    this.#uris.forget();
    this.#subscriptions.renew(child);
    const states = new Map(LIST_NAMES.map((list) => [list, JSON.stringify(merged(this.children, list))]));
    for (const client of this.#clients) client.tellChanged(states);
  }

  #fell(why: Fault, wait?: number): void {
    const next = wait === undefined ? '' : `; it is started again in ${(wait / 1000).toFixed(1)} s`;
    log.warn(why.text + next);
    for (const client of this.#clients) client.say('warning', why.message + next);
  }
}

/** Puts the alias of who speaks before the first character of a text in `params`, where nothing can imitate it. */
function headed(frame: Frame, head: string, name: string): Edit[] {
  const text = frame.at(name);
  if (text === undefined || frame.bytes[text.start] !== QUOTE) return [];
  const start = text.start + 1;
  return [{ span: { start, end: start }, text: head }];
}
