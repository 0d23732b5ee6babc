import type { Call, CallWatcher } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';
import { lateFault, type Peer, type Waiting } from '../shared/peer.js';

/**
 * Passes a request on as it came but for its id, its progress token and the edits; its answer and its progress go back,
 * its cancellation goes on. The one way in which requests cross the hub, in either direction. Where a `timeout` in
 * milliseconds is given, it fails and is cancelled when neither answer nor progress came for so long. `on` is the call of
 * the receiver's to which it belongs.
 */
export function relay(call: Call, to: Peer, edits: readonly Edit[] = [], timeout?: number, on?: Call): void {
  const crossing = new Crossing(call, to);
  if (timeout !== undefined) crossing.limit(timeout);
  call.watchedBy(crossing);
  crossing.id = to.forward(call.frame, edits, crossing, on);
}

/** A request on its way: open on both sides, under the call's id on the one and its own on the other. */
class Crossing implements Waiting, CallWatcher {
  id = -1;
  readonly call: Call;
  readonly #to: Peer;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: Call, to: Peer) {
    this.call = call;
    this.#to = to;
  }

  /** Gives up when nothing comes for so many milliseconds. */
  limit(timeout: number): void {
    this.#timer = setTimeout(() => {
      const why = lateFault(this.#to.name, this.call.frame.method, timeout);
      this.#to.cancel(this.id, { reason: why.message });
      this.call.fail(why);
    }, timeout).unref();
  }

  answer(outcome: Frame | Fault): void {
    clearTimeout(this.#timer);
    if (outcome instanceof Fault) this.call.fail(outcome);
    else this.call.relay(outcome);
  }

  progress(frame: Frame): void {
    this.#timer?.refresh();
    this.call.progress(frame);
  }

  cancelled(params: Readonly<Record<string, unknown>>): void {
    clearTimeout(this.#timer);
    this.#to.cancel(this.id, params);
  }
}
