import type { LineChange, Revision } from './revision.js';
import type { Place } from './trace.js';

/** Characters of changes that are held in memory for one buffer; older ones are on disk only. */
const HELD = 512 * 1024;
/** Revisions that are remembered for one buffer. */
const MOST = 4000;

interface Entry extends Omit<Revision, 'changes'> {
  /** Missing where only the disk has them. */
  changes: readonly LineChange[] | undefined;
  readonly size: number;
  readonly place: Place | undefined;
}

/** The revisions of one buffer's recent past, each from where the one before ends. */
export class History {
  #entries: Entry[] = [];
  /** How many of the first have their changes on disk only, and the size of what the others hold. */
  #spilled = 0;
  #held = 0;

  /** Adds a revision; `place` is where it is on disk. */
  add(revision: Revision, place: Place | undefined): void {
    const size = revision.changes.reduce((sum, { old, now }) => sum + lengthOf(old) + lengthOf(now), 64);
    this.#entries.push({ ...revision, size, place });
    this.#held += size;
    this.#spill();
    if (this.#entries.length > MOST) this.#forget(this.#entries.length - MOST);
  }

  /** The revisions since the text at a tick; undefined where they, or that tick, are not known. */
  async since(tick: number): Promise<Revision[] | undefined> {
    const at = this.#entries.findIndex(({ from }) => from === tick);
    if (at === -1) return undefined;
    const found: Revision[] = [];
    for (const { size: _, place, changes, ...entry } of this.#entries.slice(at)) {
      const known = changes ?? (await place?.read());
      if (known === undefined) return undefined;
      found.push({ ...entry, changes: known });
    }
    return found;
  }

  /** Who changed what after a tick, as far as it is remembered: the newest at the end. */
  authorsSince(tick: number): Pick<Revision, 'from' | 'to' | 'by'>[] {
    return this.#entries.filter(({ to, from }) => to > tick && to !== from);
  }

  /** What is older than it has no way to now. */
  clear(): void {
    this.#entries = [];
    this.#spilled = 0;
    this.#held = 0;
  }

  #spill(): void {
    while (this.#held > HELD && this.#spilled < this.#entries.length) {
      const entry = this.#entries[this.#spilled];
      if (entry === undefined) return;
      // Without a place on disk it is forgotten, and with it those before.
      if (entry.place === undefined) {
        this.#forget(this.#spilled + 1);
        continue;
      }
      entry.changes = undefined;
      this.#held -= entry.size;
      this.#spilled += 1;
    }
  }

  #forget(count: number): void {
    for (const { changes, size } of this.#entries.splice(0, count)) if (changes !== undefined) this.#held -= size;
    this.#spilled = Math.max(this.#spilled - count, 0);
  }
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 16, 0);
}
