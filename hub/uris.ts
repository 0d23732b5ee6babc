import { Fault } from '../shared/fault.js';
import type { Owner } from './caller.js';
import type { Child } from './child.js';
import { Owners } from './owners.js';
import { isAlias } from './prefix.js';
import { LISTS, type ListName } from './protocol.js';

/** A resource as the child that has it knows it. */
export interface Owned {
  readonly child: Child;
  readonly uri: string;
}

/** The URI of one child's resource where the URI alone would not tell whose: `notes+file:///a`. */
export function namespaced(alias: string, uri: string): string {
  return `${alias}+${uri}`;
}

/** All children, also by alias. */
type AllChildren = Iterable<Child> & { get(alias: string): Child | undefined };

/**
 * Whose resource a URI means: that of the one child that lists it, that of the alias before a `+`, that of the child
 * with the longest template that begins like it, or that of the only child with resources. What has changed is taken up
 * when it is next asked, so that a call costs the same however many resources there are.
 */
export class Uris {
  /** Who lists what, of the lists that have URIs. */
  readonly owners: ReadonlyMap<ListName, Owners>;
  readonly #children: AllChildren;
  readonly #resources: Owners;
  readonly #templates: Owners;
  #isStale = true;
  #beginnings: readonly { readonly text: string; readonly child: Child }[] = [];
  /** The version of the templates that the beginnings are of. */
  #version = -1;

  constructor(children: AllChildren) {
    this.#children = children;
    this.#resources = new Owners(children, 'resources');
    this.#templates = new Owners(children, 'resourceTemplates');
    this.owners = new Map([
      ['resources', this.#resources],
      ['resourceTemplates', this.#templates],
    ]);
  }

  /** The children or their lists have changed. */
  forget(): void {
    this.#isStale = true;
  }

  /** @throws Fault `unknown` where nobody, or more than one, may be meant. */
  owner(uri: string): Owned {
    this.#update();
    const child = onlyOne(this.#templates.of(uri)) ?? onlyOne(this.#resources.of(uri));
    if (child !== undefined) return { child, uri };
    const found = this.#byAlias(uri) ?? this.#byBeginning(uri) ?? this.#only(uri);
    if (found !== undefined) return found;
    const aliases = [...this.#withResources()].map(({ alias }) => alias).join(', ');
    throw new Fault('unknown', `no server lists the resource ${JSON.stringify(uri)}`, {
      next: `Say whose it is by ALIAS+URI; servers with resources: ${aliases || 'none'}.`,
    });
  }

  /** The same for one client, which may have a process of its own. */
  reached(shown: string, client: Owner): Owned {
    const { child, uri } = this.owner(shown);
    return { child: child.instance(client), uri };
  }

  #update(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#resources.update();
    this.#templates.update();
    if (this.#templates.version === this.#version) return;
    this.#version = this.#templates.version;
    this.#beginnings = [...this.#templates.entries()]
      .map(([key, child]) => ({ text: key.replace(/\{.*$/s, ''), child }))
      .sort((a, b) => b.text.length - a.text.length);
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

function onlyOne(children: ReadonlySet<Child>): Child | undefined {
  const [first] = children;
  return children.size === 1 ? first : undefined;
}
