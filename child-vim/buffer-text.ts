import { checkTick, type Editor } from './editor.js';
import type { Answer } from './protocol.js';

/** Bytes asked for at once: Vim encodes them in a few milliseconds, in which the screen stands still. */
const PAGE = 128 * 1024;

/** The text of one buffer at one tick, read from the editor as far as it is needed. */
export class BufferText {
  /** Facts of the buffer, from the first page read. */
  facts: Answer<'edit'> | undefined;
  /** Numbers of lines with bytes that JSON cannot carry. */
  readonly lossy = new Set<number>();
  readonly #editor: Editor;
  readonly #buffer: number;
  readonly #tick: number;
  readonly #signal: AbortSignal;

  constructor(editor: Editor, buffer: number, tick: number, signal: AbortSignal) {
    this.#editor = editor;
    this.#buffer = buffer;
    this.#tick = tick;
    this.#signal = signal;
  }

  /**
   * Lines `first` to `last`, fewer at the end of the buffer.
   * @throws Fault `stale` when the buffer is not at the tick.
   */
  async range(first: number, last: number): Promise<string[]> {
    const found: string[] = [];
    while (first + found.length <= last || this.facts === undefined) {
      const params = { buffer: this.#buffer, first: first + found.length, last, bytes: PAGE };
      const { lines, lossy, first: _, ...facts } = await this.#editor.request('read', params, this.#signal);
      checkTick(facts, this.#tick);
      this.facts = facts;
      for (const line of lossy) this.lossy.add(line);
      for (const line of lines) found.push(line);
      if (lines.length === 0) break;
    }
    return found;
  }

  /** Whether nothing is in it; Vim shows that as one empty line. */
  async isEmpty(): Promise<boolean> {
    const [first] = this.facts?.line_count === 1 ? await this.range(1, 1) : [];
    return first === '';
  }

  /** All lines. */
  all(): Promise<string[]> {
    return this.range(1, Number.MAX_SAFE_INTEGER);
  }
}
