import { isUtf8 } from 'node:buffer';
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './ascii.js';
import { Fault } from './fault.js';
import { isText, Members, skipSpace } from './json.js';
import { Scanner } from './scanner.js';

/** Deepest nesting accepted where nothing else is said. Vim crashes on deep values, and so does `JSON.stringify`. */
export const MAX_DEPTH = 64;

/** The bytes that stand for themselves in a string: neither quote, backslash nor control. */
const PLAIN = new Uint8Array(256).fill(1, 0x20);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;

/** Bytes of a string from which on it is worth the scanner. */
const LONG = 256;
const scanner = makeScanner();

function makeScanner(): Scanner | undefined {
  try {
    return new Scanner();
  } catch {
    return undefined;
  }
}

/** The same without the scanner, but that it ends at each escape. */
function plainEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (PLAIN[bytes[at] ?? 0] === 1) at += 1;
  return at;
}

/**
 * Checks that the bytes are one JSON object (RFC 8259) in UTF-8 without a byte order mark, no deeper than `maxDepth`,
 * so that they can be passed on as they are, and tells where its members lie. Decodes nothing; one pass.
 * @throws Fault `protocol` with the byte offset of what is wrong, or when two members have one name.
 */
export function checkedMembers(bytes: Buffer, maxDepth: number = MAX_DEPTH): Members {
  if (!isUtf8(bytes)) throw new Fault('protocol', 'not UTF-8');
  const start = skipSpace(bytes, 0);
  if (bytes[start] !== OPEN_OBJECT) throw new Fault('protocol', 'not a JSON object');
  const checker = new Checker(bytes, maxDepth);
  const found = new Members(bytes);
  try {
    const end = skipSpace(bytes, checker.object(start, checker.deeper(start, 0), found));
    if (end !== bytes.length) throw malformed(end);
  } finally {
    scanner?.forget();
  }
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
    const byte = this.#bytes[at];
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

  /** Notes the members in `found`, if it is given. */
  object(start: number, depth: number, found?: Members): number {
    const bytes = this.#bytes;
    let at = skipSpace(bytes, start + 1);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      if (bytes[at] !== QUOTE) throw malformed(at);
      const nameEnd = this.string(at);
      const colon = skipSpace(bytes, nameEnd);
      if (bytes[colon] !== COLON) throw malformed(colon);
      const valueStart = skipSpace(bytes, colon + 1);
      const end = this.member(at, nameEnd, valueStart, depth, found);
      found?.add(at, nameEnd, valueStart, end);
      at = skipSpace(bytes, end);
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) throw malformed(at);
      at = skipSpace(bytes, at + 1);
    }
  }

  /** The value of a member; what `params` and its `_meta` hold is noted, since that is looked at in most messages. */
  member(nameStart: number, nameEnd: number, start: number, depth: number, found: Members | undefined): number {
    if (found === undefined || this.#bytes[start] !== OPEN_OBJECT) return this.value(start, depth);
    const name = { start: nameStart, end: nameEnd };
    if (!isText(this.#bytes, name, 'params') && !isText(this.#bytes, name, '_meta')) return this.value(start, depth);
    const inner = new Members(this.#bytes);
    found.nest(start, inner);
    return this.object(start, this.deeper(start, depth), inner);
  }

  array(start: number, depth: number): number {
    const bytes = this.#bytes;
    let at = skipSpace(bytes, start + 1);
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    for (;;) {
      at = skipSpace(bytes, this.value(at, depth));
      if (bytes[at] === CLOSE_ARRAY) return at + 1;
      if (bytes[at] !== COMMA) throw malformed(at);
      at = skipSpace(bytes, at + 1);
    }
  }

  string(start: number): number {
    const bytes = this.#bytes;
    const far = start + LONG;
    let at = start + 1;
    for (;;) {
      if (at > far && scanner !== undefined) at = scanner.plainEnd(bytes, at);
      else while (PLAIN[bytes[at] ?? 0] === 1 && at <= far) at += 1;
      if (bytes[at] === QUOTE) return at + 1;
      if (bytes[at] === BACKSLASH) at = this.escape(at);
      else if (PLAIN[bytes[at] ?? 0] !== 1) throw malformed(at);
      else if (scanner === undefined) at = plainEnd(bytes, at);
    }
  }

  escape(at: number): number {
    const byte = this.#bytes[at + 1];
    if (byte === 0x75) {
      for (let digit = at + 2; digit < at + 6; digit += 1) {
        if (!isHex(this.#bytes[digit])) throw malformed(digit);
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
      if (this.#bytes[at + i] !== word.charCodeAt(i)) throw malformed(at);
    }
    return at + word.length;
  }

  number(start: number): number {
    const bytes = this.#bytes;
    let at = bytes[start] === 0x2d ? start + 1 : start;
    at = bytes[at] === 0x30 ? at + 1 : this.digits(at);
    if (bytes[at] === 0x2e) at = this.digits(at + 1);
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      at += 1;
      if (bytes[at] === 0x2b || bytes[at] === 0x2d) at += 1;
      at = this.digits(at);
    }
    return at;
  }

  digits(start: number): number {
    let at = start;
    while (isDigit(this.#bytes[at])) at += 1;
    if (at === start) throw malformed(at);
    return at;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

function malformed(at: number): Fault {
  return new Fault('protocol', `not JSON at byte ${at}`);
}
