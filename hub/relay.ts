import type { Call, CallWatcher } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';
import { lateFault, type Peer, type Waiting } from '../shared/peer.js';
import type { Caller } from './caller.js';

/**
 * Passes a request on as it came but for its id, its progress token and the edits; its answer and its progress go back,
 * its cancellation goes on. `on` is the call of the receiver's to which it belongs.
 */
export function relay(call: Call, to: Peer, edits: readonly Edit[] = [], on?: Call, back?: Back): void {
  (back === undefined ? new Relay(call, to) : new Exchanging(call, to, back)).forward(edits, on);
}

/** What is exchanged in the answer to a request. */
export type Back = (answer: Frame) => readonly Edit[];

/** Nothing. */
const AS_IT_CAME: readonly Edit[] = [];

/**
 * A request on its way: open on both sides, under the call's id on the one and its own on the other. The one way in which
 * requests cross the hub, in either direction.
 */
class Relay implements Waiting, CallWatcher {
  call: Call;
  protected readonly to: Peer;
  #id = -1;
  #timeout: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: Call, to: Peer, timeout?: number) {
    this.call = call;
    this.to = to;
    this.#timeout = timeout;
    call.watchedBy(this);
  }

  /** Sends the request, or an earlier form of it. */
  forward(edits: readonly Edit[], on?: Call, frame = this.call.frame): void {
    if (this.#timeout !== undefined) this.#limit(this.#timeout);
    this.#id = this.to.forward(frame, edits, this, on);
  }

  answer(outcome: Frame | Fault): void {
    this.rest();
    if (outcome instanceof Fault) this.call.fail(outcome);
    else this.call.relay(outcome, this.exchanged(outcome));
  }

  /** What is exchanged in the answer. */
  protected exchanged(_: Frame): readonly Edit[] {
    return AS_IT_CAME;
  }

  /** Hears of its progress after the answer, until the function that is returned is called. */
  protected follow(progress: (frame: Frame) => void): () => void {
    return this.to.follow(this.#id, progress);
  }

  progress(frame: Frame): void {
    this.#timer?.refresh();
    this.call.progress(frame);
  }

  cancelled(params: Readonly<Record<string, unknown>>, notification?: Frame): void {
    this.rest();
    this.to.cancel(this.#id, params, notification);
  }

  /** Stops the clock: it is not the receiver who is waited for now. */
  protected rest(): void {
    clearTimeout(this.#timer);
  }

  /** Starts the clock anew. */
  protected resume(): void {
    if (this.#timeout !== undefined) this.#limit(this.#timeout);
  }

  /** Gives up when neither answer nor progress comes for so many milliseconds. */
  #limit(timeout: number): void {
    this.#timer = setTimeout(() => {
      const why = lateFault(this.to.name, this.call.frame.method, timeout);
      this.to.cancel(this.#id, { reason: why.message });
      this.call.fail(why);
    }, timeout).unref();
  }
}

class Exchanging extends Relay {
  readonly #back: Back;

  constructor(call: Call, to: Peer, back: Back) {
    super(call, to);
    this.#back = back;
  }

  protected override exchanged(answer: Frame): readonly Edit[] {
    return this.#back(answer);
  }
}

/** Puts a question of a child, which belongs to a call, to whoever answers it. */
export type Ask = (question: Call, on: Crossing) => void;

/** A client's call on its way to a child; what the child asks meanwhile is asked in its course. */
export class Crossing extends Relay {
  readonly caller: Caller;
  readonly #questions = new Set<Call>();

  constructor(call: Call, to: Peer, caller: Caller, timeout?: number) {
    super(call, to, timeout);
    this.caller = caller;
  }

  /** Puts a question of the child to the client; `back` is what is exchanged in its answer. */
  ask(question: Call, edits: readonly Edit[], back?: Back): void {
    relay(question, this.caller.peer, edits, this.call, back);
  }

  /** A question to the person that belongs to this call and to no other: it goes away with it, whatever the child does. */
  own(question: Call): void {
    this.#questions.add(question);
  }

  override cancelled(params: Readonly<Record<string, unknown>>, notification?: Frame): void {
    super.cancelled(params, notification);
    for (const question of this.#questions) {
      if (!question.open) continue;
      question.cancel({ reason: 'the call was cancelled' });
      question.result({ action: 'cancel' });
    }
  }
}
