import { Fault } from '../shared/fault.js';
import type { Owner } from './caller.js';
import type { Child, ChildEvents, ChildStatus } from './child.js';
import { Exposure } from './exposure.js';
import type { Catalogue, JsonObject } from './protocol.js';
import { SpawnedChild, type SpawnedContext, type SpawnedSpec } from './spawned.js';

/** What a child that runs once for each client needs of the hub beside what each of its processes does. */
export interface PerClientContext {
  /** Each process is greeted with what its own client can do. */
  readonly spawned: (capabilities: JsonObject) => SpawnedContext;
  /** Whether a process starts with its client's session, not with its first call. */
  readonly eager: boolean;
}

/**
 * A child of which each client has a process of its own, which ends with the client's session: what one does there the
 * others do not see, and whose question it is is never in doubt. What it offers is what any of them offered last.
 */
export class PerClientChild implements Child {
  readonly alias: string;
  readonly exposure: Exposure;
  readonly timeout: number | undefined;
  readonly peer = undefined;
  readonly remarks = undefined;
  readonly owner = undefined;
  readonly #spec: SpawnedSpec;
  readonly #context: PerClientContext;
  readonly #events: ChildEvents;
  readonly #clients = new Map<Owner, JsonObject>();
  readonly #instances = new Map<Owner, SpawnedChild>();
  /** Those whose client has gone, until they have ended. */
  readonly #leaving = new Set<Promise<void>>();
  #known: Catalogue | undefined;
  #at: 'work' | 'halted' | 'ended' = 'work';

  constructor(spec: SpawnedSpec, context: PerClientContext, events: ChildEvents) {
    this.alias = spec.alias;
    this.exposure = new Exposure(spec.alias, spec);
    this.timeout = spec.timeout;
    this.#spec = spec;
    this.#context = context;
    this.#events = {
      ...events,
      changed: (instance) => {
        this.#known = instance.catalogue ?? this.#known;
        events.changed(instance);
      },
    };
  }

  get catalogue(): Catalogue | undefined {
    return this.#known;
  }

  /** A client has come. */
  join(client: Owner, capabilities: JsonObject): void {
    this.#clients.set(client, capabilities);
    if (this.#context.eager) this.#begun(client).start();
  }

  /** A client has gone, and its process goes with it. */
  leave(client: Owner): void {
    this.#clients.delete(client);
    const instance = this.#instances.get(client);
    if (instance === undefined) return;
    this.#instances.delete(client);
    const ended = instance.stop().finally(() => this.#leaving.delete(ended));
    this.#leaving.add(ended);
  }

  instance(client: Owner): Child {
    return this.#begun(client);
  }

  instances(): readonly Child[] {
    return [...this.#instances.values()];
  }

  start(): void {
    // Each starts with its client.
  }

  /** The process of the client that came last. */
  async ready(signal: AbortSignal): ReturnType<Child['ready']> {
    return await this.#newest().ready(signal);
  }

  async recall(): Promise<void> {
    if (this.#known !== undefined || this.#clients.size === 0) return;
    const instance = this.#newest();
    await instance.recall();
    this.#known ??= instance.catalogue;
  }

  async learn(): Promise<void> {
    await this.recall();
    if (this.#known === undefined && this.#clients.size > 0) await this.#newest().learn();
    else await Promise.all(this.instances().map((each) => each.learn()));
  }

  async stop(why?: Fault): Promise<void> {
    this.#at = 'ended';
    await Promise.allSettled([...[...this.#instances.values()].map((each) => each.stop(why)), ...this.#leaving]);
  }

  status(): ChildStatus {
    const state = this.#at === 'halted' ? 'stopped until it is restarted' : 'stopped';
    return { state };
  }

  async restart(): Promise<void> {
    this.#at = 'work';
    await Promise.all([...this.#instances.values()].map((each) => each.restart()));
  }

  async halt(): Promise<void> {
    this.#at = 'halted';
    await Promise.all([...this.#instances.values()].map((each) => each.halt()));
  }

  #newest(): SpawnedChild {
    const client = [...this.#clients.keys()].at(-1);
    if (client === undefined) throw new Fault('gone', `${this.alias} runs once for each client, and none is there`);
    return this.#begun(client);
  }

  #begun(client: Owner): SpawnedChild {
    const known = this.#instances.get(client);
    if (known !== undefined) return known;
    const capabilities = this.#clients.get(client);
    const instance = new SpawnedChild(this.#spec, this.#context.spawned(capabilities ?? {}), this.#events, {
      owner: client,
      catalogue: this.#known,
    });
    // A client that has gone begins nothing.
    if (capabilities === undefined || this.#at === 'ended') void instance.stop();
    else this.#instances.set(client, instance);
    if (this.#at === 'halted') void instance.halt();
    return instance;
  }
}
