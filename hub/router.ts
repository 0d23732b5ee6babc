import type { Call } from '../shared/call.js';
import { asFault, Fault } from '../shared/fault.js';
import type { Span } from '../shared/json.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';
import { capabilities, instructions, merged } from './catalog.js';
import type { Child } from './child.js';
import type { Children } from './children.js';
import type { Client } from './client.js';
import { splitName, splitSpan } from './prefix.js';
import { HUB_INFO, LIST_NAMES, LISTS, type ListName, objectOf, REVISIONS } from './protocol.js';
import { relay } from './relay.js';
import type { Subscriptions } from './subscriptions.js';
import type { Owned, Uris } from './uris.js';

/** Milliseconds that `initialize` and the lists wait for children that are starting. */
const PATIENCE = 5000;

/** Requests that need no greeting before them. */
const BEFORE_GREETING: ReadonlySet<string> = new Set(['initialize', 'ping']);

/** Requests that bear the name of what they are for, or its URI. */
const BY_NAME: ReadonlySet<string> = new Set(['tools/call', 'prompts/get']);
const BY_URI: ReadonlySet<string> = new Set(['resources/read', 'resources/subscribe', 'resources/unsubscribe']);

/** Where a request goes, and what of it is changed. */
interface Addressed {
  readonly child: Child;
  readonly edit: Edit;
}

type OwnMethod = (client: Client, frame: Frame) => Promise<unknown>;

/** Answers what the hub answers itself, and sends the rest to the child whose name it bears. */
export class Router {
  readonly #children: Children;
  readonly #uris: Uris;
  readonly #subscriptions: Subscriptions;
  /** What the hub answers itself, by method. */
  readonly #own: ReadonlyMap<string, OwnMethod>;

  constructor(children: Children, uris: Uris, subscriptions: Subscriptions) {
    this.#children = children;
    this.#uris = uris;
    this.#subscriptions = subscriptions;
    this.#own = new Map<string, OwnMethod>([
      ['initialize', (client, frame) => this.#initialize(client, frame)],
      ['ping', () => Promise.resolve({})],
      ...LIST_NAMES.map((list): [string, OwnMethod] => [
        LISTS[list].method,
        (client, frame) => this.#list(client, frame, list),
      ]),
      ['logging/setLevel', (client, frame) => this.#setLevel(client, frame)],
    ]);
  }

  /** @throws Fault for what can be sent nowhere. */
  request(client: Client, call: Call): void {
    const { method } = call.frame;
    if (client.capabilities === undefined && !BEFORE_GREETING.has(method)) {
      throw new Fault('protocol', `${method} came before initialize`);
    }
    const own = this.#own.get(method);
    if (own !== undefined) answer(call, own(client, call.frame));
    else if (BY_NAME.has(method)) this.#send(call, this.#addressed(call.frame, 'name'));
    else if (BY_URI.has(method)) this.#byUri(client, call);
    else if (method === 'completion/complete') this.#send(call, this.#completed(call.frame));
    else throw new Fault('unsupported', `the method ${method} is not offered here`);
  }

  notification(client: Client, frame: Frame): void {
    if (frame.method === 'notifications/initialized') client.initialized();
    else if (frame.method === 'notifications/roots/list_changed') {
      for (const child of this.#children) child.peer?.send([frame.bytes]);
    }
  }

  async #initialize(client: Client, frame: Frame): Promise<unknown> {
    if (client.capabilities !== undefined) throw new Fault('protocol', 'initialize came twice');
    const { protocolVersion, capabilities: can } = frame.params;
    client.capabilities = objectOf(can);
    this.#children.offer(client.capabilities);
    await Promise.all([this.#children.recalled(PATIENCE), this.#children.eagerReady(PATIENCE)]);
    client.greeted();
    return {
      protocolVersion: REVISIONS.includes(String(protocolVersion)) ? protocolVersion : REVISIONS[0],
      capabilities: capabilities(),
      serverInfo: HUB_INFO,
      instructions: instructions(this.#children),
    };
  }

  /** The whole list in one page, so there is no cursor that could be given. */
  async #list(client: Client, frame: Frame, list: ListName): Promise<unknown> {
    if (frame.at('cursor') !== undefined) throw new Fault('invalid', 'that cursor was not given out here');
    await this.#children.learned(PATIENCE);
    const items = merged(this.#children, list);
    client.gave(list, JSON.stringify(items));
    return { [list]: items };
  }

  async #setLevel(client: Client, frame: Frame): Promise<unknown> {
    const level = frame.value('level');
    if (!client.setLevel(level)) throw new Fault('invalid', `${JSON.stringify(level)} is not a log level`);
    await this.#children.setLevel(String(level));
    return {};
  }

  #send(call: Call, { child, edit }: Addressed): void {
    if (child.peer !== undefined) relay(call, child.peer, [edit]);
    else void this.#whenReady(call, child, edit);
  }

  #byUri(client: Client, call: Call): void {
    const { method } = call.frame;
    const to = this.#owning(call.frame, 'uri');
    if (method === 'resources/subscribe') this.#subscriptions.add(client, to, to.shown);
    if (method === 'resources/unsubscribe' && !this.#subscriptions.remove(client, to)) call.result({});
    else this.#send(call, to);
  }

  /** What is to be completed belongs to a prompt or to a template. */
  #completed(frame: Frame): Addressed {
    return frame.value('ref', 'type') === 'ref/resource'
      ? this.#owning(frame, 'ref', 'uri')
      : this.#addressed(frame, 'ref', 'name');
  }

  #owning(frame: Frame, ...path: readonly string[]): Addressed & Owned & { readonly shown: string } {
    const span = frame.at(...path);
    const shown = frame.value(...path);
    if (span === undefined || typeof shown !== 'string')
      throw new Fault('invalid', `${frame.method} needs the URI of what it is for`);
    const { child, uri } = this.#uris.owner(shown);
    return { child, uri, shown, edit: { span, text: Buffer.from(JSON.stringify(uri)) } };
  }

  async #whenReady(call: Call, child: Child, edit: Edit): Promise<void> {
    try {
      const peer = await child.ready(call.signal());
      if (call.open) relay(call, peer, [edit]);
    } catch (error) {
      call.fail(asFault(error));
    }
  }

  /** The name tells the child, and goes on without the alias. */
  #addressed(frame: Frame, ...path: readonly string[]): Addressed {
    const span = frame.at(...path);
    const split = span === undefined ? undefined : splitSpan(frame.bytes, span);
    const child = split === undefined ? undefined : this.#children.get(split.alias);
    if (split === undefined || child === undefined) return this.#addressedByText(frame, span, path);
    return { child, edit: { span: split.cut, text: '' } };
  }

  /** The same for a name that has to be decoded, and the place for all that are wrong. */
  #addressedByText(frame: Frame, span: Span | undefined, path: readonly string[]): Addressed {
    const shown = frame.value(...path);
    if (typeof shown !== 'string') throw this.#unknown(`${frame.method} needs the name of what it is for`);
    const split = splitName(shown);
    const child = split === undefined ? undefined : this.#children.get(split.alias);
    if (span === undefined || split === undefined || child === undefined)
      throw this.#unknown(`no server has ${JSON.stringify(shown)}`);
    return { child, edit: { span, text: Buffer.from(JSON.stringify(split.name)) } };
  }

  #unknown(what: string): Fault {
    const aliases = [...this.#children].map(({ alias }) => alias).join(', ');
    return new Fault('unknown', what, {
      next: `Names are SERVER.NAME; the servers are: ${aliases || 'none yet'}.`,
    });
  }
}

/** Answers a call with what the work comes to, or with its fault. */
function answer(call: Call, work: Promise<unknown>): void {
  work.then(
    (value) => call.result(value),
    (error: unknown) => call.fail(asFault(error)),
  );
}
