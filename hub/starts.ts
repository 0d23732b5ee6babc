import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';

/** How many children start at one time, unless more are to start with the hub. */
const AT_ONCE = 4;
/** Milliseconds for which a start keeps others waiting; one that takes longer waits itself, mostly. */
const HOLD = 2000;

/** Bounds how many children start at one time, so that many of them do not slow each other down. */
export class Starts {
  readonly #queue = new PQueue({ concurrency: AT_ONCE });

  /** So many are to start with the hub: they all wait for the first client, and must not wait for each other. */
  allow(eager: number): void {
    this.#queue.concurrency = Math.max(AT_ONCE, eager);
  }

  /** Runs a start in its turn; what it comes to. */
  run<T>(start: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      void this.#queue.add(async () => {
        const started = start();
        started.then(resolve, reject);
        await held(started);
      });
    });
  }
}

/** Waits for the end of a start, but not long. */
async function held(started: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = sleep(HOLD, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
  await Promise.race([started.catch(() => undefined), late]);
  timer.abort();
}
