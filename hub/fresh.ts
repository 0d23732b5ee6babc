import { type Child, isModern } from './child.js';
import type { Item } from './item.js';
import { MODERN } from './modern.js';
import { type Catalogue, type JsonObject, LISTS, type ListName, OWN_ALIAS, objectOf } from './protocol.js';

/** How long lists may be taken as they are (2026-07-28, server/utilities/caching). */

/** What a server said of a list when it gave it: for how many milliseconds it holds, and when that was. */
interface Hint {
  readonly ttl: number;
  readonly at: number;
}

const hints = new WeakMap<readonly Item[], Hint>();

/** Remembers for how many milliseconds from now a list holds. */
export function holdsFor(list: readonly Item[], ttl: number): void {
  hints.set(list, { ttl, at: performance.now() });
}

/** Whether a list that was read again is the same as before, which then holds for as long as it does. */
export function isRenewed(before: readonly Item[], now: readonly Item[]): boolean {
  if (before.length !== now.length || !before.every(({ bytes }, at) => now[at]?.bytes.equals(bytes) === true))
    return false;
  const hint = hints.get(now);
  if (hint !== undefined) hints.set(before, hint);
  return true;
}

/** Whether a list has to be asked for again, because its server says when it may have changed and not that it has. */
export function isStale({ protocol, capabilities, lists }: Catalogue, list: ListName): boolean {
  const { capability } = LISTS[list];
  if (protocol !== MODERN || !(capability in capabilities) || tells(capabilities, list)) return false;
  return left(lists[list]) === 0;
}

/**
 * For how many milliseconds a list of all these children holds: as long as that of each. One without a word of it may
 * change at any time, as may what is not known yet; the hub's own tools change with the configuration only.
 */
export function leastOf(children: Iterable<Child>, list: ListName): number {
  let least = Number.POSITIVE_INFINITY;
  for (const child of children) if (child.alias !== OWN_ALIAS) least = Math.min(least, holds(child, list));
  return Number.isFinite(least) ? least : 0;
}

function holds(child: Child, list: ListName): number {
  const { catalogue } = child;
  if (catalogue === undefined) return 0;
  const { capabilities, lists } = catalogue;
  if (!(LISTS[list].capability in capabilities)) return Number.POSITIVE_INFINITY;
  if (!isModern(child)) return 0;
  // Of what the hub is told when it changes, it knows that it has not.
  return tells(capabilities, list) && child.peer !== undefined ? (hints.get(lists[list])?.ttl ?? 0) : left(lists[list]);
}

function left(list: readonly Item[]): number {
  const { ttl, at } = hints.get(list) ?? { ttl: 0, at: 0 };
  return Math.max(Math.floor(ttl - (performance.now() - at)), 0);
}

function tells(capabilities: JsonObject, list: ListName): boolean {
  return objectOf(capabilities[LISTS[list].capability])['listChanged'] === true;
}
