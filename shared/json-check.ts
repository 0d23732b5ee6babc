import { isUtf8 } from 'node:buffer';
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './ascii.js';
import { Fault } from './fault.js';
import { byteAt, Members, type Notes, skipSpace } from './json.js';
import { limits } from './limits.js';
import { forget, isPlain, plainEnd } from './plain.js';

/** Bytes of a string from which on it is worth the scanner. */
const LONG = 256;

/**
 * Checks that the bytes are one JSON object (RFC 8259) in UTF-8 without a byte order mark, no deeper than `maxDepth`,
 * so that they can be passed on as they are, and notes where its members lie. Decodes nothing; one pass.
 * @throws Fault `protocol` with the byte offset of what is wrong.
 */
export function check(bytes: Buffer, notes: Notes, maxDepth: number = limits.depth): void {
  if (!isUtf8(bytes)) throw new Fault('protocol', 'not UTF-8');
  const start = skipSpace(bytes, 0);
  if (byteAt(bytes, start) !== OPEN_OBJECT) throw new Fault('protocol', 'not a JSON object');
  const checker = new Checker(bytes, maxDepth);
  try {
    const end = checker.object(start, checker.deeper(start, 0), notes);
    if (end < bytes.length && skipSpace(bytes, end) < bytes.length) throw malformed(skipSpace(bytes, end));
  } finally {
    forget();
  }
}

/**
 * The members of such an object.
 * @throws Fault `protocol` when it is none, or when two members have one name.
 */
export function checkedMembers(bytes: Buffer, maxDepth?: number): Members {
  const found = new Members(bytes);
  check(bytes, found, maxDepth);
  found.checkUnique();
  return found;
}

/** Recursive descent over bytes; the depth limit bounds the recursion. */
class Checker {
  readonly #bytes: Buffer;
  readonly #maxDepth: number;

  constructor(bytes: Buffer, maxDepth: number) {
    this.#bytes = bytes;
    this.#maxDepth = maxDepth;
  }

  /** Returns the offset after the value at `at`. */
  value(at: number, depth: number): number {
    const byte = byteAt(this.#bytes, at);
    if (byte === QUOTE) return this.string(at);
    if (byte === OPEN_OBJECT) return this.object(at, this.deeper(at, depth));
    if (byte === OPEN_ARRAY) return this.array(at, this.deeper(at, depth));
    if (byte === 0x74) return this.word(at, 'true');
    if (byte === 0x66) return this.word(at, 'false');
    if (byte === 0x6e) return this.word(at, 'null');
    return this.number(at);
  }

  deeper(at: number, depth: number): number {
    if (depth < this.#maxDepth) return depth + 1;
    throw new Fault('protocol', `nested deeper than ${this.#maxDepth} levels at byte ${at}`);
  }

  /** The members are told to `notes`, if it is given. */
  object(start: number, depth: number, notes?: Notes): number {
    const bytes = this.#bytes;
    let at = skipSpace(bytes, start + 1);
    if (byteAt(bytes, at) === CLOSE_OBJECT) return at + 1;
    for (;;) {
      if (byteAt(bytes, at) !== QUOTE) throw malformed(at);
      const nameEnd = this.string(at);
      const colon = skipSpace(bytes, nameEnd);
      if (byteAt(bytes, colon) !== COLON) throw malformed(colon);
      const valueStart = skipSpace(bytes, colon + 1);
      const end =
        notes === undefined ? this.value(valueStart, depth) : this.noted(notes, at, nameEnd, valueStart, depth);
      at = skipSpace(bytes, end);
      const next = byteAt(bytes, at);
      if (next === CLOSE_OBJECT) return at + 1;
      if (next !== COMMA) throw malformed(at);
      at = skipSpace(bytes, at + 1);
    }
  }

  /** The value of a member that is noted. */
  noted(notes: Notes, nameStart: number, nameEnd: number, start: number, depth: number): number {
    const inner = byteAt(this.#bytes, start) === OPEN_OBJECT ? notes.within(nameStart, nameEnd) : undefined;
    const end = inner === undefined ? this.value(start, depth) : this.object(start, this.deeper(start, depth), inner);
    notes.note(nameStart, nameEnd, start, end, inner);
    return end;
  }

  array(start: number, depth: number): number {
    const bytes = this.#bytes;
    let at = skipSpace(bytes, start + 1);
    if (byteAt(bytes, at) === CLOSE_ARRAY) return at + 1;
    for (;;) {
      at = skipSpace(bytes, this.value(at, depth));
      const next = byteAt(bytes, at);
      if (next === CLOSE_ARRAY) return at + 1;
      if (next !== COMMA) throw malformed(at);
      at = skipSpace(bytes, at + 1);
    }
  }

  string(start: number): number {
    const bytes = this.#bytes;
    const near = Math.min(start + LONG, bytes.length);
    let at = start + 1;
    while (at < near) {
      const byte = byteAt(bytes, at);
      if (isPlain(byte)) at += 1;
      else if (byte === QUOTE) return at + 1;
      else if (byte === BACKSLASH) at = this.escape(at);
      else throw malformed(at);
    }
    return this.longString(at);
  }

  /** The same for what lies farther from its start. */
  longString(from: number): number {
    let at = from;
    for (;;) {
      at = plainEnd(this.#bytes, at);
      const byte = byteAt(this.#bytes, at);
      if (byte === QUOTE) return at + 1;
      if (byte !== BACKSLASH) throw malformed(at);
      at = this.escape(at);
    }
  }

  escape(at: number): number {
    const byte = byteAt(this.#bytes, at + 1);
    if (byte === 0x75) {
      for (let digit = at + 2; digit < at + 6; digit += 1) {
        if (!isHex(byteAt(this.#bytes, digit))) throw malformed(digit);
      }
      return at + 6;
    }
    // " \ / b f n r t
    if (byte === QUOTE || byte === BACKSLASH || byte === 0x2f) return at + 2;
    if (byte === 0x62 || byte === 0x66 || byte === 0x6e || byte === 0x72 || byte === 0x74) return at + 2;
    throw malformed(at);
  }

  word(at: number, word: string): number {
    for (let i = 0; i < word.length; i += 1) {
      if (byteAt(this.#bytes, at + i) !== word.charCodeAt(i)) throw malformed(at);
    }
    return at + word.length;
  }

  number(start: number): number {
    const bytes = this.#bytes;
    let at = byteAt(bytes, start) === 0x2d ? start + 1 : start;
    at = byteAt(bytes, at) === 0x30 ? at + 1 : this.digits(at);
    if (byteAt(bytes, at) === 0x2e) at = this.digits(at + 1);
    if (byteAt(bytes, at) === 0x65 || byteAt(bytes, at) === 0x45) {
      at += 1;
      if (byteAt(bytes, at) === 0x2b || byteAt(bytes, at) === 0x2d) at += 1;
      at = this.digits(at);
    }
    return at;
  }

  digits(start: number): number {
    let at = start;
    while (isDigit(byteAt(this.#bytes, at))) at += 1;
    if (at === start) throw malformed(at);
    return at;
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

function malformed(at: number): Fault {
  return new Fault('protocol', `not JSON at byte ${at}`);
}
