import { Fault, type FaultKind } from './fault.js';
import { decoded, isObject, isText, type Members, type Span } from './json.js';
import { check } from './json-check.js';
import { type Edit, Splice } from './parts.js';
import { Places } from './places.js';

/** The four kinds of message of JSON-RPC 2.0. */
export type FrameKind = 'request' | 'notification' | 'result' | 'error';

/**
 * One message as it came: its bytes, checked once, and where the members lie. What is passed on is passed on as these
 * bytes with a few spans exchanged; only what this program answers itself is ever decoded.
 */
export class Frame {
  readonly bytes: Buffer;
  readonly kind: FrameKind;
  /** `''` for answers. */
  readonly method: string;
  readonly #places: Places;
  #idKey: IdKey | undefined;

  private constructor(bytes: Buffer, places: Places) {
    this.bytes = bytes;
    this.#places = places;
    if (places.method === undefined) {
      this.kind = kindOfAnswer(places);
      this.method = '';
    } else {
      this.kind = places.id === undefined ? 'notification' : 'request';
      this.method = methodText(bytes, places.method);
    }
  }

  /**
   * Checks and classifies one message.
   * @throws Fault `protocol` when the bytes are not one JSON-RPC 2.0 message.
   */
  static parse(bytes: Buffer, maxDepth?: number): Frame {
    const places = new Places(bytes);
    check(bytes, places, maxDepth);
    places.complete();
    const frame = new Frame(bytes, places);
    const { version, id } = places;
    if (version === undefined || !isText(bytes, version, '2.0')) {
      throw new Fault('protocol', 'not JSON-RPC 2.0: "jsonrpc" must be "2.0"');
    }
    if (id !== undefined && !isId(bytes, id)) {
      throw new Fault('protocol', 'the id is neither a string nor a number');
    }
    return frame;
  }

  /** The id as it is written; `null` for a notification. */
  get id(): Uint8Array | string {
    const { id } = this.#places;
    if (id === undefined) return 'null';
    const number = wholeNumber(this.bytes, id);
    return number === undefined ? this.bytes.subarray(id.start, id.end) : String(number);
  }

  /** The id as a key, see {@link idKey}. */
  get idKey(): IdKey {
    this.#idKey ??= idKey(this.bytes, this.#places.id ?? NO_ID);
    return this.#idKey;
  }

  /** The decoded `params`; `{}` where there are none. */
  get params(): Record<string, unknown> {
    const span = this.#places.params;
    if (span === undefined) return {};
    return isObject(this.bytes, span.start) ? (decoded(this.bytes, span) as Record<string, unknown>) : {};
  }

  /** The decoded `result` or `error`. */
  get outcome(): unknown {
    const span = this.#places.result ?? this.#places.error;
    return span === undefined ? undefined : decoded(this.bytes, span);
  }

  /** Where a member of the message lies. */
  span(name: 'id' | 'params' | 'result' | 'error'): Span | undefined {
    return this.#places[name];
  }

  /** Where a member of `params`, or of an object in it, lies: `at('_meta', 'progressToken')`. */
  at(...path: readonly string[]): Span | undefined {
    let here = this.#places.inParams();
    const last = path.length - 1;
    for (let at = 0; at < last; at += 1) here = here?.inside(path[at] ?? '');
    return here?.get(path[last] ?? '');
  }

  /**
   * The members of an object in the message.
   * @throws Fault `protocol` when two of them have one name.
   */
  inside(name: 'params' | 'result'): Members | undefined {
    return name === 'params' ? this.#places.inParams() : this.#places.inResult();
  }

  /** The decoded value at a path in `params`, see {@link at}. */
  value(...path: readonly string[]): unknown {
    const span = this.at(...path);
    return span === undefined ? undefined : decoded(this.bytes, span);
  }

  /** The message with places exchanged, for {@link Link.send}. */
  with(edits: readonly Edit[]): Splice {
    return new Splice(this.bytes, edits);
  }
}

function kindOfAnswer({ result, error }: Places): FrameKind {
  const isResult = result !== undefined;
  if (isResult === (error !== undefined)) {
    throw new Fault('protocol', 'neither a request, a notification, a result nor an error');
  }
  return isResult ? 'result' : 'error';
}

/** Methods that come often, found without making a string. */
const OFTEN = ['tools/call', 'notifications/progress'];

function methodText(bytes: Buffer, span: Span): string {
  for (const method of OFTEN) if (isText(bytes, span, method)) return method;
  const value = decoded(bytes, span);
  if (typeof value !== 'string') throw new Fault('protocol', '"method" is not a string');
  return value;
}

function isId(bytes: Buffer, span: Span): boolean {
  const first = bytes[span.start];
  if (first === undefined) return false;
  // a string, a number, or null, which an error to an unreadable request carries
  return first === 0x22 || first === 0x2d || (first >= 0x30 && first <= 0x39) || first === 0x6e;
}

/** What ids are compared by: `1` and `"1"` differ, `"a"` and `"\u0061"` do not. */
export type IdKey = number | string;

const NO_ID: Span = { start: 0, end: 0 };
/** Digits of a whole number that JavaScript holds exactly, whatever they are. */
const EXACT = 15;

/** The key of a decoded id. */
export function keyOf(id: number | string): IdKey {
  const text = Buffer.from(JSON.stringify(id));
  return idKey(text, { start: 0, end: text.length });
}

/** An id as a key. Numbers that are no small whole ones are kept by their digits, so that large ones stay apart. */
export function idKey(bytes: Buffer, span: Span): IdKey {
  const small = wholeNumber(bytes, span);
  if (small !== undefined) return small;
  const text = bytes.toString('utf8', span.start, span.end);
  return text.startsWith('"') ? `s${String(JSON.parse(text))}` : `n${text}`;
}

/** The number, if it is written as digits alone. */
function wholeNumber(bytes: Buffer, { start, end }: Span): number | undefined {
  if (end - start > EXACT || start === end) return undefined;
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

const CODES: Readonly<Record<FaultKind, number>> = {
  invalid: -32602,
  unknown: -32602,
  unsupported: -32601,
  protocol: -32600,
  bug: -32603,
  denied: 4403,
  timeout: 4408,
  stale: 4409,
  gone: 4410,
  busy: 4423,
  cancelled: 4499,
};

/** A fault as the `error` member of an answer; codes of our own lie outside those that JSON-RPC and MCP reserve. */
export function errorObject(fault: Fault): { code: number; message: string; data: Record<string, unknown> } {
  const next = fault.next === undefined ? {} : { next: fault.next };
  return {
    code: fault.code ?? CODES[fault.kind],
    message: fault.text,
    data: { kind: fault.kind, ...next, ...fault.data },
  };
}

/** The fault that an `error` member stands for. */
export function errorFault(from: string, error: unknown): Fault {
  const { code, message, data } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const kind = Object.entries(CODES).find(([, known]) => known === code)?.[0] as FaultKind | undefined;
  return new Fault(
    kind ?? 'invalid',
    `${from}: ${typeof message === 'string' ? message : 'an error without a message'}`,
    {
      data: { code, data },
    },
  );
}

/** Bytes up to which a message that was refused is looked at once more; parsing deep nesting takes long. */
export const LOOSELY_READ = 64 * 1024;

/** Id and method of a refused message, where it is JSON after all: too deep, or with a member twice. */
export function looseMessage(bytes: Buffer): { readonly id?: unknown; readonly method?: unknown } {
  if (bytes.length > LOOSELY_READ) return {};
  try {
    const message: unknown = JSON.parse(bytes.toString());
    return typeof message === 'object' && message !== null ? message : {};
  } catch {
    return {};
  }
}
