import { Fault } from '../shared/fault.js';
import { checkTick, type Editor } from './editor.js';
import type { Answer } from './protocol.js';

/** Bytes asked for at once: Vim encodes them in a few milliseconds, in which the screen stands still. */
const PAGE = 128 * 1024;

/** Characters held at most. */
const MOST = 64 * 1024 * 1024;

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
  readonly #editor: Editor;
  readonly #signal: AbortSignal;
  readonly #lines: (string | undefined)[] = [];
  #held = 0;

  private constructor(editor: Editor, signal: AbortSignal, { lines, lossy, first: _, ...facts }: Answer<'read'>) {
    this.#editor = editor;
    this.#signal = signal;
    this.facts = facts;
    this.#take(1, lines, lossy);
  }

  /**
   * Begins to read a buffer.
   * @throws Fault `stale` when it is not at the tick.
   */
  static async open(editor: Editor, buffer: number, tick: number, signal: AbortSignal): Promise<BufferText> {
    const answer = await editor.request('read', { buffer, first: 1, last: 1, bytes: PAGE }, signal);
    checkTick(answer, tick);
    return new BufferText(editor, signal, answer);
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

  async #page(first: number, last: number): Promise<number> {
    const params = { buffer: this.facts.buffer, first, last, bytes: PAGE };
    const { lines, lossy, ...facts } = await this.#editor.request('read', params, this.#signal);
    checkTick(facts, this.facts.changedtick);
    if (lines.length === 0) throw new Fault('protocol', `${this.#editor.name} answers no line ${first}`);
    this.#take(first, lines, lossy);
    return lines.length;
  }

  #take(first: number, lines: readonly string[], lossy: readonly number[]): void {
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
  }
}

/** Lines `first` to `last` of a text. */
export function slice(lines: Lines, first: number, last: number): string[] {
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => lines.line(first + index));
}
