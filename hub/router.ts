import type { Call } from '../shared/call.js';
import { asFault, Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';
import { capabilities, instructions, merged } from './catalog.js';
import type { Child } from './child.js';
import type { Children } from './children.js';
import type { Client } from './client.js';
import { AUTO, formFor } from './forms.js';
import { type Addressee, Lookup } from './lookup.js';
import { mayEndInHash } from './names.js';
import { splitSpan } from './prefix.js';
import { HUB_INFO, LIST_NAMES, LISTS, type ListName, objectOf, REVISIONS } from './protocol.js';
import { relay } from './relay.js';
import type { Subscriptions } from './subscriptions.js';
import type { Owned, Uris } from './uris.js';

/** Milliseconds that `initialize` and the lists wait for children that are starting. */
const PATIENCE = 5000;

/** Requests that need no greeting before them. */
const BEFORE_GREETING: ReadonlySet<string> = new Set(['initialize', 'ping']);

/** Where in `params` the name or the URI of what a request is for stands. */
type Path = readonly string[];
const NAME: Path = ['name'];
const URI: Path = ['uri'];

/** Requests that bear the name of what they are for, and the list that has it; and those that bear its URI. */
const BY_NAME: ReadonlyMap<string, ListName> = new Map([
  ['tools/call', 'tools'],
  ['prompts/get', 'prompts'],
]);
const BY_URI: ReadonlySet<string> = new Set(['resources/read', 'resources/subscribe', 'resources/unsubscribe']);

type OwnMethod = (client: Client, frame: Frame) => Promise<unknown>;

/** Answers what the hub answers itself, and sends the rest to the child whose name it bears. */
export class Router {
  readonly #children: Children;
  readonly #uris: Uris;
  readonly #subscriptions: Subscriptions;
  /** What the hub answers itself, by method. */
  readonly #own: ReadonlyMap<string, OwnMethod>;
  readonly #separator: string;
  /** A separator that is taken beside the two that always are. */
  readonly #ownSeparator: string | undefined;
  readonly #lookup: Lookup;

  constructor(children: Children, uris: Uris, subscriptions: Subscriptions, separator: string) {
    this.#children = children;
    this.#uris = uris;
    this.#subscriptions = subscriptions;
    this.#separator = separator;
    this.#ownSeparator = separator === AUTO ? undefined : separator;
    this.#lookup = new Lookup(children, this.#ownSeparator);
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
    const list = BY_NAME.get(method);
    if (own !== undefined) answer(call, own(client, call.frame));
    else if (list !== undefined) this.#byName(client, call, list, NAME);
    else if (BY_URI.has(method)) this.#byUri(client, call);
    else if (method === 'completion/complete') this.#complete(client, call);
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
    const { protocolVersion, capabilities: can, clientInfo } = frame.params;
    client.capabilities = objectOf(can);
    client.form = formFor(objectOf(clientInfo)['name'], this.#separator);
    this.#children.offer(client.capabilities);
    await Promise.all([this.#children.recalled(PATIENCE), this.#children.eagerReady(PATIENCE)]);
    client.greeted();
    return {
      protocolVersion: REVISIONS.includes(String(protocolVersion)) ? protocolVersion : REVISIONS[0],
      capabilities: capabilities(),
      serverInfo: HUB_INFO,
      instructions: instructions(this.#children, client.form),
    };
  }

  /** The whole list in one page, so there is no cursor that could be given. */
  async #list(client: Client, frame: Frame, list: ListName): Promise<unknown> {
    if (frame.at('cursor') !== undefined) throw new Fault('invalid', 'that cursor was not given out here');
    await this.#children.learned(PATIENCE);
    const items = merged(this.#children, list, client.form);
    client.gave(list, JSON.stringify(items));
    return { [list]: items };
  }

  async #setLevel(client: Client, frame: Frame): Promise<unknown> {
    const level = frame.value('level');
    if (!client.setLevel(level)) throw new Fault('invalid', `${JSON.stringify(level)} is not a log level`);
    await this.#children.setLevel(String(level));
    return {};
  }

  /** The name tells the child. An ordinary one goes on without the alias; any other has to be looked up. */
  #byName(client: Client, call: Call, list: ListName, path: Path): void {
    const { bytes } = call.frame;
    const span = call.frame.at(...path);
    const isOrdinary = span !== undefined && !mayEndInHash(bytes, span);
    const split = isOrdinary ? splitSpan(bytes, span, this.#ownSeparator) : undefined;
    const child = split === undefined ? undefined : this.#children.get(split.alias);
    if (split !== undefined && child?.exposure.isPlain === true) this.#send(call, child, { span: split.cut, text: '' });
    else this.#byLookup(client, call, list, path);
  }

  #byLookup(client: Client, call: Call, list: ListName, path: Path): void {
    const shown = call.frame.value(...path);
    if (typeof shown !== 'string') throw this.#unknown(client, `${call.frame.method} needs the name of what it is for`);
    const found = this.#lookup.listed(list, shown);
    const send = (to: Addressee | undefined): void => {
      const span = call.frame.at(...path);
      if (to === undefined || span === undefined) throw this.#unknown(client, `no server has ${JSON.stringify(shown)}`);
      this.#send(call, to.child, { span, text: Buffer.from(JSON.stringify(to.name)) });
    };
    if (found === undefined && this.#lookup.mayBeLearned(shown)) void this.#whenLearned(call, list, shown, send);
    else send(found ?? this.#lookup.unlisted(shown));
  }

  async #whenLearned(
    call: Call,
    list: ListName,
    shown: string,
    send: (to: Addressee | undefined) => void,
  ): Promise<void> {
    try {
      await this.#children.learned(PATIENCE);
      if (call.open) send(this.#lookup.listed(list, shown) ?? this.#lookup.unlisted(shown));
    } catch (error) {
      call.fail(asFault(error));
    }
  }

  #byUri(client: Client, call: Call): void {
    const { method } = call.frame;
    const { to, shown, edit } = this.#owning(call.frame, URI);
    if (method === 'resources/subscribe') this.#subscriptions.add(client, to, shown);
    if (method === 'resources/unsubscribe' && !this.#subscriptions.remove(client, to)) call.result({});
    else this.#send(call, to.child, edit);
  }

  /** What is to be completed belongs to a prompt or to a template. */
  #complete(client: Client, call: Call): void {
    if (call.frame.value('ref', 'type') === 'ref/resource') {
      const { to, edit } = this.#owning(call.frame, ['ref', 'uri']);
      this.#send(call, to.child, edit);
    } else this.#byName(client, call, 'prompts', ['ref', 'name']);
  }

  #owning(frame: Frame, path: Path): { readonly to: Owned; readonly shown: string; readonly edit: Edit } {
    const span = frame.at(...path);
    const shown = frame.value(...path);
    if (span === undefined || typeof shown !== 'string')
      throw new Fault('invalid', `${frame.method} needs the URI of what it is for`);
    const to = this.#uris.owner(shown);
    return { to, shown, edit: { span, text: Buffer.from(JSON.stringify(to.uri)) } };
  }

  #send(call: Call, child: Child, edit: Edit): void {
    if (child.peer !== undefined) relay(call, child.peer, [edit], child.timeout);
    else void this.#whenReady(call, child, edit);
  }

  async #whenReady(call: Call, child: Child, edit: Edit): Promise<void> {
    try {
      const peer = await child.ready(call.signal());
      if (call.open) relay(call, peer, [edit], child.timeout);
    } catch (error) {
      call.fail(asFault(error));
    }
  }

  #unknown({ form }: Client, what: string): Fault {
    const aliases = [...this.#children].map(({ alias }) => alias).join(', ');
    return new Fault('unknown', what, {
      next: `Names are SERVER${form.separator}NAME; the servers are: ${aliases || 'none yet'}.`,
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
