import type { Call } from '../shared/call.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';
import type { Peer } from '../shared/peer.js';
import type { Form } from './forms.js';
import type { Era } from './modern.js';
import type { JsonObject } from './protocol.js';

/** For whom a child that runs once for each client has a process. */
export interface Owner {
  /** Who that is, in words. */
  readonly name: string;
}

/** All who come with single requests over HTTP: nothing tells one of them from another, or when it has gone. */
export const STATELESS: Owner = { name: 'all clients without a session' };

/** Who makes a call: a session, or where there are none, what the one request says of it. */
export interface Caller {
  readonly era: Era;
  /** Which names it takes. */
  readonly form: Form;
  /** The connection; those who share one count as one client. */
  readonly peer: Peer;
  /** Whose process it has of a child that runs once for each client: its connection's, or {@link STATELESS}. */
  readonly owner: Owner;
  /** What it can do. */
  readonly capabilities: JsonObject | undefined;
  /** How it introduced itself. */
  readonly info: JsonObject;
  /** From which level on it wants log messages of children that are told so with each call; none where there is none. */
  readonly level: string | undefined;
  /** Whether it has a capability; what is asked without one is left to it. */
  can(capability: string | undefined): boolean;
  /** Passes on a notification of a child with places exchanged; `on` is a call of this caller that is open there. */
  hear(notification: Frame, edits: readonly Edit[], on?: Call): void;
}

/** RFC 5424, as MCP names the levels of log messages, least first. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type Level = (typeof LEVELS)[number];

/** The place of a level among all, least first; -1 for what is none. */
export function rankOf(level: unknown): number {
  return LEVELS.indexOf(level as Level);
}
