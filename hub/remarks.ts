import { visibleLine } from '../shared/escape.js';
import { log } from '../shared/log.js';

/** How many lines are kept of one child, how many characters of each are kept, and how many are shown. */
const MOST = 40;
const KEPT = 2000;
const SHOWN = 500;

/** What a child said last on standard error. */
export class Remarks {
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line.slice(0, KEPT));
    if (this.#lines.length > 2 * MOST) this.#lines = this.#lines.slice(-MOST);
  }

  /** The last line as it is shown; `''` where there is none. */
  get last(): string {
    return this.latest(1)[0] ?? '';
  }

  /** So many of the last lines, the newest last: without secrets, and so that no line can look like something else. */
  latest(count: number): readonly string[] {
    return this.#lines.slice(-Math.min(count, MOST)).map(shown);
  }
}

/** Cut only now, so that no half of a secret is left. */
function shown(line: string): string {
  const text = visibleLine(log.redacted(line));
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
