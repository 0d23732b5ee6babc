import type PQueue from 'p-queue';
import { Backoff } from '../shared/backoff.js';
import { asFault, Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Peer } from '../shared/peer.js';
import { type Child, type ChildEvents, type ChildStatus, isModern } from './child.js';
import { Conversation } from './conversation.js';
import { Exposure, type ExposureSpec } from './exposure.js';
import type { Guard } from './guard.js';
import type { Greeting } from './handshake.js';
import { whenIdle } from './idle.js';
import type { Era } from './modern.js';
import type { Catalogue } from './protocol.js';
import type { Remembered } from './remembered.js';
import { type Opened, openSource, type Source } from './source.js';

/** Where the life of a spawned child stands; changed by one method only. */
type State =
  | { readonly at: 'stopped' }
  | { readonly at: 'starting'; readonly attempt: Promise<Peer> }
  | { readonly at: 'ready'; readonly conversation: Conversation; readonly since: number }
  | { readonly at: 'waiting'; readonly until: number; readonly why: Fault; readonly timer: NodeJS.Timeout }
  | { readonly at: 'ended' };

/** A wait for the next start that a call sits out rather than fail, in milliseconds. */
const SHORT_WAIT = 2000;

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
  /** Bounds how many children start at one time. */
  readonly starts: PQueue;
  readonly remembered: Remembered;
  readonly greeting: Greeting;
  /** Fulfilled when whoever had its alias before has ended. */
  readonly free: Promise<unknown>;
}

/** A child that the hub runs as a process: started when needed, and again with growing waits when it dies. */
export class SpawnedChild implements Child {
  readonly alias: string;
  readonly exposure: Exposure;
  readonly timeout: number | undefined;
  readonly #spec: SpawnedSpec;
  readonly #context: SpawnedContext;
  readonly #events: ChildEvents;
  readonly #backoff = new Backoff();
  #state: State = { at: 'stopped' };
  #program: Opened | undefined;
  #known: Catalogue | undefined;
  #hasRun = false;
  #restarting: Promise<void> | undefined;

  constructor(spec: SpawnedSpec, context: SpawnedContext, events: ChildEvents) {
    this.alias = spec.alias;
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

  /** Starts it now, without waiting for a call. */
  start(): void {
    if (this.#state.at === 'stopped') void this.#attempt().catch(() => undefined);
  }

  async ready(signal: AbortSignal): Promise<Peer> {
    const state = this.#state;
    if (state.at === 'ready') return state.conversation.peer;
    if (state.at === 'ended') throw new Fault('gone', `${this.alias} was stopped`);
    if (state.at === 'starting') return abortable(state.attempt, signal);
    if (state.at === 'waiting') {
      const left = state.until - performance.now();
      if (left > SHORT_WAIT) throw downFault(this.alias, state.why, left);
      clearTimeout(state.timer);
    }
    return abortable(this.#attempt(), signal);
  }

  async recall(): Promise<void> {
    if (this.#known !== undefined) return;
    const remembered = await this.#context.remembered.read(this.alias, this.#spec.source);
    this.#known ??= remembered;
  }

  async learn(): Promise<void> {
    await this.recall();
    if (this.#known !== undefined || this.#state.at === 'waiting') return;
    await this.ready(new AbortController().signal).catch(() => undefined);
  }

  async stop(why?: Fault): Promise<void> {
    if (this.#state.at === 'waiting') clearTimeout(this.#state.timer);
    this.#enter({ at: 'ended' });
    await this.#program?.stop(why);
  }

  status(): ChildStatus {
    const { at } = this.#state;
    if (at === 'ready') return { state: 'running', pid: this.#program?.pid };
    if (at === 'starting') return { state: 'starting' };
    if (this.#state.at === 'waiting') return { state: 'waiting to be started again', error: this.#state.why.message };
    return { state: 'stopped' };
  }

  /** Asked again meanwhile, it is the same restart. */
  restart(): Promise<void> {
    this.#restarting ??= this.#restart().finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  async #restart(): Promise<void> {
    const why = new Fault('gone', `${this.alias} is restarted`, { next: 'Repeat the call.' });
    if (this.#state.at === 'starting') await this.#state.attempt.catch(() => undefined);
    // A start that failed has set the time of the next one.
    const state: State = this.#state;
    if (state.at === 'waiting') clearTimeout(state.timer);
    if (state.at === 'ended') throw new Fault('gone', `${this.alias} was stopped`);
    this.#enter({ at: 'stopped' });
    await this.#program?.stop(why);
    await this.ready(new AbortController().signal);
  }

  #isEnded(): boolean {
    return this.#state.at === 'ended';
  }

  #enter(state: State): void {
    this.#state = state;
  }

  #attempt(): Promise<Peer> {
    const attempt = this.#context.starts.add(() => this.#run());
    this.#enter({ at: 'starting', attempt });
    attempt.catch((error: unknown) => this.#fall(asFault(error), 0));
    return attempt;
  }

  async #run(): Promise<Peer> {
    await Promise.all([this.#context.free, this.#program?.stop()]);
    if (this.#isEnded()) throw new Fault('gone', `${this.alias} was stopped`);
    const { source } = this.#spec;
    const [program] = await Promise.all([openSource(this.alias, source, this.#context.guard), this.recall()]);
    this.#program = program;
    if (this.#isEnded()) {
      await program.stop();
      throw new Fault('gone', `${this.alias} was stopped`);
    }
    const since = performance.now();
    const conversation = new Conversation(program.link, {
      question: (call) => this.#events.question(this, call),
      notification: (frame, on) => this.#events.notification(this, frame, on),
      changed: () => this.#learned(conversation.catalogue),
      end: (why) => this.#ended(conversation, why),
    });
    program.whenUnheard?.(() => conversation.reread());
    program.knows?.(() => conversation.catalogue);
    try {
      await conversation.begin({ ...this.#context.greeting, eras: this.#eras(), overHttp: 'url' in source });
    } catch (error) {
      void program.stop();
      throw error;
    }
    if (this.#isEnded()) throw new Fault('gone', `${this.alias} was stopped`);
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
    this.#enter({ at: 'stopped' });
    log.info(`${this.alias} had nothing to do and is stopped until its next call`);
    void this.#program?.stop();
  }

  #fall(why: Fault, heldFor: number): void {
    if (this.#state.at === 'ended') return;
    if (this.#spec.required && !this.#hasRun) {
      this.#enter({ at: 'ended' });
      this.#events.missing(this, why);
      return;
    }
    const wait = this.#backoff.next(heldFor);
    const timer = setTimeout(() => void this.#attempt().catch(() => undefined), wait);
    this.#enter({ at: 'waiting', until: performance.now() + wait, why, timer });
    this.#events.fell(this, why, wait);
  }
}

function downFault(alias: string, why: Fault, left: number): Fault {
  return new Fault('gone', `${alias} is down: ${why.message}`, {
    next: `It is started again in ${Math.ceil(left / 1000)} s; try then.`,
    data: { child: alias },
  });
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
