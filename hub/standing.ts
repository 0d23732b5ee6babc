import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../shared/backoff.js';
import { asFault, Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import { log } from '../shared/log.js';
import type { Peer } from '../shared/peer.js';
import { type Child, isModern } from './child.js';
import { envelopeFor } from './envelope.js';
import { HUB_INFO, type JsonObject } from './protocol.js';

/** Milliseconds for a child to take a subscription. */
const PATIENCE = 30_000;

/** What is heard of on each connection, by URI. */
const standing = new WeakMap<Peer, Map<string, AbortController>>();

/**
 * Asks a child to tell of changes of a resource.
 * @throws Fault of the child's refusal; a child of 2026-07-28 is not waited for.
 */
export async function subscribe(child: Child, peer: Peer, uri: string): Promise<void> {
  if (!isModern(child)) {
    await peer.request('resources/subscribe', { uri }, { timeout: PATIENCE });
    return;
  }
  const heard = standing.get(peer) ?? new Map<string, AbortController>();
  standing.set(peer, heard);
  if (heard.has(uri)) return;
  const end = new AbortController();
  heard.set(uri, end);
  void listen(peer, { resourceSubscriptions: [uri] }, { signal: end.signal });
}

/** Asks a child to tell no more of a resource. */
export async function unsubscribe(child: Child, peer: Peer, uri: string): Promise<void> {
  if (!isModern(child)) await peer.request('resources/unsubscribe', { uri }, { timeout: PATIENCE });
  standing.get(peer)?.get(uri)?.abort(new Fault('cancelled', 'nobody listens any more'));
  standing.get(peer)?.delete(uri);
}

/** How something is listened to. */
interface Ears {
  readonly signal?: AbortSignal;
  /** What the client can do. */
  readonly capabilities?: JsonObject;
  /** Given what comes, where that is not for all who hear of the child. */
  readonly told?: (frame: Frame) => void;
}

/** Hears of changes on a connection until it ends, or the signal says so (2026-07-28, `subscriptions/listen`). */
export async function listen(peer: Peer, notifications: JsonObject, ears: Ears = {}): Promise<void> {
  const { signal, capabilities = {}, told } = ears;
  const backoff = new Backoff();
  const params = { notifications, _meta: envelopeFor(HUB_INFO, capabilities) };
  while (!peer.ended && signal?.aborted !== true) {
    const since = performance.now();
    try {
      await peer.request('subscriptions/listen', params, {
        isStanding: true,
        ...(signal === undefined ? {} : { signal }),
        ...(told === undefined ? {} : { told }),
      });
    } catch (error) {
      const { kind, message } = asFault(error);
      if (kind === 'unsupported' || kind === 'invalid') {
        log.warn(`${peer.name} does not tell of changes: ${message}`);
        return;
      }
    }
    await sleep(backoff.next(performance.now() - since), undefined, { ref: false });
  }
}
