import type { Call } from '../shared/call.js';
import type { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Peer } from '../shared/peer.js';
import type { Exposure } from './exposure.js';
import { MODERN } from './modern.js';
import type { Catalogue } from './protocol.js';

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
  readonly state: 'running' | 'starting' | 'stopped' | 'waiting to be started again' | 'away';
  /** Its process. */
  readonly pid?: number | undefined;
  /** Why it is not there. */
  readonly error?: string | undefined;
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
  /**
   * The connection, for a call: starts the child where that is needed.
   * @throws Fault `gone` when it cannot be had now, or the signal's reason.
   */
  ready(signal: AbortSignal): Promise<Peer>;
  /** Brings back what it offered when it last ran, where nothing newer is known. */
  recall(): Promise<void>;
  /** Learns what it offers, where that is not known yet; ends early rather than fail. */
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
}

/** Whether it speaks 2026-07-28, as far as is known. */
export function isModern({ catalogue }: Child): boolean {
  return catalogue?.protocol === MODERN;
}
