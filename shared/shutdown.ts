import { asFault } from './fault.js';
import { log } from './log.js';

/** Longest time that an orderly end may take, in milliseconds. */
const LIMIT = 10_000;
/** Milliseconds after a first signal from which on another one is meant. */
const INSISTING = 1000;

const steps: { readonly name: string; readonly step: () => Promise<void> | void }[] = [];
let running: Promise<void> | undefined;

async function runSteps(): Promise<void> {
  for (const { name, step } of steps.reverse()) {
    try {
      await step();
    } catch (error) {
      log.warn(`while ending ${name}: ${asFault(error).text}`);
    }
  }
}

/** Ends a program in order: what was opened last is closed first. */
export const shutdown = {
  /** Registers what has to be closed. */
  add(name: string, step: () => Promise<void> | void): void {
    steps.push({ name, step });
  },

  /** Closes everything and exits. A second call waits for the first. */
  async run(code = 0): Promise<void> {
    setTimeout(() => process.exit(code === 0 ? 1 : code), LIMIT).unref();
    running ??= runSteps();
    await running;
    process.exit(code);
  },

  /**
   * Runs on these signals; whoever insists with a second signal, a second later, gets an exit at once.
   * Earlier repeats are no insisting: terminals signal whole groups, and libraries send a signal on after their own end.
   */
  onSignals(signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP']): void {
    let first: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        first ??= performance.now();
        if (performance.now() - first > INSISTING) process.exit(1);
        void shutdown.run(0);
      });
    }
  },
};
