import type { Author, Revision } from './revision.js';

/** Entries that are remembered. */
const MOST = 2000;

/** What happened, numbered in order. */
export type Entry = {
  readonly number: number;
  readonly at: number;
  readonly buffer: number;
  readonly filename: string;
} & (
  | {
      readonly revision: Omit<Revision, 'changes' | 'at'>;
      /** Whether more than the tick changed. */
      readonly isText: boolean;
      readonly event?: undefined;
    }
  | {
      readonly event: string;
      readonly changedtick: number;
      readonly by: Author | undefined;
      /** The function or autocommand in the editor that did it, if one did. */
      readonly via: string | undefined;
      readonly revision?: undefined;
    }
);

/** What is told of an entry before it has its number. */
type Told = WithoutEach<Entry, 'number' | 'at'>;
type WithoutEach<T, K extends string> = T extends unknown ? Omit<T, K> : never;

/** What happened in one editor lately. */
export class Journal {
  readonly #listeners = new Set<(entry: Entry) => void>();
  #entries: Entry[] = [];
  #last = 0;

  /** The number of what happened last. */
  get last(): number {
    return this.#last;
  }

  /** What happened after a number, as far as it is remembered. */
  since(number: number): readonly Entry[] {
    return this.#entries.filter((entry) => entry.number > number);
  }

  add(told: Told): void {
    this.#last += 1;
    const entry: Entry = { number: this.#last, at: Date.now(), ...told };
    this.#entries.push(entry);
    if (this.#entries.length > MOST) this.#entries = this.#entries.slice(-MOST / 2);
    for (const listener of this.#listeners) listener(entry);
  }

  /** Tells whenever something has happened, until the signal is aborted. */
  onEntry(listener: (entry: Entry) => void, signal?: AbortSignal): void {
    this.#listeners.add(listener);
    signal?.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }
}
