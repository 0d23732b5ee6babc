import { Fault } from './fault.js';
import { errorObject, type Frame } from './jsonrpc.js';
import type { Edit, Parts } from './parts.js';

/** Where a call came from, and where its answer goes. */
export interface CallSource {
  /** Whether the call still waits for an answer. */
  serves(call: Call): boolean;
  /** Answers it, unless it was answered or cancelled before. */
  answer(call: Call, parts: Parts): void;
  /** Sends what belongs to it and is not its answer. */
  about(call: Call, parts: Parts): void;
}

/** Who is told that a call need not be answered any more. */
export interface CallWatcher {
  /** With the params of the cancellation, and the notification itself where one came. */
  cancelled(params: Readonly<Record<string, unknown>>, notification?: Frame): void;
}

/** One incoming request, open until it is answered or cancelled. */
export class Call {
  readonly frame: Frame;
  readonly from: CallSource;
  /** Who waits for the answer to the request in whose course it came, where the link tells. */
  readonly on: unknown;
  /** Whether it is there to stay open, so that nobody waits for its answer. */
  isStanding = false;
  #watcher: CallWatcher | undefined;

  constructor(frame: Frame, from: CallSource, on?: unknown) {
    this.frame = frame;
    this.from = from;
    this.on = on;
  }

  /** Whether it still waits for an answer. */
  get open(): boolean {
    return this.from.serves(this);
  }

  /** Whom to tell when the caller cancels or goes away; what is answered after that is dropped. */
  watchedBy(watcher: CallWatcher): void {
    this.#watcher = watcher;
  }

  /** An abort signal that follows the cancellation. */
  signal(): AbortSignal {
    const controller = new AbortController();
    this.watchedBy({
      cancelled: ({ reason }) => controller.abort(new Fault('cancelled', String(reason ?? 'cancelled by the caller'))),
    });
    return controller.signal;
  }

  /** Passes on an answer that came from elsewhere, under this request's own id and with the edits applied. */
  relay(answer: Frame, edits: readonly Edit[] = []): void {
    const id = answer.span('id');
    if (id !== undefined) this.from.answer(this, [answer.with([{ span: id, text: this.frame.id }, ...edits])]);
  }

  result(value: unknown): void {
    this.resultText([JSON.stringify(value ?? {})]);
  }

  /** Answers with a result that is JSON already. */
  resultText(text: Parts): void {
    this.from.answer(this, ['{"jsonrpc":"2.0","id":', this.frame.id, ',"result":', ...text, '}']);
  }

  fail(fault: Fault): void {
    const error = JSON.stringify(errorObject(fault));
    this.from.answer(this, ['{"jsonrpc":"2.0","id":', this.frame.id, ',"error":', error, '}']);
  }

  /** Passes on a progress notification under the token that this request gave; nothing where it gave none. */
  progress(frame: Frame): void {
    const own = this.frame.at('_meta', 'progressToken');
    const span = frame.at('progressToken');
    if (!this.open || own === undefined || span === undefined) return;
    const token = this.frame.bytes.subarray(own.start, own.end);
    this.from.about(this, [frame.with([{ span, text: token }])]);
  }

  cancel(params: Record<string, unknown>, notification?: Frame): void {
    this.#watcher?.cancelled(params, notification);
  }
}
