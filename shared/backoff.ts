/** First and longest wait before a restart, and the time up after which the count begins anew; milliseconds. */
const FIRST = 250;
const LONGEST = 30_000;
const STABLE = 60_000;

/** Growing waits between attempts, spread at random so that children that fell together do not rise together. */
export class Backoff {
  #failures = 0;

  /** How many attempts in a row have not held. */
  get failures(): number {
    return this.#failures;
  }

  /** Begins anew, as if nothing had failed. */
  reset(): void {
    this.#failures = 0;
  }

  /** The wait before the next attempt, given how long the last one held. */
  next(heldFor: number): number {
    if (heldFor >= STABLE) this.#failures = 0;
    const longest = Math.min(LONGEST, FIRST * 2 ** this.#failures);
    this.#failures += 1;
    return longest / 2 + (Math.random() * longest) / 2;
  }
}
