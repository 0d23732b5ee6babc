import type { Child } from './child.js';
import { shownName } from './prefix.js';
import { type Catalogue, type Item, LISTS, type ListName } from './protocol.js';

/** The longest instructions taken from one child, in characters. */
const LONGEST = 8000;

/** One list of all children, each entry under its shown name; in the order of the children, then their own. */
export function merged(children: Iterable<Child>, list: ListName): Item[] {
  const items: Item[] = [];
  for (const { alias, catalogue } of children) {
    for (const item of catalogue?.[list] ?? []) items.push({ ...item, name: shownName(alias, item.name) });
  }
  return items;
}

/** What clients are told to begin with: what the names mean, then the words of each child under its alias. */
export function instructions(children: Iterable<Child>): string {
  const parts = ['Each tool belongs to one server: the part of its name before the first dot names the server.'];
  for (const { alias, catalogue } of children) {
    const text = catalogue?.instructions;
    if (text !== undefined && text !== '') parts.push(`## ${alias}\n\n${text.slice(0, LONGEST)}`);
  }
  return parts.join('\n\n');
}

/** The hub's own capabilities: what it merges and passes on, whichever children are there now. */
export function capabilities(): Catalogue['capabilities'] {
  const lists = Object.keys(LISTS).map((list) => [list, { listChanged: true }] as const);
  return { logging: {}, ...Object.fromEntries(lists) };
}
