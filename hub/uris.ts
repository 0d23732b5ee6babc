import { Fault } from '../shared/fault.js';
import type { Child } from './child.js';
import { isAlias } from './prefix.js';
import { keyOf, LISTS, type ListName } from './protocol.js';

/** A resource as the child that has it knows it. */
export interface Owned {
  readonly child: Child;
  readonly uri: string;
}

/** The URI of one child's resource where the URI alone would not tell whose: `notes+file:///a`. */
export function namespaced(alias: string, uri: string): string {
  return `${alias}+${uri}`;
}

/** What several children list; the others keep their URI (or template) as it is. */
export function sharedKeys(children: Iterable<Child>, list: ListName): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { catalogue } of children) {
    for (const item of catalogue?.lists[list] ?? []) {
      const key = keyOf(list, item);
      if (seen.has(key)) shared.add(key);
      seen.add(key);
    }
  }
  return shared;
}

/** All children, also by alias. */
type AllChildren = Iterable<Child> & { get(alias: string): Child | undefined };

/**
 * Whose resource a URI means: that of the one child that lists it, that of the alias before a `+`, that of the child
 * with the longest template that begins like it, or that of the only child with resources. Built when it is first asked,
 * so that a call costs the same however many resources there are.
 */
export class Uris {
  readonly #children: AllChildren;
  #owners: Map<string, Child> | undefined;
  #beginnings: readonly { readonly text: string; readonly child: Child }[] = [];

  constructor(children: AllChildren) {
    this.#children = children;
  }

  /** The children or their lists have changed. */
  forget(): void {
    this.#owners = undefined;
  }

  /** @throws Fault `unknown` where nobody, or more than one, may be meant. */
  owner(uri: string): Owned {
    const child = this.#listed().get(uri);
    if (child !== undefined) return { child, uri };
    const found = this.#byAlias(uri) ?? this.#byBeginning(uri) ?? this.#only(uri);
    if (found !== undefined) return found;
    const aliases = [...this.#withResources()].map(({ alias }) => alias).join(', ');
    throw new Fault('unknown', `no server lists the resource ${JSON.stringify(uri)}`, {
      next: `Say whose it is by ALIAS+URI; servers with resources: ${aliases || 'none'}.`,
    });
  }

  #listed(): Map<string, Child> {
    if (this.#owners !== undefined) return this.#owners;
    const owners = new Map<string, Child>();
    for (const list of ['resources', 'resourceTemplates'] as const) {
      const shared = sharedKeys(this.#children, list);
      for (const { key, child } of this.#entries(list)) if (!shared.has(key)) owners.set(key, child);
    }
    this.#owners = owners;
    this.#beginnings = this.#entries('resourceTemplates')
      .map(({ key, child }) => ({ text: key.replace(/\{.*$/s, ''), child }))
      .sort((a, b) => b.text.length - a.text.length);
    return owners;
  }

  #entries(list: ListName): { readonly key: string; readonly child: Child }[] {
    return [...this.#children].flatMap((child) =>
      (child.catalogue?.lists[list] ?? []).map((item) => ({ key: keyOf(list, item), child })),
    );
  }

  #byAlias(uri: string): Owned | undefined {
    const plus = uri.indexOf('+');
    const alias = uri.slice(0, Math.max(plus, 0));
    const child = isAlias(alias) ? this.#children.get(alias) : undefined;
    return child === undefined ? undefined : { child, uri: uri.slice(plus + 1) };
  }

  /** A template's beginning is enough, and unlike a pattern made of it never slow. */
  #byBeginning(uri: string): Owned | undefined {
    const fitting = this.#beginnings.filter(({ text }) => text !== '' && uri.startsWith(text));
    const best = fitting.filter(({ text }) => text.length === fitting[0]?.text.length);
    const [first] = best;
    if (first === undefined || best.some(({ child }) => child !== first.child)) return undefined;
    return { child: first.child, uri };
  }

  #only(uri: string): Owned | undefined {
    const [first, ...others] = this.#withResources();
    return first === undefined || others.length > 0 ? undefined : { child: first, uri };
  }

  #withResources(): Child[] {
    return [...this.#children].filter(({ catalogue }) => LISTS.resources.capability in (catalogue?.capabilities ?? {}));
  }
}
