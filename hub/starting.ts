import { log } from '../shared/log.js';

/** Seconds of a start after which a person who watches is told that it still goes on. */
const TOLD_AFTER = [3, 10, 30, 60];

/** Tells a person at a terminal of a start that takes long; a log file has no use for that. */
export function announceStart(alias: string, attempt: Promise<unknown>): void {
  if (!process.stderr.isTTY) return;
  const begin = performance.now();
  const timers = TOLD_AFTER.map((seconds) =>
    setTimeout(() => log.info(`${alias}: starting (${seconds} s)`), seconds * 1000).unref(),
  );
  const over = (how: string): void => {
    for (const timer of timers) clearTimeout(timer);
    const seconds = (performance.now() - begin) / 1000;
    if (seconds > (TOLD_AFTER[0] ?? 0)) log.info(`${alias}: ${how} (${seconds.toFixed(0)} s)`);
  };
  attempt.then(
    () => over('started'),
    () => over('not started'),
  );
}
