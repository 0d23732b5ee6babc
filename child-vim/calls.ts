import { asFault, Fault, type FaultKind } from '../shared/fault.js';
import type { Link, Receiver } from '../shared/link.js';
import { log } from '../shared/log.js';
import { fits, pieces } from './frames.js';
import { type Answer, answers, ENTRY, event, events, failure, type Reported, type Verb } from './protocol.js';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (why: Fault) => void;
}

/** What a connection tells beside answers. */
export interface Listening {
  event(name: string, details: Readonly<Record<string, unknown>>): void;
  end(why: Fault): void;
}

/** Vim did not answer a request that had gone out: nobody knows whether it was carried out. */
export class Unanswered extends Fault {}

/** Requests to one Vim over its JSON channel, `:help channel-commands`: numbered calls of one function. */
export class Calls implements Receiver {
  readonly #link: Link;
  readonly #listening: Listening;
  /** Longest wait for an answer in milliseconds where nothing else is said. */
  readonly #patience: number;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #staged = 0;
  #ended: Fault | undefined;
  #lastAnswer = Number.NEGATIVE_INFINITY;

  constructor(link: Link, listening: Listening, patience: number) {
    this.#link = link;
    this.#listening = listening;
    this.#patience = patience;
  }

  /**
   * Calls a verb. An abort stops waiting; Vim may still carry it out.
   * @throws Fault of the category Vim answers, `timeout`, `gone` when the connection ends, or `cancelled`;
   * {@link Unanswered} when the request had gone out.
   */
  async call<V extends Verb>(
    verb: V,
    params: object,
    signal?: AbortSignal,
    patience = this.#patience,
  ): Promise<Answer<V>> {
    const json = JSON.stringify(params);
    const value = fits(json)
      ? await this.#send(verb, json, signal, patience)
      : await this.#sendStaged(verb, json, signal, patience);
    const parsed = answers[verb].safeParse(value);
    if (!parsed.success) throw new Fault('protocol', `${this.#link.name} answers ${verb} with something else`);
    return parsed.data as Answer<V>;
  }

  message(bytes: Buffer): void {
    try {
      this.#take(JSON.parse(bytes.toString()) as unknown);
    } catch (error) {
      log.warn(`${this.#link.name}: a message could not be read: ${asFault(error).message}`);
    }
  }

  end(why: Fault): void {
    this.#ended = why;
    const unanswered = new Unanswered('gone', `the editor went away: ${why.message}`);
    for (const { reject } of this.#waiting.values()) reject(unanswered);
    this.#waiting.clear();
    this.#listening.end(why);
  }

  close(why: Fault): void {
    this.#link.close(why);
  }

  #take(message: unknown): void {
    if (!Array.isArray(message) || typeof message[0] !== 'number') throw new Fault('protocol', 'not a channel message');
    const [id, body] = message as [number, unknown];
    if (id < 0) this.#answered(-id, body);
    else this.#reported([event.parse(body)[1]]);
  }

  #reported(all: readonly Reported[]): void {
    for (const { name, ...details } of all) this.#listening.event(name, details);
  }

  /** Milliseconds since Vim answered something. */
  get sinceAnswer(): number {
    return performance.now() - this.#lastAnswer;
  }

  #answered(id: number, body: unknown): void {
    this.#lastAnswer = performance.now();
    if (hasEvents(body)) this.#reported(events.safeParse(body.events).data ?? []);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    if (isOk(body)) {
      waiting.resolve(body.ok);
      return;
    }
    const parsed = failure.safeParse(body);
    if (parsed.success) waiting.reject(vimFault(parsed.data.err));
    else waiting.reject(new Fault('bug', 'Vim could not run the request', { data: { answer: body } }));
  }

  async #send(verb: Verb, json: string, signal: AbortSignal | undefined, patience: number): Promise<unknown> {
    if (signal?.aborted === true) throw cancelled(signal);
    if (this.#ended !== undefined) throw new Fault('gone', `the editor went away: ${this.#ended.message}`);
    this.#last += 1;
    const id = this.#last;
    let settle: Waiting | undefined;
    const answer = new Promise<unknown>((resolve, reject) => {
      settle = { resolve, reject };
      this.#waiting.set(id, settle);
    });
    const onAbort = (): void => settle?.reject(cancelled(signal));
    const timer = setTimeout(() => settle?.reject(silent(verb, patience)), patience);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      this.#link.send(`["call","${ENTRY}",["${verb}",${json}],${-id}]`);
      return await answer;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#waiting.delete(id);
    }
  }

  /** One piece at a time: Vim is never flooded, and a cancelled request stops between two pieces. */
  async #sendStaged(verb: Verb, json: string, signal: AbortSignal | undefined, patience: number): Promise<unknown> {
    this.#staged += 1;
    const id = String(this.#staged);
    try {
      for (const text of pieces(json)) await this.#send('stage', JSON.stringify({ id, text }), signal, patience);
    } catch (error) {
      this.#send('unstage', JSON.stringify({ id }), undefined, patience).catch(() => undefined);
      // Pieces alone do nothing.
      throw error instanceof Unanswered ? new Fault(error.kind, `nothing was done: ${error.message}`) : error;
    }
    return await this.#send('staged', JSON.stringify({ id, verb }), signal, patience);
  }
}

/** The value itself is checked by who asked for it. */
function hasEvents(body: unknown): body is { readonly events: unknown } {
  return typeof body === 'object' && body !== null && 'events' in body;
}

function isOk(body: unknown): body is { readonly ok: unknown } {
  return typeof body === 'object' && body !== null && 'ok' in body;
}

const NEXT: Partial<Record<FaultKind, string>> = {
  unknown: 'Call state for the buffers there are.',
  stale: 'Read the buffer again and repeat the call with the new changedtick.',
};

/** Another program wrote the file: reading the buffer again would change nothing. */
const NEXT_ON_DISK =
  'Ask the person which version to keep: in Vim, :edit! takes the one on disk and :write! keeps that of the buffer.';

function vimFault(err: { category: FaultKind; message: string; data?: Record<string, unknown> | undefined }): Fault {
  // Only the file on disk has a reason, `:help v:fcs_reason`.
  const next = err.category === 'stale' && err.data?.['reason'] !== undefined ? NEXT_ON_DISK : NEXT[err.category];
  return new Fault(err.category, err.message, { data: err.data ?? {}, ...(next === undefined ? {} : { next }) });
}

function cancelled(signal: AbortSignal | undefined): Fault {
  return new Fault('cancelled', 'the request was cancelled', { cause: signal?.reason });
}

function silent(verb: Verb, patience: number): Fault {
  const why = 'it may be stopped or running a command';
  return new Unanswered('timeout', `Vim did not answer ${verb} within ${patience / 1000} s; ${why}`, {
    next: 'Call state to see whether it answers again.',
  });
}
