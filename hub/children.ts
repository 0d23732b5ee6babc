import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { asFault, Fault } from '../shared/fault.js';
import type { Link } from '../shared/link.js';
import { log } from '../shared/log.js';
import { type Owner, STATELESS } from './caller.js';
import { type Child, type ChildEvents, isModern } from './child.js';
import { DialledChild } from './dialled.js';
import { Guard } from './guard.js';
import { type Greeting, offered, setLevel, tellHubs } from './handshake.js';
import { PerClientChild } from './per-client.js';
import { isAlias } from './prefix.js';
import { ANY_CLIENT, isHub, type JsonObject } from './protocol.js';
import { Remembered } from './remembered.js';
import { SpawnedChild, type SpawnedContext, type SpawnedSpec } from './spawned.js';
import { Starts } from './starts.js';

/** A child as the person configured it. */
export interface ChildSpec extends SpawnedSpec {
  /** Started with the hub, not with its first call. */
  readonly eager: boolean;
  /** Each client has a process of its own. */
  readonly perClient?: boolean;
  /** Whether rules hold for its tools. */
  readonly guard?: boolean;
  /** Whether none of its tools is called whose definition has changed. */
  readonly pin?: boolean;
}

type Configured = SpawnedChild | PerClientChild;

/** How many children there may be for another one to dial in. */
const MOST = 4096;

/** What a new configuration changed, by alias. */
export interface Reconfigured {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly replaced: readonly string[];
}

/** All children: the configured ones in their order, then those that dialled in by alias. */
export class Children implements Iterable<Child> {
  readonly #events: ChildEvents;
  readonly #hubs: Greeting['hubs'];
  readonly #byAlias = new Map<string, Child>();
  /** All of them in order, until there are others. */
  #ordered: readonly Child[] | undefined;
  readonly #configured = new Map<string, { readonly spec: ChildSpec; readonly child: Configured }>();
  /** Those that are ending although the hub goes on. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #context: Omit<SpawnedContext, 'free'>;
  readonly #guard = new Guard();
  /** The clients that are there, and what each can do for children. */
  readonly #clients = new Map<Owner, JsonObject>();
  readonly #offer: Promise<JsonObject>;
  #offered: JsonObject | undefined;
  /** The least level of log messages that was asked for. */
  #level: string | undefined;
  #settleOffer: (capabilities: JsonObject) => void = () => undefined;

  /** `hubs` tells which hubs are in front of the children. */
  constructor(specs: readonly ChildSpec[], events: ChildEvents, hubs: Greeting['hubs']) {
    this.#events = events;
    this.#hubs = hubs;
    this.#offer = new Promise((resolve) => {
      this.#settleOffer = resolve;
    });
    this.#context = {
      guard: this.#guard,
      starts: new Starts(),
      remembered: new Remembered(),
      greeting: this.#greeting(this.#offer),
    };
    this.configure(specs);
  }

  [Symbol.iterator](): Iterator<Child> {
    this.#ordered ??= inOrder([...this.#byAlias.values()]);
    return this.#ordered.values();
  }

  get(alias: string): Child | undefined {
    return this.#byAlias.get(alias);
  }

  /**
   * Makes these the configured children, in this order. Those whose program is started in the same way go on as they
   * are; the others are stopped and their open calls fail. None is started by this.
   * @throws Fault `busy` when a child that dialled in has one of the aliases; then nothing has changed.
   */
  configure(specs: readonly ChildSpec[]): Reconfigured {
    const fresh = new Map(specs.map((spec) => [spec.alias, spec]));
    const dialled = [...this.#byAlias.values()].filter((child) => child instanceof DialledChild);
    const taken = dialled.find(({ alias, peer }) => fresh.has(alias) && peer !== undefined);
    if (taken !== undefined) throw dialledFault(taken.alias);
    this.#context.starts.allow(specs.filter(({ eager }) => eager).length);
    const before = new Map(this.#configured);
    const leaving = [...before.values()].filter(({ spec }) => !runsAlike(spec, fresh.get(spec.alias)));
    const left = leaving.map(({ child }) => child.alias);
    for (const { child } of leaving) this.#leave(child, leavingFault(child.alias, fresh.has(child.alias)));
    this.#configured.clear();
    for (const spec of specs) {
      const known = before.get(spec.alias);
      const child = known === undefined || leaving.includes(known) ? this.#started(spec) : known.child;
      this.#configured.set(spec.alias, { spec, child });
    }
    this.#index(dialled);
    return {
      added: [...fresh.keys()].filter((alias) => !before.has(alias)),
      removed: left.filter((alias) => !fresh.has(alias)),
      replaced: left.filter((alias) => fresh.has(alias)),
    };
  }

  /** Starts the eager ones that have never been started. */
  start(): void {
    for (const child of this.#eager()) child.start();
  }

  /** What the client side can do; children are greeted once this is known. Only the first client counts. */
  offer(client: JsonObject): void {
    this.#offered ??= offered(client);
    this.#settleOffer(this.#offered);
  }

  /** A client has come, or comes again; what it can do counts the first time. */
  join(owner: Owner, capabilities: JsonObject): void {
    this.offer(capabilities);
    if (this.#clients.has(owner)) return;
    const can = offered(owner === STATELESS ? ANY_CLIENT : capabilities);
    this.#clients.set(owner, can);
    for (const child of this.#perClient()) child.join(owner, can);
  }

  /** A client has gone. */
  leave(client: Owner): void {
    this.#clients.delete(client);
    for (const child of this.#perClient()) child.leave(client);
  }

  /** Whether a child was told that the client side has a capability. */
  wasOffered({ owner }: Child, capability: string): boolean {
    const told = owner === undefined ? this.#offered : this.#clients.get(owner);
    return capability in (told ?? {});
  }

  /** Asks for log messages from a level on, now and of those that are greeted later. */
  async setLevel(level: string): Promise<void> {
    this.#level = level;
    const peers = this.#running()
      .filter(hasLog)
      .map(({ peer }) => peer);
    await Promise.allSettled(peers.filter((peer) => peer !== undefined).map((peer) => setLevel(peer, level)));
  }

  /** Tells the hubs among the children, now and later ones, which hubs are in front; one that is in front itself is cut off. */
  tellHubs(): void {
    for (const { peer, catalogue } of this.#running()) {
      if (peer === undefined || !isHub(catalogue?.server ?? {})) continue;
      tellHubs(peer, this.#hubs()).catch((error: unknown) => peer.close(asFault(error)));
    }
  }

  /** Takes a child that dialled in. */
  dialledIn(alias: unknown, link: Link): void {
    void this.adopt(alias, link);
  }

  /** The same; returns when it is known what the child offers, or that it is not taken. */
  async adopt(alias: unknown, link: Link): Promise<void> {
    const child = this.#dialled(alias);
    if (child instanceof Fault) {
      log.warn(`a child that dialled in was refused: ${child.message}`);
      link.close(child);
    } else await child.adopt(link);
  }

  /** Waits for the eager ones to be greeted, a bounded time. */
  async eagerReady(patience: number): Promise<void> {
    const { signal } = new AbortController();
    await settled(
      this.#eager().map((child) => child.ready(signal)),
      patience,
    );
  }

  /** Brings back what those offered that do not run yet, a bounded time. */
  async recalled(patience: number): Promise<void> {
    await settled(
      [...this.#byAlias.values()].map((child) => child.recall()),
      patience,
    );
  }

  /** Waits until it is known what each offers, a bounded time. */
  async learned(patience: number): Promise<void> {
    await settled(
      [...this.#byAlias.values()].map((child) => child.learn()),
      patience,
    );
  }

  /** Stops all; returns when no process is left. */
  async stop(): Promise<void> {
    await Promise.allSettled([...[...this.#byAlias.values()].map((child) => child.stop()), ...this.#leaving.values()]);
    this.#guard.close();
  }

  /** Each by itself of those that run once for each client. */
  #running(): Child[] {
    return [...this.#byAlias.values()].flatMap((child) => child.instances());
  }

  #perClient(): PerClientChild[] {
    return [...this.#byAlias.values()].filter((child) => child instanceof PerClientChild);
  }

  #eager(): Configured[] {
    return [...this.#configured.values()].filter(({ spec }) => spec.eager).map(({ child }) => child);
  }

  #started(spec: ChildSpec): Configured {
    const context = { ...this.#context, free: Promise.resolve(this.#leaving.get(spec.alias)) };
    if (spec.perClient !== true) return new SpawnedChild(spec, context, this.#events);
    const spawned = (can: JsonObject) => ({ ...context, greeting: this.#greeting(Promise.resolve(can)) });
    const child = new PerClientChild(spec, { eager: spec.eager, spawned }, this.#events);
    for (const [client, can] of this.#clients) child.join(client, can);
    return child;
  }

  /** Puts the configured ones first; one that dialled in and is away makes room. */
  #index(dialled: readonly DialledChild[]): void {
    this.#ordered = undefined;
    this.#byAlias.clear();
    for (const [alias, { child }] of this.#configured) this.#byAlias.set(alias, child);
    for (const child of dialled) {
      if (this.#byAlias.has(child.alias)) void child.stop(takenFault(child.alias));
      else this.#byAlias.set(child.alias, child);
    }
  }

  /** Stops a child whose place is given to another one, or to none. */
  #leave(child: Configured, why: Fault): void {
    const { alias } = child;
    const ended = Promise.allSettled([this.#leaving.get(alias), child.stop(why)]).then(() => {
      if (this.#leaving.get(alias) === ended) this.#leaving.delete(alias);
    });
    this.#leaving.set(alias, ended);
  }

  #dialled(alias: unknown): DialledChild | Fault {
    if (typeof alias !== 'string' || !isAlias(alias))
      return new Fault('invalid', `${JSON.stringify(alias)?.slice(0, 60)} is no alias`);
    const known = this.#byAlias.get(alias);
    if (known instanceof DialledChild) return known;
    if (known !== undefined) return takenFault(alias);
    if (this.#byAlias.size >= MOST && !this.#forgetAway())
      return new Fault('busy', 'too many children have dialled in');
    const child = new DialledChild(alias, this.#greeting(this.#offer), this.#events);
    this.#byAlias.set(alias, child);
    this.#ordered = undefined;
    return child;
  }

  #greeting(capabilities: Promise<JsonObject>): Greeting {
    return { capabilities, level: () => this.#level, hubs: this.#hubs };
  }

  /** Forgets the first child that dialled in and is away; whether there was one. */
  #forgetAway(): boolean {
    const away = [...this.#byAlias.values()].find((child) => child instanceof DialledChild && child.peer === undefined);
    this.#ordered = undefined;
    return away !== undefined && this.#byAlias.delete(away.alias);
  }
}

/** Whether a child that runs by the one may go on by the other; when it is started, and who may call it, makes no difference. */
function runsAlike(one: ChildSpec, other: ChildSpec | undefined): boolean {
  const running = (spec: ChildSpec): ChildSpec => ({ ...spec, eager: false, guard: false, pin: false });
  return other !== undefined && isDeepStrictEqual(running(one), running(other));
}

function inOrder(all: readonly Child[]): readonly Child[] {
  const dialled = all.filter((child) => child instanceof DialledChild);
  return [
    ...all.filter((child) => !(child instanceof DialledChild)),
    ...dialled.sort((a, b) => (a.alias < b.alias ? -1 : 1)),
  ];
}

function takenFault(alias: string): Fault {
  return new Fault('busy', `the alias ${alias} is taken`);
}

function dialledFault(alias: string): Fault {
  const next = 'Choose another one, or end the child that dialled in.';
  return new Fault('busy', `a child that dialled in has the alias ${alias}`, { next });
}

/** For the calls that a child has open while it is stopped. */
function leavingFault(alias: string, isReplaced: boolean): Fault {
  const data = { child: alias };
  if (!isReplaced) return new Fault('gone', `${alias} was stopped: it is no longer in the configuration`, { data });
  const next = 'The next call starts it anew; what it was asked before may have been done.';
  return new Fault('gone', `${alias} was stopped because its configuration has changed`, { next, data });
}

/** Whether it takes a level of log messages; one of 2026-07-28 is told with each call. */
function hasLog(child: Child): boolean {
  return !isModern(child) && 'logging' in (child.catalogue?.capabilities ?? {});
}

async function settled(work: readonly Promise<unknown>[], patience: number): Promise<void> {
  const timer = new AbortController();
  const late = sleep(patience, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(work), late]);
  timer.abort();
}
