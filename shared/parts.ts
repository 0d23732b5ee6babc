import type { Span } from './json.js';

/** A piece of a message: bytes, text, or bytes with places exchanged. */
export type Part = Uint8Array | string | Splice;

/** The text of one message in parts, one after the other. */
export type Parts = readonly Part[];

/** One rewritten place: the bytes of `span` are replaced by `text`. */
export interface Edit {
  readonly span: Span;
  /** Bytes, or characters of ASCII. */
  readonly text: Uint8Array | string;
}

/** Bytes of which some places are exchanged on the way out; nothing is copied before they are written. */
export class Splice {
  /** Bytes in all. */
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #edits: readonly Edit[];

  /** The edits must not overlap. */
  constructor(bytes: Buffer, edits: readonly Edit[]) {
    this.#bytes = bytes;
    this.#edits = isInOrder(edits) ? edits : edits.toSorted((a, b) => a.span.start - b.span.start);
    let length = bytes.length;
    for (const { span, text } of edits) length += text.length - (span.end - span.start);
    this.length = length;
  }

  /** Copies it; the offset behind. */
  copy(target: Buffer, start: number): number {
    let from = 0;
    let to = start;
    for (const { span, text } of this.#edits) {
      to = copyBytes(this.#bytes, from, span.start, target, to);
      to = typeof text === 'string' ? copyAscii(text, target, to) : copyBytes(text, 0, text.length, target, to);
      from = span.end;
    }
    return copyBytes(this.#bytes, from, this.#bytes.length, target, to);
  }

  /** The same in parts that are not copied. */
  parts(): (Uint8Array | string)[] {
    const parts: (Uint8Array | string)[] = [];
    let from = 0;
    for (const { span, text } of this.#edits) {
      parts.push(this.#bytes.subarray(from, span.start), text);
      from = span.end;
    }
    parts.push(this.#bytes.subarray(from));
    return parts;
  }
}

/** Bytes of a part from which on it is cheaper to hand it on by itself than to copy it. */
const LONG = 64 * 1024;

/** The parts as few pieces: runs of short ones are joined. */
export function coalesced(parts: Parts): Uint8Array[] {
  for (const part of parts) if (isLong(part)) return pieces(parts);
  return [joined(parts)];
}

function pieces(parts: Parts): Uint8Array[] {
  const found: Uint8Array[] = [];
  let short: Part[] = [];
  for (const part of flattened(parts)) {
    if (!isLong(part) || !(part instanceof Uint8Array)) {
      short.push(part);
      continue;
    }
    if (short.length > 0) found.push(joined(short));
    short = [];
    found.push(part);
  }
  if (short.length > 0) found.push(joined(short));
  return found;
}

/** The parts joined to one buffer. */
export function joined(parts: Parts): Buffer {
  let length = 0;
  for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.length;
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) at = put(part, whole, at);
  return whole;
}

function put(part: Part, whole: Buffer, at: number): number {
  if (part instanceof Splice) return part.copy(whole, at);
  if (typeof part === 'string') return at + whole.write(part, at);
  return copyBytes(part, 0, part.length, whole, at);
}

function flattened(parts: Parts): Parts {
  return parts.flatMap((part) => (part instanceof Splice && isLong(part) ? part.parts() : [part]));
}

function isLong({ length }: Part): boolean {
  return length >= LONG;
}

function isInOrder(edits: readonly Edit[]): boolean {
  for (let at = 1; at < edits.length; at += 1) {
    if ((edits[at]?.span.start ?? 0) < (edits[at - 1]?.span.start ?? 0)) return false;
  }
  return true;
}

/** Bytes up to which a loop copies faster than any call. */
const FEW = 256;

/** Copies bytes to `to`; the offset behind. */
function copyBytes(bytes: Uint8Array, start: number, end: number, target: Buffer, to: number): number {
  const length = end - start;
  if (length > FEW) target.set(bytes.subarray(start, end), to);
  else for (let at = 0; at < length; at += 1) target[to + at] = bytes[start + at] ?? 0;
  return to + length;
}

function copyAscii(text: string, target: Buffer, to: number): number {
  for (let at = 0; at < text.length; at += 1) target[to + at] = text.charCodeAt(at);
  return to + text.length;
}
