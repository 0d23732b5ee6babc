import type { Peer } from '../shared/peer.js';

/** How often it is looked, as a part of the time to wait, and the bounds of that in milliseconds. */
const PART = 4;
const [SHORTEST, LONGEST] = [20, 10_000];

/**
 * Calls `then` once, when for so many milliseconds no request has been open in either direction and it was not needed;
 * never once the connection has ended. Looks from time to time, so that calls need not tell of themselves.
 */
export function whenIdle(peer: Peer, milliseconds: number, isNeeded: () => boolean, then: () => void): void {
  let seen = -1;
  let since = 0;
  const timer = setInterval(
    () => {
      const now = performance.now();
      if (peer.ended) clearInterval(timer);
      else if (!peer.isQuiet || isNeeded() || peer.requests !== seen) {
        seen = peer.requests;
        since = now;
      } else if (now - since >= milliseconds) {
        clearInterval(timer);
        then();
      }
    },
    Math.min(Math.max(milliseconds / PART, SHORTEST), LONGEST),
  ).unref();
}
