/**
 * What went wrong, as a closed set:
 * `invalid` bad input · `unknown` no such thing · `denied` not permitted · `cancelled` by the caller ·
 * `timeout` took too long · `stale` based on an old state · `busy` not now · `gone` the other side went away ·
 * `unsupported` not offered here · `protocol` the other side broke the protocol · `bug` a fault of this program.
 */
export type FaultKind =
  | 'invalid'
  | 'unknown'
  | 'denied'
  | 'cancelled'
  | 'timeout'
  | 'stale'
  | 'busy'
  | 'gone'
  | 'unsupported'
  | 'protocol'
  | 'bug';

/** What a {@link Fault} carries beside its message. */
export interface FaultDetails {
  /** What the reader can do about it, a full sentence. */
  readonly next?: string;
  readonly cause?: unknown;
  /** Structured facts for a program, JSON values only. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The JSON-RPC error code, where a protocol has one for just this. */
  readonly code?: number;
}

/** The one error type: `message` says what and where, `next` what to do about it. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly next: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  readonly code: number | undefined;

  constructor(kind: FaultKind, message: string, details: FaultDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'Fault';
    this.kind = kind;
    this.next = details.next;
    this.data = details.data ?? {};
    this.code = details.code;
  }

  /** The message and, where there is one, the next step; one line for a person. */
  get text(): string {
    return this.next === undefined ? this.message : `${this.message}. ${this.next}`;
  }
}

/** Any thrown value as a {@link Fault}: what is not one yet is a `bug`, or `cancelled` for an abort. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof Error && error.name === 'AbortError') {
    return new Fault('cancelled', error.message, { cause: error });
  }
  return new Fault('bug', error instanceof Error ? error.message : String(error), { cause: error });
}

/** The fault for a failed system call (`EADDRINUSE`, `ENOENT`, …): its code and message, with a next step. */
export function systemFault(what: string, error: unknown, next?: string): Fault {
  const message = error instanceof Error ? error.message : String(error);
  return new Fault('gone', `${what}: ${message}`, { cause: error, ...(next === undefined ? {} : { next }) });
}
