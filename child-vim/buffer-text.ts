import { Fault } from '../shared/fault.js';
import type { Answer } from './protocol.js';
import { PAGE, readText } from './read-text.js';
import type { PageText, Stretch } from './remembered.js';
import type { Vim } from './vim.js';

/** Characters held at most. */
const MOST = 64 * 1024 * 1024;

/** Pages read before it is looked at what has come, and those that no line needs more of. */
const PAGES = 16;
const MOST_PAGES = MOST / PAGE;

/** Lines that are read with the first question, and how many more on both sides. */
const LITTLE = 200;
const AROUND = 4;
const FIRST_LINE = { first: 1, last: 1 };

/** Lines that were read; those of `lossy` hold bytes that JSON cannot carry. */
type Page = Pick<PageText, 'facts' | 'first' | 'lines'> & Partial<Pick<PageText, 'lossy'>>;

/**
 * Lines of a text. The text itself is all of them, each ended by LF, whatever 'endofline' and 'fileformat' say; the one
 * empty line that Vim shows for an empty text is none.
 */
export interface Lines {
  readonly count: number;
  /** One that has been read, from 1, with NUL where the file has one; '' beyond the end. */
  line(number: number): string;
}

/** A text that is read as far as it is needed. */
export interface Text extends Lines {
  /** Reads lines `first` to `last`, as far as there are such. */
  load(first: number, last: number): Promise<void>;
}

/** The text of one buffer at one tick. */
export class BufferText implements Text {
  /** Facts of the buffer. */
  readonly facts: Answer<'edit'>;
  /** Numbers of lines with bytes that JSON cannot carry, among those read. */
  readonly lossy = new Set<number>();
  readonly #vim: Vim;
  readonly #signal: AbortSignal;
  readonly #lines: (string | undefined)[] = [];
  #held = 0;

  private constructor(vim: Vim, signal: AbortSignal, first: Page) {
    this.#vim = vim;
    this.#signal = signal;
    this.facts = first.facts;
    this.#take(first);
  }

  /** The text as it was when a stretch of it and some around it was seen; none where that is not remembered. */
  static remembered(vim: Vim, stretch: Stretch, signal: AbortSignal): BufferText | undefined {
    const page = vim.remembered.lines({ ...stretch, first: stretch.first - AROUND, last: stretch.last + AROUND });
    return page === undefined ? undefined : new BufferText(vim, signal, page);
  }

  /**
   * Begins to read a buffer, by lines `first` to `last` of it with some around them where that is little: so most
   * changes need no other.
   * @throws Fault `stale` when it is not at the tick.
   */
  static async open(vim: Vim, { buffer, tick, first, last }: Stretch, signal: AbortSignal): Promise<BufferText> {
    const isLittle = first <= last && last - first < LITTLE;
    const near = isLittle ? { first: Math.max(first - AROUND, 1), last: last + AROUND } : FIRST_LINE;
    const page = await readText(vim, { buffer, tick, ...near }, MOST_PAGES, signal);
    if (page.lines.length > 0) return new BufferText(vim, signal, page);
    return new BufferText(vim, signal, await readText(vim, { buffer, tick, ...FIRST_LINE }, MOST_PAGES, signal));
  }

  get count(): number {
    return this.#isEmpty ? 0 : this.facts.line_count;
  }

  line(number: number): string {
    const line = this.#lines[number];
    if (line === undefined && number <= this.count) throw new Fault('bug', `line ${number} has not been read`);
    return line ?? '';
  }

  /**
   * @throws Fault `stale` when the buffer has changed since it was opened, `unsupported` when this would be too much.
   */
  async load(first: number, last: number): Promise<void> {
    const end = Math.min(last, this.facts.line_count);
    let next = Math.max(first, 1);
    while (next <= end) {
      if (this.#lines[next] === undefined) next += await this.#page(next, end);
      else next += 1;
    }
  }

  get #isEmpty(): boolean {
    return this.facts.line_count === 1 && this.#lines[1] === '';
  }

  /** Reads a line and some of those behind it; how many. */
  async #page(first: number, last: number): Promise<number> {
    const { buffer, changedtick: tick } = this.facts;
    const wanted = { buffer, first, last, tick };
    const some = await readText(this.#vim, wanted, PAGES, this.#signal);
    // A line that is cut is read with those behind it, unless it is longer than all that.
    const isCut = some.next !== undefined && some.next.column > 1;
    if (!isCut || some.lines.length > 1) return this.#take(isCut ? withoutLast(some) : some);
    return this.#take(await readText(this.#vim, { ...wanted, last: first }, MOST_PAGES, this.#signal));
  }

  #take({ first, lines, lossy = [] }: Page): number {
    if (lines.length === 0) throw new Fault('protocol', `${this.#vim.name} answers no line ${first}`);
    for (const number of lossy) this.lossy.add(number);
    for (const [index, line] of lines.entries()) {
      this.#held += line.length + 1;
      // Vim keeps a NUL of the file as a newline in the line.
      this.#lines[first + index] = line.replaceAll('\n', '\0');
    }
    if (this.#held > MOST) {
      throw new Fault('unsupported', `more than ${MOST / 1024 / 1024} MB would have to be read for this`, {
        next: 'Name lines, or narrow a search with first and last.',
      });
    }
    return lines.length;
  }
}

function withoutLast(page: PageText): PageText {
  return { ...page, lines: page.lines.slice(0, -1) };
}

/** Lines `first` to `last` of a text. */
export function slice(lines: Lines, first: number, last: number): string[] {
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => lines.line(first + index));
}
