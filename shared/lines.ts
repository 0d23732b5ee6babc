import { NEWLINE, RETURN } from './ascii.js';
import { Fault } from './fault.js';
import { limits } from './limits.js';
import { PlainRuns } from './plain.js';

/** Bytes of a line from which on it is looked at while it comes. */
const LONG = 128 * 1024;

/**
 * Cuts a byte stream into lines. Works on bytes, so a character split across chunks stays whole; looks at each byte
 * once, so the cost is linear in the length however the stream is chunked.
 */
export class Lines {
  readonly #max: number;
  #parts: Buffer[] = [];
  #length = 0;
  #plain: PlainRuns | undefined;

  constructor(max: number = limits.message) {
    this.#max = max;
  }

  /**
   * Takes a chunk and hands on the lines it completes, without their end (`\n` or `\r\n`) and without empty ones.
   * @throws Fault `protocol` as soon as a line grows beyond the limit.
   */
  push(chunk: Buffer, take: (line: Buffer) => void): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#take(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) take(line);
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** What has come of a line that is not complete yet; taken out. */
  rest(): Buffer {
    return this.#take(Buffer.alloc(0));
  }

  #keep(part: Buffer): void {
    if (this.#length + part.length > this.#max) throw tooLong(this.#max);
    this.#plain?.add(part, this.#length);
    this.#length += part.length;
    this.#parts.push(part);
    if (this.#length > LONG) this.#plain ??= new PlainRuns();
  }

  #take(last: Buffer): Buffer {
    let line = last;
    if (this.#parts.length > 0) {
      this.#keep(last);
      line = Buffer.concat(this.#parts, this.#length);
      this.#plain?.complete(line);
      this.#parts = [];
      this.#length = 0;
      this.#plain = undefined;
    } else if (last.length > this.#max) throw tooLong(this.#max);
    return line[line.length - 1] === RETURN ? line.subarray(0, -1) : line;
  }
}

function tooLong(max: number): Fault {
  return new Fault('protocol', `a line is longer than ${max} bytes`);
}
