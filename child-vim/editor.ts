import { asFault, Fault } from '../shared/fault.js';
import { type Calls, Unanswered } from './calls.js';
import { Feed } from './feed.js';
import { type Answer, answers, isLong, MAJOR, MINOR, type Verb } from './protocol.js';
import { Remembered } from './remembered.js';
import type { Client } from './revision.js';
import { Turns } from './turns.js';

/** Calls that one editor is asked at a time; those that wait for others are counted. */
const MOST_OPEN = 256;

/** Milliseconds after an answer in which Vim is still taken to listen; nobody types a command in so short a time. */
const FRESH = 20;

/** How long Vim may take to say what it is doing, in milliseconds. */
const GLANCE = 2000;

/** What the plugin told about its Vim at the handshake. */
export interface EditorFacts {
  readonly pid: number;
  readonly cwd: string;
  readonly version: string;
  /** Version of the plugin's protocol, `MAJOR.MINOR`. */
  readonly plugin: string;
  /** What the plugin can be asked; some of it may be unknown here. */
  readonly verbs: ReadonlySet<string>;
}

/** Who has something done, and the end of their patience. */
export interface By {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** A call whose answer is still to come. */
interface Begun<V extends Verb> {
  readonly answer: Promise<Answer<V>>;
}

/** One connected Vim. */
export class Editor {
  /** The assigned target name. */
  readonly name: string;
  /** The same for one Vim process however often it connects. */
  readonly instance: string;
  readonly facts: EditorFacts;
  /** What changes in it. */
  readonly feed: Feed;
  /** When it was connected or used last, in milliseconds since the epoch. */
  lastUsed = Date.now();
  /** What was seen of its text last. */
  readonly remembered = new Remembered();
  /** It said that it will not come back. */
  isLeaving = false;
  /** The person asks for the last edit of a client, or of any, to be taken back. Set by who does that. */
  onUndo: (client: string) => void = () => undefined;
  readonly #calls: Calls;
  readonly #patience: number;
  readonly #writes = new Turns();
  readonly #longReads = new Turns();
  /** Calls that have not ended. */
  #open = 0;
  /** Counts the reports that text may change again; `#onReady` waits for the next. */
  #readies = 0;
  #onReady: (() => void)[] = [];
  /** Aborted when the connection ends. */
  readonly #gone = new AbortController();

  /** `patience` is the time that calls wait for Vim, in milliseconds. */
  constructor(name: string, instance: string, facts: EditorFacts, calls: Calls, patience: number) {
    this.name = name;
    this.instance = instance;
    this.facts = facts;
    this.#calls = calls;
    this.#patience = patience;
    this.feed = new Feed(this);
  }

  /** The verbs that a tool may need and this plugin does not have, sorted. */
  get missing(): string[] {
    return Object.keys(answers)
      .filter((verb) => !this.facts.verbs.has(verb))
      .sort();
  }

  /**
   * Asks for something that changes nothing, and waits `patience` milliseconds at most. See {@link Calls.call}.
   * @throws Fault `unsupported` when the plugin is too old for it, `busy` when too many calls wait.
   */
  request<V extends Verb>(verb: V, params: object, signal: AbortSignal, patience = this.#patience): Promise<Answer<V>> {
    const ask = (): Promise<Answer<V>> => this.#calls.call(verb, params, signal, patience);
    return this.#admitted(verb, () => (isLong(verb) ? this.#longReads.take(ask, signal, patience) : ask()));
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
   * @throws Fault `busy`, telling what the person is doing, when they are not done in time; as {@link request} does.
   */
  write<V extends Verb>(verb: V, params: object, by: By): Promise<Answer<V>> {
    const { signal } = by;
    return this.#attributed(verb, params, by, (own) =>
      this.#admitted(verb, async () => {
        const inTurn = (): Promise<Answer<V>> =>
          this.#writes.take(() => this.#change(verb, own, signal), signal, this.#patience);
        try {
          return await this.#whenFree(inTurn, signal);
        } catch (error) {
          throw error instanceof Unanswered ? uncertain(error) : error;
        }
      }),
    );
  }

  /**
   * Runs what a person wrote for Vim, which may wait for the person or never end. It takes its turn to begin like a
   * change, but changes after it do not wait for its end: Vim serves them in the middle of a prompt, or says that it is
   * busy.
   * @throws Fault `timeout` after `patience` milliseconds, telling what Vim is doing; `gone` if it made Vim go away.
   */
  run<V extends 'ex' | 'eval'>(verb: V, params: object, by: By, patience: number): Promise<Answer<V>> {
    const { signal } = by;
    return this.#attributed(verb, params, by, (own) =>
      this.#admitted(verb, async () => {
        try {
          return await this.#whenFree(async () => {
            const begin = (): Promise<Begun<V>> => this.#begun(verb, own, signal, patience);
            const { answer } = await this.#writes.take(begin, signal, this.#patience);
            return await answer;
          }, signal);
        } catch (error) {
          throw await this.#ranInto(error, patience);
        }
      }),
    );
  }

  /** Aborted when the connection has ended. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Vim reported something. */
  event(name: string, details: Readonly<Record<string, unknown>>): void {
    if (name === 'ready') this.#wake();
    if (name === 'leaving') this.isLeaving = true;
    if (name === 'changed') this.feed.changed();
    if (name === 'undo') this.onUndo(String(details['client'] ?? ''));
  }

  /** The connection has ended. */
  ended(why: Fault): void {
    this.#gone.abort(new Fault('gone', `${this.name} went away: ${why.message}`));
    this.feed.ended();
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

  /** Has Vim tell the changes of an operation from those of others. */
  async #attributed<T>(verb: Verb, params: object, { client }: By, doing: (params: object) => Promise<T>): Promise<T> {
    const by = this.feed.begin(client, verb, params);
    const buffer = 'buffer' in params && typeof params.buffer === 'number' ? params.buffer : undefined;
    try {
      const answer = await doing({ ...params, by });
      this.feed.end(by.op, verb, buffer, undefined);
      return answer;
    } catch (error) {
      this.feed.end(by.op, verb, buffer, asFault(error));
      throw error;
    }
  }

  async #admitted<T>(verb: Verb, ask: () => Promise<T>): Promise<T> {
    if (!this.facts.verbs.has(verb)) throw lacking(this.name, this.facts.plugin, verb);
    if (this.#open >= MOST_OPEN) throw crowded(this.name);
    this.#open += 1;
    try {
      return await ask();
    } finally {
      this.#open -= 1;
    }
  }

  async #change<V extends Verb>(verb: V, params: object, signal: AbortSignal): Promise<Answer<V>> {
    await this.#listening(signal);
    return await this.#calls.call(verb, params, signal);
  }

  /**
   * While Vim runs a shell command it reads nothing, and would carry out later what nobody waits for any more. So a change
   * is sent only when Vim is known to listen.
   */
  async #listening(signal: AbortSignal): Promise<void> {
    if (!this.facts.verbs.has('pulse') || this.#calls.sinceAnswer < FRESH) return;
    try {
      await this.#calls.call('pulse', {}, signal);
    } catch (error) {
      const fault = asFault(error);
      if (!(fault instanceof Unanswered)) throw fault;
      throw new Fault(fault.kind, `nothing was changed: ${fault.message}`, {
        next: 'Repeat the call when state answers again.',
      });
    }
  }

  /** Repeats an attempt that Vim answers with `busy`, whenever it reports that the person is done. */
  async #whenFree<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const deadline = Date.now() + this.#patience;
    for (;;) {
      const before = this.#readies;
      try {
        return await attempt();
      } catch (error) {
        const fault = asFault(error);
        if (fault.kind !== 'busy') throw fault;
        if (before === this.#readies) await this.#ready(deadline - Date.now(), signal, fault);
        this.#gone.signal.throwIfAborted();
      }
    }
  }

  /** A call that is under way, wrapped so that its answer is not waited for. */
  async #begun<V extends Verb>(verb: V, params: object, signal: AbortSignal, patience: number): Promise<Begun<V>> {
    await this.#listening(signal);
    const answer = this.#calls.call(verb, params, signal, patience);
    answer.catch(() => undefined);
    return { answer };
  }

  async #ranInto(error: unknown, patience: number): Promise<Fault> {
    const fault = asFault(error);
    if (fault.kind === 'invalid') {
      return new Fault(fault.kind, fault.message, { next: 'What it did before that stays done.' });
    }
    if (!(fault instanceof Unanswered)) return fault;
    if (fault.kind === 'timeout') return await this.#stillRunning(patience);
    return new Fault('gone', `${this.name} went away before it answered: ${fault.message}`, {
      next: 'A command that quits Vim gets no other answer. Call targets for the editors there are.',
    });
  }

  async #stillRunning(patience: number): Promise<Fault> {
    const pulse = await this.#calls.call('pulse', {}, undefined, GLANCE).catch(() => undefined);
    const what = pulse === undefined ? 'Vim answers nothing, so it is still executing it' : pulse.busy;
    return new Fault('timeout', `${this.name} was not done after ${patience / 1000} s: ${what}`, {
      next: 'Do not repeat it: it goes on when the person answers in Vim, or by itself.',
      data: { mode: pulse?.mode },
    });
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

function lacking(name: string, plugin: string, verb: Verb): Fault {
  return new Fault('unsupported', `the plugin in ${name} (version ${plugin}) is too old for this: it has no ${verb}`, {
    next: `Ask the person to update the Vim plugin to ${MAJOR}.${MINOR} (:help mcp-update) and to restart that Vim.`,
    data: { plugin, verb },
  });
}

function crowded(name: string): Fault {
  return new Fault('busy', `${MOST_OPEN} calls wait for ${name} already; nothing was done`, {
    next: 'Wait for their answers, then repeat the call.',
  });
}

function uncertain({ kind, message }: Unanswered): Fault {
  return new Fault(kind, `${message}; the change may have been carried out`, {
    next: 'Call state once it answers: another changedtick than the one given means that the text has changed.',
  });
}

function stillBusy(name: string, { message, data }: Fault): Fault {
  return new Fault('busy', `nothing was changed in ${name}: ${message}`, {
    next: 'Ask the person to finish that, then repeat the call.',
    data,
  });
}
