import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for something that nothing announces, and gives it.
 * @throws when for `limit` milliseconds there was nothing, false, or an error.
 */
export async function eventually<T>(
  what: string,
  check: () => T | undefined | Promise<T | undefined>,
  limit = 10_000,
): Promise<T> {
  const deadline = performance.now() + limit;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      const value = await check();
      if (value !== false && value !== undefined) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await sleep(10);
  }
  throw new Error(`in ${limit} ms it did not come true: ${what}`, { cause: last });
}

/** The promise, or an error that says what was waited for. */
export async function soon<T>(what: string, promise: Promise<T>, limit = 10_000): Promise<T> {
  const timer = new AbortController();
  const late = sleep(limit, undefined, { signal: timer.signal, ref: true }).then(() => {
    throw new Error(`in ${limit} ms there was no ${what}`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
    late.catch(() => undefined);
  }
}
