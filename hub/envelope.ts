import type { Call } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';
import type { Peer } from '../shared/peer.js';
import { type Caller, type Owner, rankOf } from './caller.js';
import { type Form, formFor } from './forms.js';
import { META, MODERN, revisionFault } from './modern.js';
import { type JsonObject, objectOf } from './protocol.js';

/** The members of `_meta` that make it one, which no server of sessions may see: it would be of two revisions then. */
export const ENVELOPE: ReadonlySet<string> = new Set([META.revision, META.client, META.capabilities, META.logLevel]);

/** What requests came by. */
type Connection = Pick<Caller, 'peer' | 'owner'>;

/** What a request of revision 2026-07-28 says of who makes it, in its `_meta`. */
export class Envelope implements Caller {
  readonly era = 'modern';
  readonly peer: Peer;
  readonly owner: Owner;
  readonly capabilities: JsonObject;
  readonly info: JsonObject;
  readonly level: string | undefined;
  readonly #rank: number;
  readonly #separator: string;

  private constructor(meta: JsonObject, { peer, owner }: Connection, separator: string) {
    this.peer = peer;
    this.owner = owner;
    this.capabilities = objectOf(meta[META.capabilities]);
    this.info = objectOf(meta[META.client]);
    this.#rank = rankOf(meta[META.logLevel]);
    this.level = this.#rank === -1 ? undefined : String(meta[META.logLevel]);
    this.#separator = separator;
  }

  /** Whether a message bears one. */
  static isIn(frame: Frame): boolean {
    return frame.at('_meta', META.revision) !== undefined;
  }

  /**
   * Reads the envelope of a request, where it bears one.
   * @throws Fault for one that is not whole, or of another revision.
   */
  static read(frame: Frame, on: Connection, separator: string): Envelope | undefined {
    if (!Envelope.isIn(frame)) return undefined;
    const meta = objectOf(frame.value('_meta'));
    checkEnvelope(meta);
    return new Envelope(meta, on, separator);
  }

  get form(): Form {
    return formFor(this.info['name'], this.#separator);
  }

  can(capability: string | undefined): boolean {
    return capability === undefined || capability in this.capabilities;
  }

  /** Log messages only, and those only where this request asked for them: they go out with its answer. */
  hear(notification: Frame, edits: readonly Edit[], on?: Call): void {
    const isWanted = this.#rank !== -1 && rankOf(notification.value('level')) >= this.#rank;
    if (notification.method === 'notifications/message' && isWanted && on?.open === true)
      on.from.about(on, [notification.with(edits)]);
  }
}

/** @throws Fault for an envelope that is not whole, or of another revision. */
export function checkEnvelope(meta: JsonObject): void {
  if (meta[META.revision] !== MODERN) throw revisionFault(meta[META.revision]);
  const capabilities = meta[META.capabilities];
  if (typeof capabilities !== 'object' || capabilities === null || Array.isArray(capabilities))
    throw new Fault('invalid', `a request needs ${META.capabilities} in its _meta, an object`);
  const level = meta[META.logLevel];
  if (level !== undefined && rankOf(level) === -1)
    throw new Fault('invalid', `${JSON.stringify(level)} is not a log level`);
}

/** The `_meta` of a request to a child that speaks 2026-07-28. */
export function envelopeFor(info: JsonObject, capabilities: JsonObject, logLevel?: string): JsonObject {
  return {
    [META.revision]: MODERN,
    [META.client]: info,
    [META.capabilities]: capabilities,
    ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
  };
}
