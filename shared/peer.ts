import { OPEN_ARRAY } from './ascii.js';
import { Call, type CallSource } from './call.js';
import { asFault, Fault } from './fault.js';
import { checkedMembers } from './json-check.js';
import { errorFault, errorObject, Frame, type IdKey, idKey, keyOf, looseMessage } from './jsonrpc.js';
import { limits } from './limits.js';
import type { Link } from './link.js';
import { type Edit, joined, type Parts } from './parts.js';
import { Pending } from './pending.js';

/** What comes from the other side and is not an answer. */
export interface PeerHandlers {
  request(call: Call): void;
  /** `on` is who waits for the answer to the request that it came with, where the link tells. */
  notification(frame: Frame, on?: Waiting): void;
  /** Bytes that are no JSON-RPC message. */
  unreadable(fault: Fault, bytes: Buffer): void;
  /** The link ended; every request that was waiting has been failed with the same fault. */
  end(why: Fault): void;
}

/** Who waits for the answer to one outgoing request. */
export interface Waiting {
  /** The call that was forwarded. */
  readonly call?: Call;
  /** Whether it is not waited for, but stays open as long as it can. */
  readonly isStanding?: boolean;
  /** The answer as it came, or why there is none. Said exactly once, unless the request is cancelled. */
  answer(outcome: Frame | Fault): void;
  /** A progress notification for this request. */
  progress?(frame: Frame): void;
  /** A notification of what this request subscribed to. */
  told?: ((frame: Frame) => void) | undefined;
}

export interface PeerOptions {
  /** Milliseconds in which open calls may still be answered once the other side has closed its half; none by default. */
  readonly lastAnswers?: number;
}

/** How long to wait for an answer. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeout?: number;
  /** See {@link Waiting.isStanding}. */
  readonly isStanding?: boolean;
  /** See {@link Waiting.told}. */
  readonly told?: (frame: Frame) => void;
}

/**
 * JSON-RPC 2.0 on one link, both ways: requests of our own and forwarded ones under ids of our own, incoming requests
 * under theirs, cancellation and progress (MCP basic/utilities). The progress token of an outgoing request is its id.
 */
export class Peer implements CallSource {
  readonly #link: Link;
  readonly #handlers: PeerHandlers;
  readonly #waiting = new Pending<number, Waiting>();
  readonly #serving = new Pending<IdKey, Call>();
  readonly #lastAnswers: number | undefined;
  #next = 0;
  #draining = false;
  #ended: Fault | undefined;

  constructor(link: Link, handlers: PeerHandlers, options: PeerOptions = {}) {
    this.#link = link;
    this.#handlers = handlers;
    this.#lastAnswers = options.lastAnswers;
  }

  get name(): string {
    return this.#link.name;
  }

  /** Whether no request is open, neither one of the other side nor one to it; those that are standing do not count. */
  get isQuiet(): boolean {
    return this.#serving.size === 0 && this.#waiting.values().every(({ isStanding }) => isStanding === true);
  }

  /** How many requests have been sent so far. */
  get requests(): number {
    return this.#next;
  }

  /** Whether the link has ended. */
  get ended(): boolean {
    return this.#ended !== undefined;
  }

  start(): void {
    this.#link.start({
      message: (bytes, on) => this.#message(bytes, on),
      end: (why) => this.#end(why),
      ...(this.#lastAnswers === undefined ? {} : { inputEnd: () => this.#inputEnd() }),
    });
  }

  close(why?: Fault): void {
    this.#link.close(why);
  }

  send(parts: Parts): void {
    this.#link.send(...parts);
  }

  /** JSON-RPC 2.0 section 5: an answer with the id null to what cannot be read. */
  refuse(fault: Fault): void {
    this.send([JSON.stringify({ jsonrpc: '2.0', id: null, error: { ...errorObject(fault), code: -32700 } })]);
  }

  notify(method: string, params?: Record<string, unknown>): void {
    this.send([JSON.stringify({ jsonrpc: '2.0', method, params })]);
  }

  about(call: Call, parts: Parts): void {
    this.#link.reply({ id: call.frame.idKey, last: false }, parts);
  }

  /** Those who wait for the answers to calls that were forwarded here. */
  forwarded(): Waiting[] {
    return this.#waiting.values().filter(({ call }) => call !== undefined);
  }

  /**
   * Forwards a request that came elsewhere, with its id and progress token rewritten and the edits applied; its id here.
   * `on` is the call from here that it belongs to.
   */
  forward(frame: Frame, edits: readonly Edit[], waiting: Waiting, on?: Call): number {
    const span = frame.span('id');
    if (span === undefined) throw new Fault('bug', 'only a request can be forwarded');
    const id = this.#register(waiting);
    if (this.#ended !== undefined) return id;
    const text = String(id);
    const token = frame.at('_meta', 'progressToken');
    // In the order in which they mostly stand, so that they need not be sorted.
    const own: Edit[] = [{ span, text }, ...edits];
    if (token !== undefined) own.push({ span: token, text });
    const message = [frame.with(own)];
    if (on === undefined) this.send(message);
    else this.about(on, message);
    return id;
  }

  /** A new id, and who waits for its answer, before anything else happens. On an ended link the answer comes at once. */
  #register(waiting: Waiting): number {
    const id = this.#next;
    this.#next += 1;
    if (this.#ended === undefined) this.#waiting.set(id, waiting);
    else waiting.answer(this.#ended);
    return id;
  }

  /**
   * Tells the other side that nobody waits any more, by the notification that came elsewhere where there is one; its
   * late answer is dropped.
   */
  cancel(id: number, params: Record<string, unknown> = {}, notification?: Frame): void {
    if (this.#waiting.take(id) === undefined) return;
    const span = notification?.at('requestId');
    if (notification === undefined || span === undefined)
      this.notify('notifications/cancelled', { ...params, requestId: id });
    else this.send([notification.with([{ span, text: String(id) }])]);
  }

  /** Goes on hearing of the progress of a request that was answered, until the function that is returned is called. */
  follow(id: number, progress: (frame: Frame) => void): () => void {
    const following: Waiting = { isStanding: true, answer: () => undefined, progress };
    if (this.#ended === undefined) this.#waiting.set(id, following);
    return () => {
      if (this.#waiting.get(id) === following) this.#waiting.take(id);
    };
  }

  /**
   * A request of our own; `timeout` in milliseconds.
   * @throws Fault of the answer's error, `timeout`, `gone`, or the signal's reason.
   */
  async request(method: string, params: unknown, options: RequestOptions = {}): Promise<unknown> {
    return (await this.ask(method, params, options)).outcome;
  }

  /** The same, with the answer as it came. */
  async ask(method: string, params: unknown, options: RequestOptions = {}): Promise<Frame> {
    const answer = await this.#outcome(method, params, options);
    if (answer.kind === 'error') throw errorFault(this.name, answer.outcome);
    return answer;
  }

  serves(call: Call): boolean {
    return this.#serving.get(call.frame.idKey) === call;
  }

  /** Answers an incoming request, unless it was answered or cancelled before. */
  answer(call: Call, parts: Parts): void {
    if (!this.serves(call)) return;
    this.#serving.take(call.frame.idKey);
    this.#link.reply({ id: call.frame.idKey, last: true }, parts);
    if (this.#draining) this.#closeIfDone();
  }

  #outcome(method: string, params: unknown, options: RequestOptions): Promise<Frame> {
    const { signal, timeout, isStanding = false, told } = options;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      let id = -1;
      const stop = (why: Fault): void => {
        this.cancel(id, { reason: why.message });
        settle(why);
      };
      const aborted = (): void => stop(asFault(signal?.reason));
      const late = (): void => stop(lateFault(this.name, method, timeout));
      const timer = timeout === undefined ? undefined : setTimeout(late, timeout).unref();
      const settle = (outcome: Frame | Fault): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        if (outcome instanceof Fault) reject(outcome);
        else resolve(outcome);
      };
      signal?.addEventListener('abort', aborted, { once: true });
      id = this.#register({ answer: settle, isStanding, told });
      this.send([JSON.stringify({ jsonrpc: '2.0', id, method, params })]);
    });
  }

  #message(bytes: Buffer, on?: IdKey): void {
    if (bytes[0] === OPEN_ARRAY) {
      this.#batch(bytes);
      return;
    }
    try {
      const frame = Frame.parse(bytes);
      if (frame.kind === 'request') this.#request(frame, this.#waitingFor(on));
      else if (frame.kind === 'notification') this.#notification(frame, this.#waitingFor(on));
      else this.#answer(frame);
    } catch (error) {
      this.#unreadable(asFault(error), bytes);
    }
  }

  #waitingFor(id: IdKey | undefined): Waiting | undefined {
    return typeof id === 'number' ? this.#waiting.get(id) : undefined;
  }

  /** A batch, as revision 2025-03-26 has them; its messages are dealt with and answered one by one. */
  #batch(bytes: Buffer): void {
    try {
      // Checked for depth before it is parsed; wrapped, because what is checked has to be an object.
      checkedMembers(joined(['{"batch":', bytes, '}']), limits.depth + 2);
      const messages: unknown = JSON.parse(bytes.toString());
      if (!Array.isArray(messages) || messages.length === 0 || messages.length > MOST_IN_BATCH) {
        throw new Fault('protocol', `a batch holds 1 to ${MOST_IN_BATCH} messages`);
      }
      for (const message of messages)
        this.#message(Buffer.from(JSON.stringify(Array.isArray(message) ? null : message)));
    } catch (error) {
      this.#handlers.unreadable(new Fault('protocol', asFault(error).message), bytes);
    }
  }

  /** What must not be passed on still ends the request that it is, or is the answer to, where that can be told. */
  #unreadable(fault: Fault, bytes: Buffer): void {
    const { id, method } = looseMessage(bytes);
    const waiting = typeof id === 'number' && method === undefined ? this.#waiting.take(id) : undefined;
    if (waiting !== undefined) {
      waiting.answer(new Fault('protocol', `${this.name} gave an answer that cannot be passed on: ${fault.message}`));
    } else if (method !== undefined && (typeof id === 'number' || typeof id === 'string')) {
      const message = JSON.stringify({ jsonrpc: '2.0', id, error: errorObject(fault) });
      this.#link.reply({ id: keyOf(id), last: true }, [message]);
    } else this.#handlers.unreadable(fault, bytes);
  }

  #request(frame: Frame, on: Waiting | undefined): void {
    const call = new Call(frame, this, on);
    if (this.#serving.has(frame.idKey)) {
      const error = JSON.stringify(
        errorObject(new Fault('protocol', `the id ${String(frame.id)} is in use by an open request`)),
      );
      this.send(['{"jsonrpc":"2.0","id":', frame.id, ',"error":', error, '}']);
      return;
    }
    this.#serving.set(frame.idKey, call);
    try {
      this.#handlers.request(call);
    } catch (error) {
      call.fail(asFault(error));
    }
  }

  #notification(frame: Frame, on: Waiting | undefined): void {
    if (frame.method === 'notifications/cancelled') this.#cancelled(frame);
    else if (frame.method === 'notifications/progress') this.#progress(frame);
    else {
      const subscription = frame.value('_meta', SUBSCRIPTION);
      const told = typeof subscription === 'number' ? this.#waiting.get(subscription)?.told : undefined;
      if (told === undefined) this.#handlers.notification(frame, on);
      else told(frame);
    }
  }

  #cancelled(frame: Frame): void {
    const span = frame.at('requestId');
    if (span === undefined) return;
    const key = idKey(frame.bytes, span);
    this.#serving.take(key)?.cancel(frame.params, frame);
  }

  #progress(frame: Frame): void {
    const token = frame.value('progressToken');
    if (typeof token === 'number') this.#waiting.get(token)?.progress?.(frame);
  }

  #answer(frame: Frame): void {
    const key = frame.idKey;
    if (typeof key === 'number') this.#waiting.take(key)?.answer(frame);
  }

  #inputEnd(): void {
    this.#draining = true;
    setTimeout(() => this.close(), this.#lastAnswers).unref();
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#serving.values().every(({ isStanding }) => isStanding)) this.close();
  }

  #end(why: Fault): void {
    this.#ended = why;
    const waiting = this.#waiting.takeAll();
    const serving = this.#serving.takeAll();
    for (const each of waiting) each.answer(why);
    for (const call of serving) call.cancel({ reason: why.message });
    this.#handlers.end(why);
  }
}

const MOST_IN_BATCH = 100;

/** The member of `_meta` that says to which subscription a notification belongs (2026-07-28). */
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/** The fault of a request that was given up; `timeout` in milliseconds. */
export function lateFault(name: string, method: string, timeout = 0): Fault {
  return new Fault('timeout', `${name} did not answer ${method} within ${timeout / 1000} s`);
}
