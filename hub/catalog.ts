import type { Child } from './child.js';
import { shownName } from './prefix.js';
import { type Catalogue, type Item, keyOf, LISTS, type ListName } from './protocol.js';
import { namespaced, sharedKeys } from './uris.js';

/** The longest instructions taken from one child, in characters. */
const LONGEST = 8000;

/** One list of all children, each entry under its shown name; in the order of the children, then their own. */
export function merged(children: Iterable<Child>, list: ListName): Item[] {
  const shown = LISTS[list].key === 'name' ? shownName : shownUri(sharedKeys(children, list));
  const items: Item[] = [];
  for (const { alias, catalogue } of children) {
    for (const item of catalogue?.lists[list] ?? []) {
      items.push({ ...item, [LISTS[list].key]: shown(alias, keyOf(list, item)) });
    }
  }
  return items;
}

function shownUri(shared: ReadonlySet<string>): (alias: string, uri: string) => string {
  return (alias, uri) => (shared.has(uri) ? namespaced(alias, uri) : uri);
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
  const listed = { listChanged: true };
  return { logging: {}, completions: {}, tools: listed, prompts: listed, resources: { subscribe: true, ...listed } };
}
