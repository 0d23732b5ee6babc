import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE, SPACE } from './ascii.js';
import { Fault } from './fault.js';

/** Where a value lies in a text of JSON bytes: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Who takes note of the members of an object while it is checked. */
export interface Notes {
  /** Who takes note of the members of the object that is the value of this member; nobody if it is not looked at. */
  within(nameStart: number, nameEnd: number): Members | undefined;
  /** A member: its name from its first quote to behind its last, its value, and what was noted within that. */
  note(nameStart: number, nameEnd: number, start: number, end: number, inner: Members | undefined): void;
}

/** One member of an object: where its value lies, and its name from its first quote to behind its last. */
interface Member extends Span {
  readonly nameStart: number;
  readonly nameEnd: number;
  /** What its value holds, if that is an object whose members were noted as well. */
  readonly inner: Members | undefined;
}

/** Members from which on names are looked up in a set rather than compared with each other. */
const MANY = 16;

/** The members of one object in checked bytes: where their names and values lie. Nothing is decoded to find one. */
export class Members implements Notes {
  readonly #bytes: Buffer;
  readonly #all: Member[] = [];
  #unique = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * The members of the object that a member holds; `undefined` where it holds something else.
   * @throws Fault `protocol` when two of them have one name.
   */
  inside(name: string): Members | undefined {
    const member = this.#find(name);
    if (member === undefined || this.#bytes[member.start] !== OPEN_OBJECT) return undefined;
    if (member.inner === undefined) return members(this.#bytes, member.start);
    member.inner.checkUnique();
    return member.inner;
  }

  within(nameStart: number, nameEnd: number): Members | undefined {
    return isString(this.#bytes, nameStart, nameEnd, '_meta') ? new Members(this.#bytes) : undefined;
  }

  note(nameStart: number, nameEnd: number, start: number, end: number, inner: Members | undefined): void {
    this.#all.push({ start, end, nameStart, nameEnd, inner });
  }

  get(name: string): Span | undefined {
    return this.#find(name);
  }

  /** Decoded names with their places, in order; `nameStart` is where the member begins. */
  *[Symbol.iterator](): Generator<readonly [string, Span & { readonly nameStart: number }]> {
    for (const member of this.#all) yield [this.#name(member), member];
  }

  /** @throws Fault `protocol` when two members have one name: readers differ in which of them they take. */
  checkUnique(): void {
    if (this.#unique) return;
    if (!this.#areDistinctBytes()) this.#checkBySet();
    this.#unique = true;
  }

  /** Whether the names differ as they are written, and hold no escapes; for many it is not worth looking. */
  #areDistinctBytes(): boolean {
    if (this.#all.length > MANY) return false;
    for (const member of this.#all) {
      if (this.#hasEscape(member)) return false;
      for (const before of this.#all) {
        if (before === member) break;
        if (this.#isNamedLike(member, before)) return false;
      }
    }
    return true;
  }

  #checkBySet(): void {
    const names = new Set<string>();
    for (const member of this.#all) {
      const name = this.#name(member);
      if (names.has(name)) this.#refuse(member);
      names.add(name);
    }
  }

  #refuse(member: Member): never {
    throw new Fault('protocol', `the member ${JSON.stringify(this.#name(member))} stands twice`);
  }

  #find(name: string): Member | undefined {
    for (const member of this.#all) if (this.#isNamed(member, name)) return member;
    return undefined;
  }

  #isNamed(member: Member, name: string): boolean {
    const start = member.nameStart + 1;
    const length = member.nameEnd - 1 - start;
    if (length < name.length) return false;
    if (length > name.length) return this.#hasEscape(member) && this.#name(member) === name;
    for (let i = 0; i < length; i += 1) {
      if (this.#bytes[start + i] !== name.charCodeAt(i)) return false;
    }
    return true;
  }

  /** Whether the names of two members are the same bytes. */
  #isNamedLike(one: Member, other: Member): boolean {
    const length = one.nameEnd - one.nameStart;
    if (other.nameEnd - other.nameStart !== length) return false;
    for (let i = 0; i < length; i += 1) {
      if (this.#bytes[one.nameStart + i] !== this.#bytes[other.nameStart + i]) return false;
    }
    return true;
  }

  #hasEscape({ nameStart, nameEnd }: Member): boolean {
    for (let at = nameStart; at < nameEnd; at += 1) if (this.#bytes[at] === BACKSLASH) return true;
    return false;
  }

  #name({ nameStart, nameEnd }: Member): string {
    return String(decoded(this.#bytes, { start: nameStart, end: nameEnd }));
  }
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
    found.note(at, nameEnd, valueStart, end, undefined);
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  found.checkUnique();
  return found;
}

/** Where the elements of the array that starts at `start` lie, in bytes that `checkedMembers` has accepted. */
export function elements(bytes: Buffer, start: number): Span[] {
  const found: Span[] = [];
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] !== CLOSE_ARRAY) {
    const end = valueEnd(bytes, at);
    found.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return found;
}

/** Whether the value at `start` is an array. */
export function isArray(bytes: Buffer, start: number): boolean {
  return bytes[start] === OPEN_ARRAY;
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
  return isString(bytes, start, end, text);
}

/** The same, without a span to be made. */
export function isString(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length + 2 || bytes[start] !== QUOTE) return false;
  for (let i = 0; i < text.length; i += 1) if (bytes[start + 1 + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** The byte at an offset; 0, which no JSON text holds, behind the end. Reading there itself makes V8 slow. */
export function byteAt(bytes: Buffer, at: number): number {
  return at < bytes.length ? (bytes[at] ?? 0) : 0;
}

/** The offset of the next byte that is no white space. */
export function skipSpace(bytes: Buffer, at: number): number {
  return byteAt(bytes, at) > SPACE ? at : spaceEnd(bytes, at);
}

function spaceEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (isSpace(byteAt(bytes, at))) at += 1;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
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
