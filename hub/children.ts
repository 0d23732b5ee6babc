import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { Fault } from '../shared/fault.js';
import type { Link } from '../shared/link.js';
import { log } from '../shared/log.js';
import type { Child, ChildEvents } from './child.js';
import { DialledChild } from './dialled.js';
import { Guard } from './guard.js';
import { type Greeting, offered, setLevel } from './handshake.js';
import { isAlias } from './prefix.js';
import type { JsonObject } from './protocol.js';
import { Remembered } from './remembered.js';
import { SpawnedChild, type SpawnedSpec } from './spawned.js';

/** A child as the person configured it. */
export interface ChildSpec extends SpawnedSpec {
  /** Started with the hub, not with its first call. */
  readonly eager: boolean;
}

/** How many children start at one time, and how many there may be for another one to dial in. */
const STARTS = 4;
const MOST = 256;

/** All children: the configured ones in their order, then those that dialled in by alias. */
export class Children implements Iterable<Child> {
  readonly #events: ChildEvents;
  readonly #byAlias = new Map<string, Child>();
  readonly #eager: SpawnedChild[] = [];
  readonly #guard = new Guard();
  readonly #offer: Promise<JsonObject>;
  #offered: JsonObject | undefined;
  /** The least level of log messages that was asked for. */
  #level: string | undefined;
  #settleOffer: (capabilities: JsonObject) => void = () => undefined;

  constructor(specs: readonly ChildSpec[], events: ChildEvents) {
    this.#events = events;
    this.#offer = new Promise((resolve) => {
      this.#settleOffer = resolve;
    });
    const starts = new PQueue({ concurrency: Math.max(STARTS, specs.filter(({ eager }) => eager).length) });
    const context = { guard: this.#guard, starts, remembered: new Remembered(), greeting: this.#greeting() };
    for (const spec of specs) {
      const child = new SpawnedChild(spec, context, events);
      this.#byAlias.set(spec.alias, child);
      if (spec.eager) this.#eager.push(child);
    }
  }

  *[Symbol.iterator](): Generator<Child> {
    const all = [...this.#byAlias.values()];
    yield* all.filter((child) => !(child instanceof DialledChild));
    yield* all.filter((child) => child instanceof DialledChild).sort((a, b) => (a.alias < b.alias ? -1 : 1));
  }

  get(alias: string): Child | undefined {
    return this.#byAlias.get(alias);
  }

  /** Starts the eager ones. */
  start(): void {
    for (const child of this.#eager) child.start();
  }

  /** What the client side can do; children are greeted once this is known. Only the first client counts. */
  offer(client: JsonObject): void {
    this.#offered ??= offered(client);
    this.#settleOffer(this.#offered);
  }

  /** Whether children were told that the client side has a capability. */
  wereOffered(capability: string): boolean {
    return capability in (this.#offered ?? {});
  }

  /** Asks for log messages from a level on, now and of those that are greeted later. */
  async setLevel(level: string): Promise<void> {
    this.#level = level;
    const peers = [...this.#byAlias.values()].filter(hasLog).map(({ peer }) => peer);
    await Promise.allSettled(peers.filter((peer) => peer !== undefined).map((peer) => setLevel(peer, level)));
  }

  /** Takes a child that dialled in. */
  dialledIn(alias: unknown, link: Link): void {
    const child = this.#dialled(alias);
    if (child instanceof Fault) {
      log.warn(`a child that dialled in was refused: ${child.message}`);
      link.close(child);
    } else void child.adopt(link);
  }

  /** Waits for the eager ones to be greeted, a bounded time. */
  async eagerReady(patience: number): Promise<void> {
    const { signal } = new AbortController();
    await settled(
      this.#eager.map((child) => child.ready(signal)),
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
    await Promise.allSettled([...this.#byAlias.values()].map((child) => child.stop()));
    this.#guard.close();
  }

  #dialled(alias: unknown): DialledChild | Fault {
    if (typeof alias !== 'string' || !isAlias(alias))
      return new Fault('invalid', `${JSON.stringify(alias)?.slice(0, 60)} is no alias`);
    const known = this.#byAlias.get(alias);
    if (known instanceof DialledChild) return known;
    if (known !== undefined) return new Fault('busy', `the alias ${alias} is taken`);
    if (this.#byAlias.size >= MOST && !this.#forgetAway())
      return new Fault('busy', 'too many children have dialled in');
    const child = new DialledChild(alias, this.#greeting(), this.#events);
    this.#byAlias.set(alias, child);
    return child;
  }

  #greeting(): Greeting {
    return { capabilities: this.#offer, level: () => this.#level };
  }

  /** Forgets the first child that dialled in and is away; whether there was one. */
  #forgetAway(): boolean {
    const away = [...this.#byAlias.values()].find((child) => child instanceof DialledChild && child.peer === undefined);
    return away !== undefined && this.#byAlias.delete(away.alias);
  }
}

function hasLog({ catalogue }: Child): boolean {
  return 'logging' in (catalogue?.capabilities ?? {});
}

async function settled(work: readonly Promise<unknown>[], patience: number): Promise<void> {
  const timer = new AbortController();
  const late = sleep(patience, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(work), late]);
  timer.abort();
}
