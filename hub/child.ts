import type { Call } from '../shared/call.js';
import type { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Peer } from '../shared/peer.js';
import type { Owner } from './caller.js';
import type { Exposure } from './exposure.js';
import { MODERN } from './modern.js';
import { type Catalogue, isHub, OWN_ALIAS } from './protocol.js';
import type { Remarks } from './remarks.js';

/** What the hub hears from its children. */
export interface ChildEvents {
  /** A request to the client side: elicitation, sampling, roots. */
  question(child: Child, call: Call): void;
  /** `on` is who waits for the answer to the request that it came with, where that is known. */
  notification(child: Child, frame: Frame, on: unknown): void;
  /** What it offers, or whether it is there, may have changed. */
  changed(child: Child): void;
  /** The connection to it was lost; `wait` milliseconds until it is started again, if it will be. */
  fell(child: Child, why: Fault, wait?: number): void;
  /** Whether somebody waits for what it says by itself, so that it must not be stopped for being idle. */
  isNeeded(child: Child): boolean;
  /** One without which the hub is not to run could not be started. */
  missing(child: Child, why: Fault): void;
}

/** How a child is. */
export interface ChildStatus {
  readonly state:
    | 'running'
    | 'starting'
    | 'stopped'
    | 'stopped until it is restarted'
    | 'waiting to be started again'
    | 'away';
  /** Its process. */
  readonly pid?: number | undefined;
  /** Why it failed last. */
  readonly error?: string | undefined;
  /** How many times in a row it has failed, and the milliseconds until it is tried again. */
  readonly failures?: number;
  readonly wait?: number;
  /** How much of what it wrote on standard output was no message. */
  readonly junk?: number;
}

/** A server behind the hub, however it is reached. */
export interface Child {
  readonly alias: string;
  /** What of it is offered, and under which names. */
  readonly exposure: Exposure;
  /** Milliseconds without answer or progress after which a request to it fails; for ever where there are none. */
  readonly timeout: number | undefined;
  /** What it offers; `undefined` while nothing is known or it is away. */
  readonly catalogue: Catalogue | undefined;
  /** The connection, while there is one. */
  readonly peer: Peer | undefined;
  /** What it said last on standard error, where the hub has that. */
  readonly remarks: Remarks | undefined;
  /** The one client that it serves; `undefined` where it is there for all. */
  readonly owner: Owner | undefined;
  /** The one that serves this client: itself, but for a child that runs once for each. */
  instance(client: Owner): Child;
  /** Those that there are: itself, but for a child that runs once for each client. */
  instances(): readonly Child[];
  /**
   * The connection, for a call: starts the child where that is needed.
   * @throws Fault `gone` when it cannot be had now, or the signal's reason.
   */
  ready(signal: AbortSignal): Promise<Peer>;
  /** Brings back what it offered when it last ran, where nothing newer is known. */
  recall(): Promise<void>;
  /** Learns what it offers, where that is not known yet or holds no longer; ends early rather than fail. */
  learn(): Promise<void>;
  /** Ends it for good; open calls fail with `why`. */
  stop(why?: Fault): Promise<void>;
  /** How it is now. */
  status(): ChildStatus;
  /**
   * Stops it and starts it again; its open calls fail.
   * @throws Fault `unsupported` where that is not the hub's to do, `gone` when it does not start.
   */
  restart(): Promise<void>;
  /**
   * Stops it until it is restarted; its open calls fail, and so do further ones.
   * @throws Fault `unsupported` where that is not the hub's to do.
   */
  halt(): Promise<void>;
}

/** Whether it speaks 2026-07-28, as far as is known. */
export function isModern({ catalogue }: Child): boolean {
  return catalogue?.protocol === MODERN;
}

/** Whether it takes calls of 2026-07-28; another hub takes them in the midst of its session. */
export function takesModern(child: Child): boolean {
  // The hub's own tools say that they are the hub's, but are spoken to in a session.
  const isOther = child.alias !== OWN_ALIAS && isHub(child.catalogue?.server ?? {});
  return isOther || isModern(child);
}
