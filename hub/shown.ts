import { createHash } from 'node:crypto';
import { log } from '../shared/log.js';
import { joined, type Part, type Splice } from '../shared/parts.js';
import type { Child } from './child.js';
import type { Form } from './forms.js';
import type { Item } from './item.js';
import { shownName } from './names.js';
import { isHub, type JsonObject, type ListName, objectOf } from './protocol.js';

/** One list of one child as clients see it. */
export interface Shown {
  /** The entries with a comma between them, in JSON. */
  readonly bytes: Buffer;
  /** Where each entry ends in the bytes. */
  readonly ends: readonly number[];
  /** Tells these bytes from others. */
  readonly digest: string;
}

/** An entry under the name that a client takes. */
export interface Named {
  readonly child: Child;
  readonly item: Item;
  readonly name: string;
}

/** Whether clients see an entry at all, whatever its name is. */
export type Offers = (child: Child, list: ListName, item: Item) => boolean;

/** What stands against a name that might be equal to one of another child. */
export interface Others {
  /** Who has which name already; added to. */
  readonly taken: Map<string, string>;
  /** What else the name would be taken for. */
  readonly meant: (name: string) => string | undefined;
}

/** The entries under the names that a client takes. What another has the name of is left out, and a warning tells both. */
export function shownNames(child: Child, list: ListName, form: Form, others?: Others, offers?: Offers): Shown {
  return joinedEntries(named(child, list, form, others, offers).map(written));
}

/** The same entries, one by one. */
export function named(
  child: Child,
  list: ListName,
  form: Form,
  { taken, meant }: Others = alone(),
  offers: Offers = () => true,
): Named[] {
  const { alias, exposure, catalogue } = child;
  const entries: Named[] = [];
  for (const item of catalogue?.lists[list] ?? []) {
    const given = exposure.given(item.key);
    if (given === undefined || !offers(child, list, item)) continue;
    const name = nestedName(child, given, form) ?? shownName(form, alias, given, exposure.prefixed);
    const owner = `${JSON.stringify(item.key)} of ${alias}`;
    const other = taken.get(name) ?? meant(name);
    if (other !== undefined) log.warnOnce(`${owner} is left out of the ${list}: ${other} is ${name} already`);
    else {
      entries.push({ child, item, name });
      taken.set(name, owner);
    }
  }
  return entries;
}

/** An entry as it is listed. */
export function written({ child, item, name }: Named): Splice {
  return item.as(name, child.exposure.description(item.key));
}

/** What an entry says of itself, decoded, with the description that the person gave it. */
export function definition({ child, item }: Named): JsonObject {
  const given = child.exposure.description(item.key);
  const own = objectOf(JSON.parse(item.bytes.toString()));
  return given === undefined ? own : { ...own, description: given };
}

/**
 * The name of something of another hub, for a client that refuses dots: that hub takes the other separator, too, so that
 * the name need not be cut.
 */
function nestedName({ alias, exposure, catalogue }: Child, given: string, form: Form): string | undefined {
  if (form.separator !== '__' || !exposure.isPlain || !isHub(catalogue?.server ?? {})) return undefined;
  const nested = given.replace('.', form.separator);
  const name = shownName(form, alias, nested);
  return name === alias + form.separator + nested ? name : undefined;
}

/** For a child whose names begin with its alias, as no others do. */
function alone(): Others {
  return { taken: new Map(), meant: () => undefined };
}

/** The entries under their URIs, or under what `naming` makes of them. */
export function shownUris({ catalogue }: Child, list: ListName, naming: (uri: string) => string): Shown {
  return joinedEntries((catalogue?.lists[list] ?? []).map((item) => item.as(naming(item.key))));
}

/** Entries as one list. */
export function joinedEntries(entries: readonly Splice[]): Shown {
  const ends: number[] = [];
  const parts: Part[] = [];
  let end = -1;
  for (const entry of entries) {
    if (parts.length > 0) parts.push(',');
    parts.push(entry);
    end += 1 + entry.length;
    ends.push(end);
  }
  const bytes = joined(parts);
  return { bytes, ends, digest: createHash('sha256').update(bytes).digest('base64url') };
}
