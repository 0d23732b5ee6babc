import PQueue from 'p-queue';
import { asFault, Fault } from '../shared/fault.js';

/** One task at a time; the others wait in order. */
export class Turns {
  readonly #queue = new PQueue({ concurrency: 1 });

  /**
   * Runs a task once those before it are done. One that is cancelled, or waits longer than `patience` milliseconds for
   * its turn, leaves the queue.
   * @throws Fault `timeout` or `cancelled` when its turn did not come, else what the task throws.
   */
  async take<T>(task: () => Promise<T>, signal: AbortSignal, patience: number): Promise<T> {
    if (signal.aborted) throw new Fault('cancelled', 'the request was cancelled', { cause: signal.reason });
    // Nobody is before it: there is nothing to wait for, and nothing to be set up for that.
    if (this.#queue.pending + this.#queue.size === 0) return (await this.#queue.add(task)) as T;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooLate(patience)), patience);
    const begin = (): Promise<T> => {
      clearTimeout(timer);
      return task();
    };
    try {
      return (await this.#queue.add(begin, { signal: AbortSignal.any([signal, late.signal]) })) as T;
    } catch (error) {
      // The reason of an abort is whatever the client says.
      throw signal.aborted ? new Fault('cancelled', 'the request was cancelled', { cause: error }) : asFault(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooLate(patience: number): Fault {
  return new Fault(
    'timeout',
    `nothing was done: in ${patience / 1000} s Vim did not finish the calls before this one`,
    {
      next: 'Call state to see whether it answers again, then repeat the call.',
    },
  );
}
