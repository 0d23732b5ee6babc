/** The middle of some figures; robust against what else the machine does meanwhile. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/**
 * How many times `figures` is as large as `base`: the median of the quotients of each round, so that a slow spell of
 * the machine, which falls on both, drops out.
 */
export function ratio(figures: readonly number[], base: readonly number[]): number {
  return median(figures.map((figure, round) => figure / (base[round] ?? Number.NaN)));
}

/** Milliseconds as text, in a unit that leaves three digits or so. */
export function timeText(milliseconds: number): string {
  if (milliseconds < 1) return `${(milliseconds * 1000).toFixed(0)} µs`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : 1)} ms`;
}
