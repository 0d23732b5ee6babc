import { randomUUID } from 'node:crypto';
import { Fault } from '../shared/fault.js';
import type { Client } from './client.js';

/** The request by which a hub tells a hub behind it which hubs are in front of that: `params.hubs`, ids. */
export const HUBS = 'mcp-multibroker/hubs';

/** The most hubs in front that are taken, and the most characters of an id. */
const MOST = 256;
const LONGEST = 64;

/**
 * Where this hub stands among others. Hubs may be behind hubs, but not behind themselves: their lists would grow for
 * ever. So each tells those behind it which are in front, anew whenever that changes, and refuses to be behind itself.
 */
export class Tree {
  readonly #id: string = randomUUID();
  readonly #inFront = new Map<Client, ReadonlySet<string>>();
  readonly #changed: () => void;

  /** `changed` is told when other hubs are in front than before. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** This hub and all that are in front of it, for one behind it. */
  path(): readonly string[] {
    return [...new Set([this.#id, ...[...this.#inFront.values()].flatMap((hubs) => [...hubs])])];
  }

  /**
   * Takes which hubs are in front by the way of one client.
   * @throws Fault `invalid` when this hub is one of them.
   */
  learn(client: Client, hubs: unknown): void {
    const ids = Array.isArray(hubs) ? hubs.slice(0, MOST).filter(isId) : [];
    if (ids.includes(this.#id)) throw loopFault();
    const before = this.path();
    this.#inFront.set(client, new Set(ids));
    this.#tell(before);
  }

  /** A client has gone. */
  forget(client: Client): void {
    const before = this.path();
    if (this.#inFront.delete(client)) this.#tell(before);
  }

  #tell(before: readonly string[]): void {
    const now = this.path();
    if (now.length !== before.length || now.some((id) => !before.includes(id))) this.#changed();
  }
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && id.length <= LONGEST;
}

function loopFault(): Fault {
  return new Fault('invalid', 'these hubs would be a loop: one of them would be behind itself', {
    next: 'Take one of the connections between them away.',
  });
}
