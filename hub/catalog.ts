import { log } from '../shared/log.js';
import type { Child } from './child.js';
import type { Form } from './forms.js';
import { shownName } from './names.js';
import { splitName } from './prefix.js';
import { type Catalogue, type Item, keyOf, LISTS, type ListName } from './protocol.js';
import { namespaced, sharedKeys } from './uris.js';

/** The longest instructions taken from one child, in characters. */
const LONGEST = 8000;

/** One list of all children as a client sees it, in the order of the children, then their own. */
export function merged(children: Iterable<Child>, list: ListName, form: Form): Item[] {
  return LISTS[list].key === 'name' ? mergedNames([...children], list, form) : mergedUris([...children], list);
}

/** Each entry under its shown name. Of what would be shown under one name only the first is, and a warning tells both. */
function mergedNames(children: readonly Child[], list: ListName, form: Form): Item[] {
  const aliases = new Set(children.map(({ alias }) => alias));
  const items: Item[] = [];
  const owners = new Map<string, string>();
  for (const child of children) {
    for (const { owner, name, item } of shownItems(child, list, form)) {
      const other = owners.get(name) ?? aliasMeant(child, name, aliases, form);
      if (other !== undefined) log.warnOnce(`${owner} is left out of the ${list}: ${other} is ${name} already`);
      else {
        items.push(item);
        owners.set(name, owner);
      }
    }
  }
  return items;
}

/** Each entry under its URI; where several children list one, each under its own alias. */
function mergedUris(children: readonly Child[], list: ListName): Item[] {
  const shared = sharedKeys(children, list);
  return children.flatMap(({ alias, catalogue }) =>
    (catalogue?.lists[list] ?? []).map((item) => {
      const uri = keyOf(list, item);
      return shared.has(uri) ? { ...item, [LISTS[list].key]: namespaced(alias, uri) } : item;
    }),
  );
}

/** A list of one child as it is offered, under shown names; and whose it is, for messages. */
function shownItems(
  { alias, catalogue, exposure }: Child,
  list: ListName,
  form: Form,
): { readonly owner: string; readonly name: string; readonly item: Item }[] {
  return (catalogue?.lists[list] ?? []).flatMap((own) => {
    const ownName = keyOf(list, own);
    const given = exposure.given(ownName);
    if (given === undefined) return [];
    const name = shownName(form, alias, given, exposure.prefixed);
    return [
      { owner: `${JSON.stringify(ownName)} of ${alias}`, name, item: { ...exposure.described(ownName, own), name } },
    ];
  });
}

/** What a name without a prefix would be taken for, because it begins like those of another child. */
function aliasMeant(
  { alias, exposure }: Child,
  shown: string,
  aliases: ReadonlySet<string>,
  { separator }: Form,
): string | undefined {
  const meant = exposure.prefixed ? undefined : splitName(shown, separator);
  if (meant === undefined || meant.alias === alias || !aliases.has(meant.alias)) return undefined;
  return `${JSON.stringify(meant.name)} of ${meant.alias}`;
}

/** What clients are told to begin with: what the names mean, then the words of each child under its alias. */
export function instructions(children: Iterable<Child>, { separator }: Form): string {
  const mark = separator === '.' ? 'dot' : separator;
  const all = [...children];
  const bare = all.filter(({ exposure }) => !exposure.prefixed).map(({ alias }) => alias);
  const rest = bare.length === 0 ? '' : ` Tools without such a part belong to: ${bare.join(', ')}.`;
  const parts = [
    `Each tool belongs to one server: the part of its name before the first ${mark} names the server.${rest}`,
  ];
  for (const { alias, catalogue } of all) {
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
