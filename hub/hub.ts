import { QUOTE } from '../shared/ascii.js';
import type { Call } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import { type Link, memoryLinks } from '../shared/link.js';
import { log } from '../shared/log.js';
import type { Edit } from '../shared/parts.js';
import { merged } from './catalog.js';
import type { Child, ChildEvents } from './child.js';
import { Children, type ChildSpec, type Reconfigured } from './children.js';
import { Client } from './client.js';
import { AUTO, type Form } from './forms.js';
import { ASKED, LIST_NAMES, type ListName, OWN_ALIAS } from './protocol.js';
import { relay } from './relay.js';
import { Router } from './router.js';
import { Subscriptions } from './subscriptions.js';
import { Uris } from './uris.js';

/** What the hub is told beside its children. */
export interface HubSettings {
  /** Between alias and name, or {@link AUTO}. */
  readonly separator?: string;
  /** Whether the hub's own tools are offered beside those of the children. */
  readonly status?: boolean;
  /** Called when a child without which the hub is not to run could not be started. */
  readonly missing?: (why: Fault) => void;
}

/** Milliseconds that clients wait to be told of a new configuration until it is known what the new children offer. */
const PATIENCE = 5000;

/** Puts the parts together: clients in front, children behind, and who hears of what. */
export class Hub {
  readonly children: Children;
  readonly #router: Router;
  readonly #clients = new Set<Client>();
  readonly #subscriptions = new Subscriptions();
  readonly #uris: Uris;
  /** How many new configurations are being taken up; clients are not told of changes meanwhile. */
  #unsettled = 0;

  constructor(specs: readonly ChildSpec[], { separator = AUTO, status = false, missing }: HubSettings = {}) {
    const events: ChildEvents = {
      question: (child, call) => this.#question(child, call),
      notification: (child, frame) => this.#pass(child, frame),
      changed: (child) => this.#changed(child),
      fell: (_, why, wait) => this.#fell(why, wait),
      isNeeded: (child) => this.#subscriptions.has(child),
      missing: (child, why) => missing?.(missingFault(child, why)),
    };
    this.children = new Children(specs, events);
    this.#uris = new Uris(this.children);
    this.#router = new Router(this.children, this.#uris, this.#subscriptions, separator);
    if (status) void this.#offerStatus();
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

  /**
   * Makes these the configured children and starts the eager ones. Clients are told once what that comes to, when it is
   * known what the new ones offer.
   * @throws Fault when it cannot be; then all is as before.
   */
  configure(specs: readonly ChildSpec[]): Reconfigured {
    const changes = this.children.configure(specs);
    this.children.start();
    void this.#settle(changes);
    return changes;
  }

  /** Tells all clients something by a log message of the hub itself. */
  say(level: 'info' | 'warning' | 'error', text: string): void {
    for (const client of this.#clients) client.say(level, text);
  }

  async #offerStatus(): Promise<void> {
    const { serveStatus } = await import('./status.js');
    const [near, far] = memoryLinks([OWN_ALIAS, 'the hub']);
    serveStatus(far, this.children);
    this.children.dialledIn(OWN_ALIAS, near);
  }

  /** A child's question goes to the client that owns the call it belongs to. */
  #question(child: Child, call: Call): void {
    const calls = child.peer?.forwarded() ?? [];
    const [client, ...others] = this.#concerned(calls);
    if (client === undefined || others.length > 0) {
      const why = client === undefined ? 'nobody is' : 'no single client is';
      call.fail(new Fault('unsupported', `${why} there to answer ${child.alias}`));
      return;
    }
    const { method } = call.frame;
    const isForPerson = method === 'elicitation/create';
    if (!client.can(ASKED.get(method))) {
      // What was offered is not an error to ask for, whichever client it is.
      if (isForPerson && this.children.wereOffered('elicitation')) call.result({ action: 'decline' });
      else call.fail(new Fault('unsupported', `the client does not answer ${method}`));
      return;
    }
    const edits = isForPerson ? headed(call.frame, `${child.alias}: `, 'message') : [];
    relay(call, client.peer, edits, undefined, calls.at(-1));
  }

  /** Notifications of a child go to the clients they may concern, but for what only some have asked for. */
  #pass(child: Child, frame: Frame): void {
    if (frame.method === 'notifications/resources/updated') {
      this.#subscriptions.updated(child, frame);
      return;
    }
    const edits = frame.method === 'notifications/message' ? headed(frame, `${child.alias}/`, 'logger') : [];
    for (const client of this.#concerned(child.peer?.forwarded() ?? [])) client.pass(frame.with(edits));
  }

  /** Whom it may concern what a child says in the middle of calls: who made them; all, where there are none. */
  #concerned(calls: readonly Call[]): Client[] {
    const callers = new Set(calls.map(({ from }) => from));
    const all = [...this.#clients];
    return callers.size === 0 ? all : all.filter(({ peer }) => callers.has(peer));
  }

  async #settle({ added, replaced }: Reconfigured): Promise<void> {
    this.#unsettled += 1;
    if (added.length + replaced.length > 0) await this.children.learned(PATIENCE);
    this.#unsettled -= 1;
    this.#listsChanged();
  }

  #changed(child: Child): void {
    this.#subscriptions.renew(child);
    this.#listsChanged();
  }

  #listsChanged(): void {
    this.#uris.forget();
    if (this.#unsettled > 0) return;
    const states = new Map<Form, Map<ListName, string>>();
    for (const client of this.#clients) {
      const state = states.get(client.form) ?? this.#lists(client.form);
      states.set(client.form, state);
      client.tellChanged(state);
    }
  }

  #lists(form: Form): Map<ListName, string> {
    return new Map(LIST_NAMES.map((list) => [list, JSON.stringify(merged(this.children, list, form))]));
  }

  #fell(why: Fault, wait?: number): void {
    const again = wait === undefined ? '' : `; it is started again in ${(wait / 1000).toFixed(1)} s`;
    const text = why.message + again;
    log.warn(why.next === undefined ? text : `${text}. ${why.next}`);
    this.say('warning', text);
  }
}

function missingFault({ alias }: Child, why: Fault): Fault {
  const next = why.next ?? `Correct it, or drop its --required to run without it.`;
  return new Fault('gone', `${alias} is required, but ${why.message}`, { cause: why, next });
}

/** Puts the alias of who speaks before the first character of a text in `params`, where nothing can imitate it. */
function headed(frame: Frame, head: string, name: string): Edit[] {
  const text = frame.at(name);
  if (text === undefined || frame.bytes[text.start] !== QUOTE) return [];
  const start = text.start + 1;
  return [{ span: { start, end: start }, text: head }];
}
