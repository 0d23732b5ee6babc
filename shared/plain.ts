import { BACKSLASH, QUOTE, SPACE } from './ascii.js';
import { Scanner } from './scanner.js';

/** Bytes from `start` to `end` that a string may have as they are, or in escapes of two bytes. */
interface Run {
  readonly start: number;
  readonly end: number;
}

const scanner = makeScanner();
/** The text whose runs are known, and the first of them that is not passed yet. */
let known: Buffer | undefined;
let runs: readonly Run[] = [];
let next = 0;

/**
 * The offset of the first byte from `start` on, in a string, that is not plain: a quote, a control, a backslash that needs
 * a closer look; or the length of the text. To be asked of ascending offsets, and {@link forget} called in the end.
 */
export function plainEnd(text: Buffer, start: number): number {
  if (scanner === undefined) return slowly(text, start);
  let at = start;
  for (; text === known && next < runs.length; next += 1) {
    const run = runs[next];
    if (run === undefined || run.start < at) continue;
    at = scanner.plainEnd(text, at, run.start);
    if (at < run.start) return at;
    at = run.end;
  }
  return scanner.plainEnd(text, at);
}

/** Lets go of the text. */
export function forget(): void {
  scanner?.forget();
  known = undefined;
  runs = [];
  next = 0;
}

/**
 * What is plain in a long text that comes in parts, looked for when a part comes: it is still in the processor's cache then,
 * and there is time, since who sends has not finished.
 */
export class PlainRuns {
  readonly #runs: Run[] = [];
  /** Whether the next part begins with the second byte of an escape. */
  #isEscaped = false;

  /** Takes the next part, which begins at `offset` of the text, if it is worth it. */
  add(part: Buffer, offset: number): void {
    const start = this.#isEscaped ? 1 : 0;
    this.#isEscaped = endsInEscape(part, this.#isEscaped);
    if (scanner === undefined) return;
    const end = scanner.plainEnd(part, start);
    scanner.forget();
    this.#runs.push({ start: offset + start, end: offset + end });
  }

  /** The text is whole, and will be looked at next. */
  complete(text: Buffer): void {
    forget();
    [known, runs] = [text, this.#runs];
  }
}

/** Whether a byte stands for itself in a string: it is neither quote, backslash nor control. */
export function isPlain(byte: number): boolean {
  return byte > QUOTE ? byte !== BACKSLASH : byte === SPACE || byte === 0x21;
}

function slowly(text: Buffer, start: number): number {
  let at = start;
  while (isPlain(text[at] ?? QUOTE)) at += 1;
  return at;
}

/** Whether a part of a text ends in the first byte of an escape. */
function endsInEscape(part: Buffer, beginsEscaped: boolean): boolean {
  const begin = beginsEscaped ? 1 : 0;
  let at = part.length;
  while (at > begin && part[at - 1] === BACKSLASH) at -= 1;
  return (part.length - at) % 2 === 1;
}

function makeScanner(): Scanner | undefined {
  try {
    return new Scanner();
  } catch {
    return undefined;
  }
}
