const NEWLINE = 0x0a;
/** Bytes at either end of a line that are looked at. */
const END = 200;

/** Told of each answer: its id, the length of its line, and whether it is an error. */
export type OnAnswer = (id: number, bytes: number, failed: boolean) => void;

/** Reads of each line only how long it is and which request it answers; long ones are neither joined nor parsed. */
export class LineMeter {
  readonly #onAnswer: OnAnswer;
  #head = '';
  #tail = '';
  #length = 0;

  constructor(onAnswer: OnAnswer) {
    this.#onAnswer = onAnswer;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#take(chunk, start, end);
      this.#lineEnd();
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk, start, chunk.length);
  }

  #take(chunk: Buffer, start: number, end: number): void {
    if (this.#length < END) this.#head += chunk.toString('latin1', start, Math.min(end, start + END));
    this.#tail = (this.#tail + chunk.toString('latin1', Math.max(start, end - END), end)).slice(-END);
    this.#length += end - start;
  }

  /** Some servers write the id first, some last. */
  #lineEnd(): void {
    const id = /^\{"jsonrpc":"2.0","id":(\d+),/.exec(this.#head) ?? /"id":(\d+)\}$/.exec(this.#tail);
    // A tool that failed tells so in its result; within a text the quotes would be escaped.
    const failed =
      /^\{("jsonrpc":"2.0",("id":\d+,)?)?"error":/.test(this.#head) ||
      /[{,]"isError":true/.test(this.#head + this.#tail);
    if (id !== null) this.#onAnswer(Number(id[1]), this.#length, failed);
    this.#head = '';
    this.#tail = '';
    this.#length = 0;
  }
}
