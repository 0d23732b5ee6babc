import type { Call } from '../shared/call.js';
import { asFault, Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import { log } from '../shared/log.js';
import type { Edit } from '../shared/parts.js';
import type { Caller } from './caller.js';
import { isModern } from './child.js';
import type { Children } from './children.js';
import type { Client } from './client.js';
import { type Again, Crossings, type OnTheWay } from './crossings.js';
import { Envelope } from './envelope.js';
import { type Expose, isWhole } from './expose.js';
import { AUTO } from './forms.js';
import { CALL, innerCall } from './inner.js';
import { Introduction, PATIENCE } from './introduction.js';
import { type Addressee, Lookup } from './lookup.js';
import type { MergedLists } from './merged.js';
import { type Mirrored, mirroredOf } from './mirrored.js';
import { COMPLETE, type Era, tasksFault, UNCACHED } from './modern.js';
import { mayEndInHash } from './names.js';
import { failed } from './own-tool.js';
import { splitSpan } from './prefix.js';
import { isHub, LIST_NAMES, LISTS, type ListName, OWN_ALIAS } from './protocol.js';
import { subscribe, unsubscribe } from './standing.js';
import type { Subscriptions } from './subscriptions.js';
import { tasksPage } from './task-list.js';
import { knowsTasks } from './tasks.js';
import { HUBS, type Tree } from './tree.js';
import type { Owned, Uris } from './uris.js';

/** Requests that need no greeting before them. */
const BEFORE_GREETING: ReadonlySet<string> = new Set(['initialize', 'ping']);

/** Where in `params` the name or the URI of what a request is for stands. */
type Path = readonly string[];
const NAME: Path = ['name'];
const URI: Path = ['uri'];

/** The lists by the methods that fetch them. */
const BY_METHOD: ReadonlyMap<string, ListName> = new Map(LIST_NAMES.map((list) => [LISTS[list].method, list]));

/** Requests that bear the name of what they are for, and the list that has it. */
const BY_NAME: ReadonlyMap<string, ListName> = new Map([
  ['tools/call', 'tools'],
  ['prompts/get', 'prompts'],
]);
/** Requests about one task, in sessions and without them. */
const ABOUT_TASKS: Readonly<Record<Era, ReadonlySet<string>>> = {
  legacy: new Set(['tasks/get', 'tasks/result', 'tasks/cancel']),
  modern: new Set(['tasks/get', 'tasks/update', 'tasks/cancel']),
};
/** Requests that end or begin a subscription in a session. */
const SUBSCRIBING: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

type OwnMethod = (client: Client, frame: Frame) => Promise<unknown>;

/** What the router needs of those who know all clients and their calls. */
export interface Surroundings extends OnTheWay {
  readonly children: Children;
  readonly merged: MergedLists;
  readonly uris: Uris;
  readonly subscriptions: Subscriptions;
  readonly tree: Tree;
  /** What clients see of the tools. */
  readonly expose: () => Expose;
  /** Takes a client that listens to changes. */
  readonly listen: (call: Call, caller: Caller) => void;
}

/** Answers what the hub answers itself, and sends the rest to the child whose name it bears. */
export class Router {
  readonly #hub: Surroundings;
  readonly #children: Children;
  readonly #uris: Uris;
  readonly #subscriptions: Subscriptions;
  /** What the hub answers itself in sessions, by method, lists aside. */
  readonly #own: ReadonlyMap<string, OwnMethod>;
  readonly #separator: string;
  /** A separator that is taken beside the two that always are. */
  readonly #ownSeparator: string | undefined;
  readonly #lookup: Lookup;
  readonly #crossings: Crossings;
  readonly #introduction: Introduction;

  constructor(hub: Surroundings, separator: string) {
    this.#hub = hub;
    this.#children = hub.children;
    this.#uris = hub.uris;
    this.#subscriptions = hub.subscriptions;
    this.#separator = separator;
    this.#ownSeparator = separator === AUTO ? undefined : separator;
    this.#crossings = new Crossings(hub);
    this.#introduction = new Introduction(hub, separator);
    this.#lookup = new Lookup(hub.children, this.#ownSeparator);
    this.#own = new Map<string, OwnMethod>([
      ['initialize', (client, frame) => this.#introduction.initialize(client, frame)],
      ['ping', () => Promise.resolve({})],
      ['logging/setLevel', (client, frame) => this.#setLevel(client, frame)],
      [HUBS, (client, frame) => this.#standBehind(client, frame)],
    ]);
  }

  /** @throws Fault for what can be sent nowhere. */
  request(client: Client, call: Call): void {
    const { frame } = call;
    // Another hub passes on calls of its clients in its session as they came.
    const mayBeModern = client.capabilities === undefined || isHub(client.info);
    const envelope = mayBeModern ? Envelope.read(frame, client, this.#separator) : undefined;
    if (envelope !== undefined) {
      this.#modernRequest(envelope, call);
      return;
    }
    const { method } = frame;
    if (client.capabilities === undefined && !BEFORE_GREETING.has(method))
      throw new Fault('protocol', `${method} came before initialize`);
    const own = this.#own.get(method);
    const list = BY_METHOD.get(method);
    if (own !== undefined) answer(call, own(client, frame));
    else if (list !== undefined) void this.#list(client, call, list);
    else if (SUBSCRIBING.has(method)) this.#subscribe(client, call);
    else if (method === 'tasks/list') void this.#listTasks(client, call);
    else this.#pass(client, call);
  }

  /** Which arguments of a tool, by its shown name, headers over HTTP have to repeat. */
  mirrored(tool: string): readonly Mirrored[] {
    const to = this.#lookup.listed('tools', tool);
    return to === undefined ? [] : mirroredOf(to.child.catalogue?.lists.tools ?? [], to.name);
  }

  notification(client: Client, frame: Frame): void {
    if (frame.method === 'notifications/initialized') client.initialized();
    else if (frame.method === 'notifications/roots/list_changed') {
      const all = [...this.#children].flatMap((child) => child.instances()).filter((child) => !isModern(child));
      const own = all.filter(({ owner }) => owner === undefined || owner === client.owner);
      for (const child of own) child.peer?.send([frame.bytes]);
    }
  }

  #modernRequest(caller: Envelope, call: Call): void {
    const { method } = call.frame;
    this.#introduction.join(caller);
    const list = BY_METHOD.get(method);
    if (method === 'server/discover') answer(call, this.#introduction.discover(caller));
    else if (list !== undefined) void this.#list(caller, call, list);
    else if (method === 'subscriptions/listen') this.#hub.listen(call, caller);
    else if (call.frame.at('requestState') === undefined) this.#pass(caller, call);
    else this.#passAgain(caller, call);
  }

  /** A call that is made again with answers: it goes on where it waited, or to the child whose state it brings. */
  #passAgain(caller: Envelope, call: Call): void {
    const span = call.frame.at('requestState');
    const purpose = this.#hub.held.tickets.redeem(call.frame.value('requestState'), call.frame);
    if ('held' in purpose) {
      const held = this.#hub.held.take(purpose.held);
      if (held === undefined) throw new Fault('invalid', 'the call waits no longer', { next: 'Make it anew.' });
      held.continue(call);
    } else if (span !== undefined) {
      const state: Edit = { span, text: Buffer.from(JSON.stringify(purpose.state)) };
      this.#pass(caller, call, { alias: purpose.child, edit: state });
    }
  }

  /** Sends on what is a child's to answer. */
  #pass(caller: Caller, call: Call, again?: Again): void {
    const { method } = call.frame;
    const list = BY_NAME.get(method);
    if (this.#hub.expose() === 'search' && this.#isInner(call)) this.#inner(caller, call, again);
    else if (list !== undefined) this.#byName(caller, call, list, NAME, again);
    else if (method === 'resources/read') {
      const { to, edits } = this.#owning(caller, call.frame, URI);
      this.#crossings.send(caller, call, to.child, edits, again);
    } else if (method === 'completion/complete') this.#complete(caller, call);
    else if (ABOUT_TASKS[caller.era].has(method)) this.#aboutTask(caller, call);
    else throw new Fault('unsupported', `the method ${method} is not offered here`);
  }

  async #list(caller: Client | Envelope, call: Call, list: ListName): Promise<void> {
    try {
      await this.#hub.ownReady();
      if (isWhole(list, this.#hub.expose())) await this.#children.learned(PATIENCE);
      const page = this.#hub.merged.page(list, caller.form, call.frame.value('cursor') ?? undefined);
      if (caller.era === 'legacy') caller.gave(list, page.state);
      const head = caller.era === 'legacy' ? '{' : cached(this.#hub.merged.ttl(list));
      const cursor = page.next === undefined ? [] : [',"nextCursor":', JSON.stringify(page.next)];
      call.resultText([`${head}"${list}":[`, ...page.entries, ']', ...cursor, '}']);
    } catch (error) {
      call.fail(asFault(error));
    }
  }

  /** The id tells the child, and who may ask. */
  #aboutTask(caller: Caller, call: Call): void {
    if (caller.era === 'modern' && !knowsTasks(caller)) throw tasksFault();
    const span = call.frame.at('taskId');
    const { child, id } = this.#hub.tasks.find(caller, call.frame.value('taskId'));
    const edits = span === undefined ? [] : [{ span, text: Buffer.from(JSON.stringify(id)) }];
    this.#crossings.send(caller, call, child, edits);
  }

  async #listTasks(client: Client, call: Call): Promise<void> {
    try {
      const { entries, next } = await tasksPage(this.#hub.tasks, client, call.frame.value('cursor') ?? undefined);
      const cursor = next === undefined ? [] : [',"nextCursor":', JSON.stringify(next)];
      call.resultText(['{"tasks":[', ...entries, ']', ...cursor, '}']);
    } catch (error) {
      call.fail(asFault(error));
    }
  }

  async #setLevel(client: Client, frame: Frame): Promise<unknown> {
    const level = frame.value('level');
    if (!client.setLevel(level)) throw new Fault('invalid', `${JSON.stringify(level)} is not a log level`);
    await this.#children.setLevel(String(level));
    return {};
  }

  /** Another hub says which are in front of this one. */
  async #standBehind(client: Client, frame: Frame): Promise<unknown> {
    try {
      this.#hub.tree.learn(client, frame.value('hubs'));
    } catch (error) {
      log.warnOnce(`another hub was refused: ${asFault(error).text}`);
      throw error;
    }
    return {};
  }

  /** The name tells the child. An ordinary one goes on without the alias; any other has to be looked up. */
  #byName(caller: Caller, call: Call, list: ListName, path: Path, again?: Again): void {
    const { bytes } = call.frame;
    const span = call.frame.at(...path);
    const isOrdinary = span !== undefined && !mayEndInHash(bytes, span);
    const split = isOrdinary ? splitSpan(bytes, span, this.#ownSeparator) : undefined;
    const child = split === undefined ? undefined : this.#children.get(split.alias);
    if (split !== undefined && child?.exposure.isPlain === true)
      this.#crossings.send(caller, call, child, [{ span: split.cut, text: '' }], again);
    else this.#byLookup(caller, call, list, path, again);
  }

  #byLookup(caller: Caller, call: Call, list: ListName, path: Path, again?: Again): void {
    const shown = call.frame.value(...path);
    if (typeof shown !== 'string') throw this.#unknown(caller, `${call.frame.method} needs the name of what it is for`);
    this.#find(call, list, shown, (to) => {
      const span = call.frame.at(...path);
      if (to === undefined || span === undefined) throw this.#unknown(caller, `no server has ${JSON.stringify(shown)}`);
      this.#crossings.send(caller, call, to.child, [{ span, text: Buffer.from(JSON.stringify(to.name)) }], again);
    });
  }

  #isInner({ frame }: Call): boolean {
    const name = frame.method === 'tools/call' ? frame.value('name') : undefined;
    const to = typeof name === 'string' ? this.#lookup.unlisted(name) : undefined;
    return to?.child.alias === OWN_ALIAS && to.name === CALL;
  }

  /** A call of the hub's tool that calls another one: what is in it is sent on. A mistake is told as a result. */
  #inner(caller: Caller, call: Call, again?: Again): void {
    const reported = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        const result = failed(asFault(error));
        call.result(caller.era === 'legacy' ? result : { resultType: COMPLETE, ...result });
      }
    };
    reported(() => {
      const { name, edits } = innerCall(call.frame);
      this.#find(call, 'tools', name, (to) =>
        reported(() => {
          if (to === undefined) throw this.#unknown(caller, `no server has ${JSON.stringify(name)}`);
          if (to.child.alias === OWN_ALIAS)
            throw new Fault('invalid', `${name} belongs to the hub itself`, { next: 'Call it directly.' });
          this.#crossings.send(caller, call, to.child, edits(to.name), again);
        }),
      );
    });
  }

  /** Finds whom a shown name stands for, which may first have to be learned. */
  #find(call: Call, list: ListName, shown: string, send: (to: Addressee | undefined) => void): void {
    const found = this.#lookup.listed(list, shown);
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

  #subscribe(client: Client, call: Call): void {
    const { to, shown, edits } = this.#owning(client, call.frame, URI);
    const begins = call.frame.method === 'resources/subscribe';
    if (begins) this.#subscriptions.add(client, to, shown);
    const isOver = begins || this.#subscriptions.remove(client, to);
    if (!isOver) call.result({});
    else if (isModern(to.child)) answer(call, heard(to, begins));
    else this.#crossings.send(client, call, to.child, edits);
  }

  /** What is to be completed belongs to a prompt or to a template. */
  #complete(caller: Caller, call: Call): void {
    if (call.frame.value('ref', 'type') === 'ref/resource') {
      const { to, edits } = this.#owning(caller, call.frame, ['ref', 'uri']);
      this.#crossings.send(caller, call, to.child, edits);
    } else this.#byName(caller, call, 'prompts', ['ref', 'name']);
  }

  #owning(
    { owner }: Caller,
    frame: Frame,
    path: Path,
  ): { readonly to: Owned; readonly shown: string; readonly edits: readonly Edit[] } {
    const span = frame.at(...path);
    const shown = frame.value(...path);
    if (span === undefined || typeof shown !== 'string')
      throw new Fault('invalid', `${frame.method} needs the URI of what it is for`);
    const to = this.#uris.reached(shown, owner);
    const edits = to.uri === shown ? [] : [{ span, text: Buffer.from(JSON.stringify(to.uri)) }];
    return { to, shown, edits };
  }

  #unknown({ form }: Caller, what: string): Fault {
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

/** Begins or ends hearing of a resource of a child that knows no such requests. */
async function heard({ child, uri }: Owned, begins: boolean): Promise<unknown> {
  const peer = await child.ready(new AbortController().signal);
  await (begins ? subscribe(child, peer, uri) : unsubscribe(child, peer, uri));
  return {};
}

/** The beginning of a result of 2026-07-28 that holds for so many milliseconds. */
function cached(ttlMs: number): string {
  return JSON.stringify({ ...UNCACHED, ttlMs }).replace(/\}$/, ',');
}
