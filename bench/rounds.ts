import { median } from './figures.js';

/** One thing to measure: does the work once. */
export interface Work {
  (): Promise<unknown>;
  /** What has to be done before each time, and is not measured. */
  readonly before?: () => Promise<unknown>;
}

/** How often a case is repeated. */
export interface Repeats {
  readonly warmUp: number;
  readonly rounds: number;
  /** Times that each work is done in one round; their median is the figure of the round. */
  readonly each: number;
}

/** For each work the milliseconds of each round. The works take turns, each round begun by the next of them. */
export async function interleaved(works: readonly Work[], { warmUp, rounds, each }: Repeats): Promise<number[][]> {
  for (const work of works) await times(work, warmUp);
  const figures = works.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < works.length; turn += 1) {
      const at = (round + turn) % works.length;
      const work = works[at];
      if (work !== undefined) figures[at]?.push(median(await times(work, each)));
    }
  }
  return figures;
}

async function times(work: Work, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i += 1) {
    await work.before?.();
    const start = performance.now();
    await work();
    found.push(performance.now() - start);
  }
  return found;
}
