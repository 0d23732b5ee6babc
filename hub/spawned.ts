import { Backoff } from '../shared/backoff.js';
import { asFault, Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Peer } from '../shared/peer.js';
import type { Owner } from './caller.js';
import { type Child, type ChildEvents, type ChildStatus, isModern } from './child.js';
import { Conversation } from './conversation.js';
import { Exposure, type ExposureSpec } from './exposure.js';
import type { Guard } from './guard.js';
import type { Greeting } from './handshake.js';
import { whenIdle } from './idle.js';
import type { Era } from './modern.js';
import type { Catalogue } from './protocol.js';
import { Remarks } from './remarks.js';
import type { Remembered } from './remembered.js';
import { type Opened, openSource, type Source } from './source.js';
import { announceStart } from './starting.js';
import type { Starts } from './starts.js';

/** Where the life of a spawned child stands; changed by one method only. */
type State =
  | { readonly at: 'stopped' }
  | { readonly at: 'starting'; readonly attempt: Promise<Peer>; readonly since: number }
  | { readonly at: 'ready'; readonly conversation: Conversation; readonly since: number }
  | { readonly at: 'waiting'; readonly until: number; readonly timer: NodeJS.Timeout }
  | { readonly at: 'halted' }
  | { readonly at: 'ended' };

/** A wait for the next start that a call sits out rather than fail, in milliseconds. */
const SHORT_WAIT = 2000;
/** Failures in a row from which on calls wait for no start any more, and start nothing. */
const MOST_FAILURES = 5;
/** Milliseconds after which nobody waits for a start only to learn what is offered. */
const OVERDUE = 10_000;

/** A child to spawn, as the person configured it. */
export interface SpawnedSpec extends ExposureSpec {
  readonly alias: string;
  readonly source: Source;
  /** Whether the hub ends where it cannot be started the first time. */
  readonly required: boolean;
  /** The only era in which it is spoken to; what it answers to where there is none. */
  readonly era?: Era;
  /** Milliseconds without answer or progress after which a request to it fails. */
  readonly timeout?: number;
  /** Milliseconds without any open request after which it is stopped until its next call. */
  readonly idle?: number;
}

/** What a spawned child needs of the hub. */
export interface SpawnedContext {
  readonly guard: Guard;
  readonly starts: Starts;
  readonly remembered: Remembered;
  readonly greeting: Greeting;
  /** Fulfilled when whoever had its alias before has ended. */
  readonly free: Promise<unknown>;
}

/** The one client that a child serves, and what is known of what it offers. */
interface OnlyFor {
  readonly owner: Owner;
  readonly catalogue: Catalogue | undefined;
}

/** A child that the hub runs as a process: started when needed, and again with growing waits when it dies. */
export class SpawnedChild implements Child {
  readonly alias: string;
  readonly exposure: Exposure;
  readonly timeout: number | undefined;
  readonly remarks = new Remarks();
  readonly owner: Owner | undefined;
  readonly #spec: SpawnedSpec;
  readonly #context: SpawnedContext;
  readonly #events: ChildEvents;
  readonly #backoff = new Backoff();
  #state: State = { at: 'stopped' };
  /** Counts the starts and what put an end to one, so that an old one knows that it counts no more. */
  #life = 0;
  #program: Opened | undefined;
  /** The connection there is, or the last one. */
  #conversation: Conversation | undefined;
  #failure: Fault | undefined;
  #known: Catalogue | undefined;
  #hasRun = false;
  #restarting: Promise<void> | undefined;

  /** Where it is not there for all, `only` is the one client that it serves, and what the others of it offer. */
  constructor(spec: SpawnedSpec, context: SpawnedContext, events: ChildEvents, only?: OnlyFor) {
    this.alias = spec.alias;
    this.owner = only?.owner;
    this.#known = only?.catalogue;
    this.exposure = new Exposure(spec.alias, spec);
    this.timeout = spec.timeout;
    this.#spec = spec;
    this.#context = context;
    this.#events = events;
  }

  get catalogue(): Catalogue | undefined {
    return this.#known;
  }

  get peer(): Peer | undefined {
    return this.#state.at === 'ready' ? this.#state.conversation.peer : undefined;
  }

  instance(): Child {
    return this;
  }

  instances(): readonly Child[] {
    return [this];
  }

  /** Starts it now, without waiting for a call. */
  start(): void {
    if (this.#state.at === 'stopped') void this.#attempt().catch(() => undefined);
  }

  async ready(signal: AbortSignal): Promise<Peer> {
    const state = this.#state;
    if (state.at === 'ready') return state.conversation.peer;
    if (state.at === 'ended') throw new Fault('gone', `${this.alias} was stopped`);
    if (state.at === 'halted') throw haltedFault(this.alias);
    const left = this.#wait();
    if (this.#failure !== undefined && (left > SHORT_WAIT || this.#isGivenUp(state)))
      throw downFault(this.alias, this.#failure, this.#backoff.failures, left);
    if (state.at === 'starting') return abortable(state.attempt, signal);
    if (state.at === 'waiting') clearTimeout(state.timer);
    return abortable(this.#attempt(), signal);
  }

  async recall(): Promise<void> {
    if (this.#known !== undefined) return;
    const remembered = await this.#context.remembered.read(this.alias, this.#spec.source);
    this.#known ??= remembered;
  }

  async learn(): Promise<void> {
    await this.recall();
    const state = this.#state;
    if (state.at === 'ready') await state.conversation.refresh();
    if (this.#known !== undefined || state.at === 'waiting') return;
    if (state.at === 'starting' && performance.now() - state.since > OVERDUE) return;
    await this.ready(new AbortController().signal).catch(() => undefined);
  }

  async stop(why?: Fault): Promise<void> {
    this.#leave({ at: 'ended' });
    await this.#program?.stop(why);
  }

  status(): ChildStatus {
    const { at } = this.#state;
    return {
      state: SHOWN[at],
      pid: at === 'ready' ? this.#program?.pid : undefined,
      error: this.#failure?.message,
      failures: this.#backoff.failures,
      wait: this.#wait(),
      junk: this.#conversation?.junk ?? 0,
    };
  }

  /** Asked again meanwhile, it is the same restart. */
  restart(): Promise<void> {
    const restarting = this.#restarting ?? this.#restart();
    this.#restarting = restarting;
    return restarting.finally(() => {
      if (this.#restarting === restarting) this.#restarting = undefined;
    });
  }

  async halt(): Promise<void> {
    if (this.#state.at === 'ended') return;
    this.#restarting = undefined;
    this.#leave({ at: 'halted' });
    await this.#program?.stop(haltedFault(this.alias));
  }

  async #restart(): Promise<void> {
    if (this.#state.at === 'ended') throw new Fault('gone', `${this.alias} was stopped`);
    this.#leave({ at: 'stopped' });
    this.#backoff.reset();
    await this.#program?.stop(new Fault('gone', `${this.alias} is restarted`, { next: 'Repeat the call.' }));
    await this.ready(new AbortController().signal);
  }

  #enter(state: State): void {
    this.#state = state;
  }

  /** Puts an end to what is going on, a start included. */
  #leave(next: State): void {
    if (this.#state.at === 'waiting') clearTimeout(this.#state.timer);
    this.#life += 1;
    this.#enter(next);
  }

  /** Whether it has failed so often that only the time of its next start brings one. */
  #isGivenUp({ at }: State): boolean {
    return this.#backoff.failures >= MOST_FAILURES && (at === 'waiting' || at === 'starting');
  }

  /** Milliseconds until it is started again. */
  #wait(): number {
    return this.#state.at === 'waiting' ? Math.max(this.#state.until - performance.now(), 0) : 0;
  }

  #attempt(): Promise<Peer> {
    this.#life += 1;
    const life = this.#life;
    const attempt = this.#context.starts.run(() => this.#run(life));
    this.#enter({ at: 'starting', attempt, since: performance.now() });
    announceStart(this.alias, attempt);
    attempt.catch((error: unknown) => {
      if (life === this.#life) this.#fall(asFault(error), 0);
    });
    return attempt;
  }

  /** @throws Fault `gone` where the start counts no more. */
  #check(life: number): void {
    if (life !== this.#life) throw new Fault('gone', `${this.alias} was stopped while it started`);
  }

  async #run(life: number): Promise<Peer> {
    await Promise.all([this.#context.free, this.#program?.stop()]);
    this.#check(life);
    const { source } = this.#spec;
    const { guard } = this.#context;
    const [program] = await Promise.all([openSource(this.alias, source, guard, this.remarks), this.recall()]);
    if (life !== this.#life) await program.stop();
    this.#check(life);
    this.#program = program;
    const since = performance.now();
    const conversation = new Conversation(program.link, {
      question: (call) => this.#events.question(this, call),
      notification: (frame, on) => this.#events.notification(this, frame, on),
      changed: () => this.#learned(conversation.catalogue),
      end: (why) => this.#ended(conversation, why),
    });
    this.#conversation = conversation;
    program.whenUnheard?.(() => conversation.reread());
    program.knows?.(() => conversation.catalogue);
    try {
      await conversation.begin({ ...this.#context.greeting, eras: this.#eras(), overHttp: 'url' in source });
    } catch (error) {
      void program.stop();
      throw error;
    }
    this.#check(life);
    this.#enter({ at: 'ready', conversation, since });
    this.#hasRun = true;
    this.#learned(conversation.catalogue);
    const isNeeded = (): boolean => this.#events.isNeeded(this);
    if (this.#spec.idle !== undefined)
      whenIdle(conversation.peer, this.#spec.idle, isNeeded, () => this.#rest(conversation));
    return conversation.peer;
  }

  /** What was found before comes first. A server that is asked by HTTP does not mind being asked for what it lacks. */
  #eras(): readonly Era[] {
    const { era, source } = this.#spec;
    if (era !== undefined) return [era];
    return isModern(this) || 'url' in source ? ['modern', 'legacy'] : ['legacy', 'modern'];
  }

  #learned(catalogue: Catalogue): void {
    this.#known = catalogue;
    this.#context.remembered.write(this.alias, this.#spec.source, catalogue);
    this.#events.changed(this);
  }

  #ended(conversation: Conversation, why: Fault): void {
    const state = this.#state;
    if (state.at === 'ready' && state.conversation === conversation) this.#fall(why, performance.now() - state.since);
  }

  /** Stops it until its next call; what it offers stays known. */
  #rest(conversation: Conversation): void {
    if (this.#state.at !== 'ready' || this.#state.conversation !== conversation) return;
    this.#leave({ at: 'stopped' });
    this.#backoff.reset();
    log.info(`${this.alias} had nothing to do and is stopped until its next call`);
    void this.#program?.stop();
  }

  #fall(why: Fault, heldFor: number): void {
    this.#failure = why;
    if (this.#spec.required && !this.#hasRun) {
      this.#enter({ at: 'ended' });
      this.#events.missing(this, why);
      return;
    }
    const wait = this.#backoff.next(heldFor);
    const timer = setTimeout(() => void this.#attempt().catch(() => undefined), wait);
    this.#enter({ at: 'waiting', until: performance.now() + wait, timer });
    this.#events.fell(this, why, wait);
  }
}

/** Where the life of a child stands, in words. */
const SHOWN: Readonly<Record<State['at'], ChildStatus['state']>> = {
  stopped: 'stopped',
  starting: 'starting',
  ready: 'running',
  waiting: 'waiting to be started again',
  halted: 'stopped until it is restarted',
  ended: 'stopped',
};

function downFault(alias: string, why: Fault, failures: number, left: number): Fault {
  const often = failures < MOST_FAILURES ? '' : ` It has failed ${failures} times in a row.`;
  const again = left > 0 ? `It is started again in ${Math.ceil(left / 1000)} s` : 'It is being started again';
  return new Fault('gone', `${alias} is down: ${why.message}`, {
    next: `${again}; try then.${often}${why.next === undefined ? '' : ` ${why.next}`}`,
    data: { child: alias },
  });
}

function haltedFault(alias: string): Fault {
  const next = `It stays so until hub.restart, or a new configuration, starts it.`;
  return new Fault('gone', `${alias} was stopped by hub.stop`, { next, data: { child: alias } });
}

/** The promise, or the signal's reason where that comes first. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(asFault(signal.reason));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
