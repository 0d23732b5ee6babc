import { Fault } from '../shared/fault.js';

/** One task at a time; the others wait in order. */
export class Turns {
  #isTaken = false;
  #waiting: (() => void)[] = [];

  /**
   * Runs a task once those before it are done. One that is cancelled, or waits longer than `patience` milliseconds for
   * its turn, leaves the queue.
   * @throws Fault `timeout` or `cancelled` when its turn did not come, else what the task throws.
   */
  async take<T>(task: () => Promise<T>, signal: AbortSignal, patience: number): Promise<T> {
    if (signal.aborted) throw cancelled(signal);
    if (this.#isTaken) await this.#turn(signal, patience);
    this.#isTaken = true;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#isTaken = false;
      else next();
    }
  }

  /** Waits for the end of the tasks before; it stays taken meanwhile. */
  async #turn(signal: AbortSignal, patience: number): Promise<void> {
    let leave: ((why: Fault) => void) | undefined;
    const turn = new Promise<void>((resolve, reject) => {
      this.#waiting.push(resolve);
      leave = (why) => {
        this.#waiting = this.#waiting.filter((each) => each !== resolve);
        reject(why);
      };
    });
    const onAbort = (): void => leave?.(cancelled(signal));
    const timer = setTimeout(() => leave?.(tooLate(patience)), patience);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await turn;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }
}

function cancelled(signal: AbortSignal): Fault {
  return new Fault('cancelled', 'the request was cancelled', { cause: signal.reason });
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
