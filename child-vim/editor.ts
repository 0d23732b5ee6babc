import PQueue from 'p-queue';
import { asFault, Fault } from '../shared/fault.js';
import { type Calls, PATIENCE } from './calls.js';
import type { Answer, Verb } from './protocol.js';

/** What the plugin told about its Vim at the handshake. */
export interface EditorFacts {
  readonly pid: number;
  readonly cwd: string;
  readonly version: string;
}

/** One connected Vim. */
export class Editor {
  /** The assigned target name. */
  readonly name: string;
  /** The same for one Vim process however often it connects. */
  readonly instance: string;
  readonly facts: EditorFacts;
  /** When it was connected or used last, in milliseconds since the epoch. */
  lastUsed = Date.now();
  /** It said that it will not come back. */
  isLeaving = false;
  readonly #calls: Calls;
  readonly #writes = new PQueue({ concurrency: 1 });
  /** Counts the reports that text may change again; `#onReady` waits for the next. */
  #readies = 0;
  #onReady: (() => void)[] = [];
  /** Aborted when the connection ends. */
  readonly #gone = new AbortController();

  constructor(name: string, instance: string, facts: EditorFacts, calls: Calls) {
    this.name = name;
    this.instance = instance;
    this.facts = facts;
    this.#calls = calls;
  }

  /** Asks for something that changes nothing. See {@link Calls.call}. */
  request<V extends Verb>(verb: V, params: object, signal: AbortSignal): Promise<Answer<V>> {
    return this.#calls.call(verb, params, signal);
  }

  /**
   * The facts of a buffer that must be at `tick`, asked before the person is.
   * @throws Fault `stale` with the tick it is at.
   */
  async probe(buffer: number, tick: number, signal: AbortSignal): Promise<Answer<'probe'>> {
    const facts = await this.request('probe', { buffer }, signal);
    checkTick(facts, tick);
    return facts;
  }

  /**
   * Has something changed. One change at a time; while the person is in the middle of a command it waits until they
   * are done.
   * @throws Fault `busy`, telling what the person is doing, when they are not done in time.
   */
  async write<V extends Verb>(verb: V, params: object, signal: AbortSignal, patience = PATIENCE): Promise<Answer<V>> {
    const deadline = Date.now() + patience;
    for (;;) {
      const before = this.#readies;
      try {
        return await this.#inTurn(() => this.#calls.call(verb, params, signal), signal);
      } catch (error) {
        const fault = asFault(error);
        if (fault.kind !== 'busy') throw fault;
        if (before === this.#readies) await this.#ready(deadline - Date.now(), signal, fault);
        this.#gone.signal.throwIfAborted();
      }
    }
  }

  /** Vim reported something. */
  event(name: string): void {
    if (name === 'ready') this.#wake();
    if (name === 'leaving') this.isLeaving = true;
  }

  /** The connection has ended. */
  ended(why: Fault): void {
    this.#gone.abort(new Fault('gone', `${this.name} went away: ${why.message}`));
    this.#wake();
  }

  /** Ends the connection. */
  close(why: Fault): void {
    this.#calls.close(why);
  }

  #wake(): void {
    this.#readies += 1;
    const waiting = this.#onReady;
    this.#onReady = [];
    for (const resolve of waiting) resolve();
  }

  /** A cancelled change that has not begun leaves the queue. */
  async #inTurn<T>(change: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return (await this.#writes.add(change, { signal })) as T;
  }

  async #ready(patience: number, signal: AbortSignal, busy: Fault): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let onAbort: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#onReady.push(resolve);
        timer = setTimeout(() => reject(stillBusy(this.name, busy)), Math.max(patience, 0));
        onAbort = () => reject(new Fault('cancelled', 'the request was cancelled'));
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted) onAbort();
      });
    } finally {
      clearTimeout(timer);
      if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    }
  }
}

/** @throws Fault `stale` unless the buffer is at the tick that was seen. */
export function checkTick({ buffer, filename, changedtick }: Answer<'edit'>, tick: number): void {
  if (changedtick === tick) return;
  throw new Fault('stale', `buffer ${buffer} (${filename}) changed since tick ${tick}; it is now at ${changedtick}`, {
    next: 'Read the buffer again and repeat the call with the new changedtick.',
    data: { changedtick },
  });
}

function stillBusy(name: string, { message, data }: Fault): Fault {
  return new Fault('busy', `nothing was changed in ${name}: ${message}`, {
    next: 'Ask the person to finish and press Esc, then repeat the call.',
    data,
  });
}
