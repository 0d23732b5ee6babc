import { asFault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import { log } from '../shared/log.js';
import type { Edit } from '../shared/parts.js';
import type { Peer } from '../shared/peer.js';
import type { Child } from './child.js';
import { subscribe, unsubscribe } from './standing.js';
import type { Owned } from './uris.js';

/** Who hears of changes of resources. */
export interface Subscriber {
  /** Passes on a notification with places exchanged. */
  hear(notification: Frame, edits: readonly Edit[]): void;
}

/** Who wants to hear of which resource of one child: by the child's URI, each subscriber with the URI that it gave. */
interface Wanted {
  readonly byUri: Map<string, Map<Subscriber, string>>;
  /** The connection that knows of them. */
  peer: Peer | undefined;
}

/** Subscriptions to resources (MCP server/resources), which a child keeps for the hub as a whole. */
export class Subscriptions {
  readonly #wanted = new Map<Child, Wanted>();
  readonly #subscribers = new Set<Subscriber>();

  /** Whether somebody has subscribed to something of a child. */
  has(child: Child): boolean {
    return this.#wanted.has(child);
  }

  /** Somebody subscribes; the child is told elsewhere. */
  add(who: Subscriber, { child, uri }: Owned, shown: string): void {
    const wanted = this.#wanted.get(child) ?? { byUri: new Map<string, Map<Subscriber, string>>(), peer: child.peer };
    this.#wanted.set(child, wanted);
    const subscribers = wanted.byUri.get(uri) ?? new Map<Subscriber, string>();
    wanted.byUri.set(uri, subscribers);
    subscribers.set(who, shown);
    this.#subscribers.add(who);
  }

  /** Somebody subscribes, and the child is told. */
  begin(who: Subscriber, to: Owned, shown: string): void {
    this.add(who, to, shown);
    const { child, uri } = to;
    void told(child, uri, beginning(child, uri));
  }

  /** Somebody wants no more of it. Whether nobody else does, so that the child has to be told. */
  remove(who: Subscriber, { child, uri }: Owned): boolean {
    const wanted = this.#wanted.get(child);
    const subscribers = wanted?.byUri.get(uri);
    subscribers?.delete(who);
    if (subscribers !== undefined && subscribers.size > 0) return false;
    wanted?.byUri.delete(uri);
    if (wanted?.byUri.size === 0) this.#wanted.delete(child);
    return true;
  }

  /** Somebody has gone. */
  removeAll(who: Subscriber): void {
    if (!this.#subscribers.delete(who)) return;
    for (const [child, { byUri }] of this.#wanted) {
      for (const [uri, subscribers] of byUri) {
        if (!subscribers.has(who) || !this.remove(who, { child, uri })) continue;
        if (child.peer !== undefined) void told(child, uri, unsubscribe(child, child.peer, uri));
      }
    }
  }

  /** A child is there again, and does not know what it was asked before. */
  renew(child: Child): void {
    const wanted = this.#wanted.get(child);
    const { peer } = child;
    if (wanted === undefined || peer === undefined || peer === wanted.peer) return;
    wanted.peer = peer;
    for (const uri of wanted.byUri.keys()) void told(child, uri, subscribe(child, peer, uri));
  }

  /**
   * A child says that a resource has changed: those who subscribed to it are told under the URI they gave; of a part of
   * one, which the protocol allows, all who subscribed to something there.
   */
  updated(child: Child, frame: Frame): void {
    const span = frame.at('uri');
    const uri = frame.value('uri');
    const wanted = this.#wanted.get(child)?.byUri;
    if (span === undefined || typeof uri !== 'string' || wanted === undefined) return;
    const subscribers = wanted.get(uri);
    if (subscribers === undefined) {
      const all = new Set([...wanted.values()].flatMap((each) => [...each.keys()]));
      for (const who of all) who.hear(frame, []);
      return;
    }
    for (const [who, shown] of subscribers) who.hear(frame, [{ span, text: Buffer.from(JSON.stringify(shown)) }]);
  }
}

async function told(child: Child, uri: string, asking: Promise<unknown>): Promise<void> {
  try {
    await asking;
  } catch (error) {
    log.warn(`${child.alias}: subscribing to ${JSON.stringify(uri)} failed: ${asFault(error).message}`);
  }
}

async function beginning(child: Child, uri: string): Promise<void> {
  await subscribe(child, child.peer ?? (await child.ready(new AbortController().signal)), uri);
}
