import type { Child } from './child.js';
import type { ByAlias } from './lookup.js';
import { type ListName, OWN_ALIAS } from './protocol.js';

/** What clients see of the tools: all of them, or only those of the hub, by which the others are found and called. */
export const EXPOSURES = ['all', 'search'] as const;
export type Expose = (typeof EXPOSURES)[number];

/** Whether clients see of a list what all children offer; prompts and resources are always seen. */
export function isWhole(list: ListName, expose: Expose): boolean {
  return expose === 'all' || list !== 'tools';
}

/** The children whose part of a list clients see. */
export function seen(children: ByAlias, list: ListName, expose: Expose): Iterable<Child> {
  const own = children.get(OWN_ALIAS);
  if (isWhole(list, expose)) return children;
  return own === undefined ? [] : [own];
}
