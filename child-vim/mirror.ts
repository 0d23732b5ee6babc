import { History } from './history.js';
import { between, difference, type Operation } from './operations.js';
import { apply, changesOf, type LineChange, type Revision, unapply } from './revision.js';
import type { Place } from './trace.js';

/** Lines up to which a change is looked at for what in it stayed the same. */
const COMPARED = 2000;

/** The text of a buffer as it is in Vim, and the way it came there. */
export class Mirror {
  readonly history = new History();
  readonly #lines: string[];
  #tick: number;

  constructor(tick: number, lines: string[]) {
    this.#tick = tick;
    this.#lines = lines;
  }

  get tick(): number {
    return this.#tick;
  }

  /** The lines of the buffer, one at least, with NUL where the file has one. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** How many characters it has. */
  get size(): number {
    return this.#lines.reduce((sum, line) => sum + line.length + 1, 0);
  }

  /** The changes that other lines in place of `first` to `last` come to. */
  replaced(first: number, last: number, lines: readonly string[]): LineChange[] {
    return changesOf(compared(first, this.#lines.slice(first - 1, last), lines), this.#lines);
  }

  /** Goes on to the next text. */
  advance(revision: Revision, place: Place | undefined): void {
    apply(revision.changes, this.#lines);
    this.#tick = revision.to;
    this.history.add(revision, place);
  }

  /** The text at an earlier tick and the revisions since; undefined where they are not known any more. */
  async since(tick: number): Promise<{ lines: readonly string[]; revisions: readonly Revision[] } | undefined> {
    if (tick === this.#tick) return { lines: this.#lines, revisions: [] };
    const [now, at] = [[...this.#lines], this.#tick];
    const revisions = await this.history.since(tick);
    // What came while the disk was read is left out.
    const past = revisions?.filter(({ to }) => to <= at);
    if (past === undefined) return undefined;
    for (const { changes } of past.toReversed()) unapply(changes, now);
    return { lines: now, revisions: past };
  }
}

/** The operations that make `now` of `old`; long texts are compared only line by line, or at their ends. */
function compared(first: number, old: readonly string[], now: readonly string[]): Operation[] {
  if (old.length + now.length <= COMPARED) return difference(first, old, now);
  if (old.length === now.length) return lineByLine(first, old, now);
  return [between(first, old, now)];
}

function lineByLine(first: number, old: readonly string[], now: readonly string[]): Operation[] {
  const found: [number, number, string[]][] = [];
  for (const [index, line] of now.entries()) {
    if (line === old[index]) continue;
    const last = found.at(-1);
    if (last?.[1] === first + index - 1) {
      last[1] += 1;
      last[2].push(line);
    } else found.push([first + index, first + index, [line]]);
  }
  return found;
}
