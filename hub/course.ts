import type { Call } from '../shared/call.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';
import { edited, editsAgain } from './again.js';
import type { Caller } from './caller.js';
import type { HeldCalls } from './held.js';

/** A client's call that waits at the gate. */
export class Course {
  readonly caller: Caller;
  readonly held: HeldCalls;
  /** What is answered; another one once the client has called again with answers. */
  call: Call;
  /** Whether it goes on after questions of the child, and so has been let through before. */
  readonly isAgain: boolean;
  /** Questions that were answered with yes. */
  readonly allowed = new Set<string>();
  /** What is decided on, and then crosses. */
  readonly frame: Frame;
  readonly #edits: readonly Edit[];

  /** `edits` are those by which the call is to go on. */
  constructor(caller: Caller, call: Call, edits: readonly Edit[], held: HeldCalls, isAgain: boolean) {
    this.caller = caller;
    this.call = call;
    this.held = held;
    this.isAgain = isAgain;
    this.frame = call.frame;
    this.#edits = edits;
  }

  /** The edits by which what was decided on crosses, whichever call brought the answers. */
  get edits(): readonly Edit[] {
    return editsAgain(this.frame, this.#edits, this.call.frame);
  }

  /** The name of the tool as its server gets it. */
  get tool(): string {
    const { bytes } = this.frame;
    const span = this.frame.at('name') ?? { start: 0, end: 0 };
    return String(JSON.parse(edited(bytes, span, this.#edits).toString()));
  }

  /** The arguments, as they are written. */
  get arguments(): Uint8Array {
    const span = this.frame.at('arguments');
    return span === undefined ? Buffer.from('{}') : this.frame.bytes.subarray(span.start, span.end);
  }
}
