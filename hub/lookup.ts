import type { Child } from './child.js';
import { hashAtEnd } from './names.js';
import { splitName } from './prefix.js';
import { isHub, type ListName } from './protocol.js';

/** A child, and its own name for what a call is for. */
export interface Addressee {
  readonly child: Child;
  readonly name: string;
}

/** The children in order, and by alias. */
export interface ByAlias extends Iterable<Child> {
  get(alias: string): Child | undefined;
}

/** Finds whom a shown name stands for; any form of it is taken, whichever the client was given. */
export class Lookup {
  readonly #children: ByAlias;
  readonly #separator: string | undefined;

  /** `separator` is one that is taken beside `.` and `__`. */
  constructor(children: ByAlias, separator?: string) {
    this.#children = children;
    this.#separator = separator;
  }

  /**
   * Who lists it. An alias counts before a name without one, what is named so before what only ends like a hash.
   */
  listed(list: ListName, shown: string): Addressee | undefined {
    const { child, name } = this.#split(shown);
    if (child !== undefined) {
      const whole = child.exposure.prefixed ? undefined : listedName(child, list, shown);
      const own = whole ?? listedName(child, list, name);
      if (own !== undefined) return { child, name: own };
    }
    return this.#byHash(list, shown, child) ?? (child === undefined ? this.#withoutPrefix(list, shown) : undefined);
  }

  /** The child with that alias, for a name that it may know without listing it. */
  unlisted(shown: string): Addressee | undefined {
    const { child, name } = this.#split(shown);
    if (child === undefined || hasOtherNames(child)) return undefined;
    const own = child.exposure.own(name);
    return own === undefined ? undefined : { child, name: own };
  }

  /** Whether a name that nobody lists may be found once more children have said what they offer. */
  mayBeLearned(shown: string): boolean {
    const isCut = hashAtEnd(shown) !== undefined;
    const named = this.#split(shown).child;
    const isNamed = named !== undefined;
    if (isNamed && named.catalogue === undefined && hasOtherNames(named)) return true;
    return [...this.#children].some(
      ({ catalogue, exposure }) => catalogue === undefined && (isCut || !(isNamed || exposure.prefixed)),
    );
  }

  #split(shown: string): { readonly child: Child | undefined; readonly name: string } {
    const split = splitName(shown, this.#separator);
    return { child: split && this.#children.get(split.alias), name: split?.name ?? shown };
  }

  /** A name that was cut mostly still begins with its alias: then nobody else's names need be looked at. */
  #byHash(list: ListName, shown: string, likely: Child | undefined): Addressee | undefined {
    const hash = hashAtEnd(shown);
    if (hash === undefined) return undefined;
    const found = likely === undefined ? undefined : hashedName(likely, list, hash);
    if (likely !== undefined && found !== undefined) return { child: likely, name: found };
    for (const child of this.#children) {
      const name = hashedName(child, list, hash);
      if (name !== undefined) return { child, name };
    }
    return undefined;
  }

  #withoutPrefix(list: ListName, shown: string): Addressee | undefined {
    for (const child of this.#children) {
      const name = child.exposure.prefixed ? undefined : listedName(child, list, shown);
      if (name !== undefined) return { child, name };
    }
    return undefined;
  }
}

/** Whether what is not offered might be called by another name: a hub takes several for one thing, and it may be one. */
function hasOtherNames({ catalogue, exposure }: Child): boolean {
  return !exposure.isPlain && (catalogue === undefined || isHub(catalogue.server));
}

function hashedName({ catalogue, exposure }: Child, list: ListName, hash: string): string | undefined {
  return catalogue === undefined ? undefined : exposure.offered(catalogue.lists[list]).byHash.get(hash);
}

function listedName({ catalogue, exposure }: Child, list: ListName, given: string): string | undefined {
  return catalogue === undefined ? undefined : exposure.offered(catalogue.lists[list]).byName.get(given);
}
