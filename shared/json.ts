import { isUtf8 } from 'node:buffer';
import { Fault } from './fault.js';
import { Scanner } from './scanner.js';

/** Where a value lies in a text of JSON bytes: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Deepest nesting accepted where nothing else is said. Vim crashes on deep values, and so does `JSON.stringify`. */
export const MAX_DEPTH = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The bytes that stand for themselves in a string: neither quote, backslash nor control. */
const PLAIN = new Uint8Array(256).fill(1, 0x20);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;

/** Members from which on names are looked up in a set rather than compared with each other. */
const MANY = 16;

/** The members of one object in checked bytes: where their names and values lie. Nothing is decoded to find one. */
export class Members {
  readonly #bytes: Buffer;
  /** Four offsets a member: the name from its first quote to behind its last, the value. */
  readonly #places: number[] = [];
  /** The one member whose own members were noted as well, and where its value begins. */
  #inner: Members | undefined;
  #innerStart = -1;
  #unique = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  nest(start: number, inner: Members): void {
    this.#innerStart = start;
    this.#inner = inner;
  }

  /**
   * The members of the object that a member holds; `undefined` where it holds something else.
   * @throws Fault `protocol` when two of them have one name.
   */
  inside(name: string): Members | undefined {
    const span = this.get(name);
    if (span === undefined || this.#bytes[span.start] !== OPEN_OBJECT) return undefined;
    const found = span.start === this.#innerStart ? this.#inner : undefined;
    if (found === undefined) return members(this.#bytes, span.start);
    found.checkUnique();
    return found;
  }

  add(nameStart: number, nameEnd: number, start: number, end: number): void {
    this.#places.push(nameStart, nameEnd, start, end);
  }

  get size(): number {
    return this.#places.length / 4;
  }

  has(name: string): boolean {
    return this.#find(name) !== -1;
  }

  get(name: string): Span | undefined {
    const at = this.#find(name);
    return at === -1 ? undefined : { start: this.#place(at + 2), end: this.#place(at + 3) };
  }

  /** Decoded names with their places, in order. */
  *[Symbol.iterator](): Generator<readonly [string, Span]> {
    for (let at = 0; at < this.#places.length; at += 4) {
      yield [this.#name(at), { start: this.#place(at + 2), end: this.#place(at + 3) }];
    }
  }

  /** @throws Fault `protocol` when two members have one name: readers differ in which of them they take. */
  checkUnique(): void {
    if (this.#unique) return;
    let isPlain = this.size <= MANY;
    for (let at = 0; at < this.#places.length && isPlain; at += 4) {
      const start = this.#place(at);
      const length = this.#place(at + 1) - start;
      isPlain = !hasEscape(this.#bytes, start, length);
      if (isPlain && this.#isAmong(start, length, at)) this.#refuse(at);
    }
    if (!isPlain) this.#checkBySet();
    this.#unique = true;
  }

  /** Whether one of the first members is named by the same bytes. */
  #isAmong(start: number, length: number, before: number): boolean {
    for (let at = 0; at < before; at += 4) {
      const other = this.#place(at);
      if (this.#place(at + 1) - other === length && areSame(this.#bytes, other, start, length)) return true;
    }
    return false;
  }

  #checkBySet(): void {
    const names = new Set<string>();
    for (let at = 0; at < this.#places.length; at += 4) {
      const name = this.#name(at);
      if (names.has(name)) this.#refuse(at);
      names.add(name);
    }
  }

  #refuse(at: number): never {
    throw new Fault('protocol', `the member ${JSON.stringify(this.#name(at))} stands twice`);
  }

  #find(name: string): number {
    for (let at = 0; at < this.#places.length; at += 4) if (this.#isNamed(at, name)) return at;
    return -1;
  }

  #isNamed(at: number, name: string): boolean {
    const start = this.#place(at) + 1;
    const length = this.#place(at + 1) - 1 - start;
    if (length < name.length) return false;
    if (length > name.length) return hasEscape(this.#bytes, start, length) && this.#name(at) === name;
    for (let i = 0; i < length; i += 1) {
      if (this.#bytes[start + i] !== name.charCodeAt(i)) return false;
    }
    return true;
  }

  #name(at: number): string {
    return String(decoded(this.#bytes, { start: this.#place(at), end: this.#place(at + 1) }));
  }

  #place(index: number): number {
    return this.#places[index] ?? 0;
  }
}

function areSame(bytes: Buffer, one: number, other: number, length: number): boolean {
  for (let i = 0; i < length; i += 1) if (bytes[one + i] !== bytes[other + i]) return false;
  return true;
}

function hasEscape(bytes: Buffer, start: number, length: number): boolean {
  for (let i = start; i < start + length; i += 1) if (bytes[i] === BACKSLASH) return true;
  return false;
}

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
  const end = skipSpace(bytes, checker.object(start, checker.deeper(start, 0), found));
  scanner?.forget();
  if (end !== bytes.length) throw malformed(end);
  found.checkUnique();
  return found;
}

/**
 * The members of the object that starts at `start`, in bytes that {@link checkedMembers} has accepted.
 * @throws Fault `protocol` when two members have one name.
 */
export function members(bytes: Buffer, start = 0): Members {
  const found = new Members(bytes);
  let at = skipSpace(bytes, skipSpace(bytes, start) + 1);
  while (bytes[at] !== CLOSE_OBJECT) {
    const nameEnd = stringEnd(bytes, at);
    const valueStart = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1);
    const end = valueEnd(bytes, valueStart);
    found.add(at, nameEnd, valueStart, end);
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  found.checkUnique();
  return found;
}

/** Whether the value at `start` is an object. */
export function isObject(bytes: Buffer, start: number): boolean {
  return bytes[start] === OPEN_OBJECT;
}

/** The decoded value of a span. */
export function decoded(bytes: Buffer, { start, end }: Span): unknown {
  const text = bytes.toString('utf8', start, end);
  if (bytes[start] === QUOTE && !text.includes('\\')) return text.slice(1, -1);
  return JSON.parse(text);
}

/** Whether a span is the string `text`, written without escapes. */
export function isText(bytes: Buffer, { start, end }: Span, text: string): boolean {
  if (end - start !== text.length + 2 || bytes[start] !== QUOTE) return false;
  for (let i = 0; i < text.length; i += 1) if (bytes[start + 1 + i] !== text.charCodeAt(i)) return false;
  return true;
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

function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1;
  return at;
}

/** The offset after the string that starts at `start`; the bytes are known to be well-formed. */
function stringEnd(bytes: Buffer, start: number): number {
  for (let quote = bytes.indexOf(QUOTE, start + 1); ; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let escapes = 0;
    while (bytes[quote - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
}

function valueEnd(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return stringEnd(bytes, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return containerEnd(bytes, start);
  let at = start;
  while (!isEnd(bytes[at])) at += 1;
  return at;
}

function containerEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; ; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at) - 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
}

function isEnd(byte: number | undefined): boolean {
  return byte === undefined || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || byte <= 0x20;
}
