import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './ascii.js';
import { Fault } from './fault.js';

/** Where a value lies in a text of JSON bytes: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

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

/**
 * The members of the object that starts at `start`, in bytes that `checkedMembers` has accepted.
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

/** The offset of the next byte that is no white space. */
export function skipSpace(bytes: Buffer, start: number): number {
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
