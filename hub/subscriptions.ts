import { asFault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import { log } from '../shared/log.js';
import type { Peer } from '../shared/peer.js';
import type { Child } from './child.js';
import type { Client } from './client.js';
import type { Owned } from './uris.js';

/** Milliseconds for a child to take a subscription anew. */
const PATIENCE = 30_000;

/** Who wants to hear of which resource of one child: by the child's URI, each client with the URI that it gave. */
interface Wanted {
  readonly byUri: Map<string, Map<Client, string>>;
  /** The connection that knows of them. */
  peer: Peer | undefined;
}

/** Subscriptions to resources (MCP server/resources), which a child keeps for the hub as a whole. */
export class Subscriptions {
  readonly #wanted = new Map<Child, Wanted>();

  /** Whether somebody has subscribed to something of a child. */
  has(child: Child): boolean {
    return this.#wanted.has(child);
  }

  /** A client subscribes; the request itself goes on to the child. */
  add(client: Client, { child, uri }: Owned, shown: string): void {
    const wanted = this.#wanted.get(child) ?? { byUri: new Map<string, Map<Client, string>>(), peer: child.peer };
    this.#wanted.set(child, wanted);
    const clients = wanted.byUri.get(uri) ?? new Map<Client, string>();
    wanted.byUri.set(uri, clients);
    clients.set(client, shown);
  }

  /** A client wants no more of it. Whether nobody else does, so that the child has to be told. */
  remove(client: Client, { child, uri }: Owned): boolean {
    const wanted = this.#wanted.get(child);
    const clients = wanted?.byUri.get(uri);
    clients?.delete(client);
    if (clients !== undefined && clients.size > 0) return false;
    wanted?.byUri.delete(uri);
    if (wanted?.byUri.size === 0) this.#wanted.delete(child);
    return true;
  }

  /** A client has gone. */
  removeAll(client: Client): void {
    for (const [child, { byUri }] of this.#wanted) {
      for (const [uri, clients] of byUri) {
        if (!clients.has(client) || !this.remove(client, { child, uri })) continue;
        if (child.peer !== undefined) void ask(child.peer, 'resources/unsubscribe', uri);
      }
    }
  }

  /** A child is there again, and does not know what it was asked before. */
  renew(child: Child): void {
    const wanted = this.#wanted.get(child);
    const { peer } = child;
    if (wanted === undefined || peer === undefined || peer === wanted.peer) return;
    wanted.peer = peer;
    for (const uri of wanted.byUri.keys()) void ask(peer, 'resources/subscribe', uri);
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
    const clients = wanted.get(uri);
    if (clients === undefined) {
      const all = new Set([...wanted.values()].flatMap((each) => [...each.keys()]));
      for (const client of all) client.pass(frame.bytes);
      return;
    }
    for (const [client, shown] of clients)
      client.pass(frame.with([{ span, text: Buffer.from(JSON.stringify(shown)) }]));
  }
}

async function ask(peer: Peer, method: string, uri: string): Promise<void> {
  try {
    await peer.request(method, { uri }, { timeout: PATIENCE });
  } catch (error) {
    log.warn(`${peer.name}: ${method} of ${JSON.stringify(uri)} failed: ${asFault(error).message}`);
  }
}
