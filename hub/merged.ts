import { createHash } from 'node:crypto';
import type { Child } from './child.js';
import { type Expose, seen } from './expose.js';
import type { Form } from './forms.js';
import { leastOf } from './fresh.js';
import type { Item } from './item.js';
import type { ByAlias } from './lookup.js';
import type { Owners } from './owners.js';
import { type Page, pageAt } from './pages.js';
import { splitName } from './prefix.js';
import { LIST_NAMES, LISTS, type ListName, NOTHING } from './protocol.js';
import { type Named, named, type Offers, type Others, type Shown, shownNames, shownUris } from './shown.js';
import { namespaced } from './uris.js';

/** What a list of a child was made into for one form, and by which naming of its URIs. */
interface Made {
  readonly turn: number;
  readonly shown: Shown;
}

/** The state of a list that is empty. */
export const EMPTY = '';

/**
 * The lists of all children as clients see them, in the order of the children, then their own. What was made of a
 * child's list is kept as long as the child has that list: a change costs what that child offers, however many others
 * there are.
 */
export class MergedLists {
  readonly #children: ByAlias;
  readonly #owners: ReadonlyMap<ListName, Owners>;
  readonly #expose: () => Expose;
  readonly #offers: Offers;
  readonly #made = new WeakMap<readonly Item[], Map<Form, Made>>();

  /**
   * `owners` are those of the lists that have URIs, `expose` says what clients see of the tools, `offers` leaves single ones
   * of them out.
   */
  constructor(
    children: ByAlias,
    owners: ReadonlyMap<ListName, Owners>,
    expose: () => Expose = () => 'all',
    offers: Offers = () => true,
  ) {
    this.#children = children;
    this.#owners = owners;
    this.#expose = expose;
    this.#offers = offers;
  }

  /** For each list a text that differs when the list does. */
  states(form: Form): Map<ListName, string> {
    return new Map(LIST_NAMES.map((list) => [list, stateOf(this.#list(list, form))]));
  }

  /**
   * A page of a list, and the state of the whole.
   * @throws Fault `invalid` for a cursor that was not given out for this list as it is.
   */
  page(list: ListName, form: Form, cursor: unknown): Page & { readonly state: string } {
    const shown = this.#list(list, form);
    const state = stateOf(shown);
    return { ...pageAt(shown, state, cursor), state };
  }

  /** For how many milliseconds a list holds. */
  ttl(list: ListName): number {
    return leastOf(seen(this.#children, list, this.#expose()), list);
  }

  /** The entries of a list of names one by one, whether or not clients see them in the list. */
  named(list: ListName, form: Form): Named[] {
    const taken = new Map<string, string>();
    return [...this.#children].flatMap((child) =>
      named(child, list, form, this.#others(child, taken, form), this.#offers),
    );
  }

  #list(list: ListName, form: Form): Shown[] {
    return LISTS[list].key === 'name' ? this.#names(list, form) : this.#uris(list, form);
  }

  #names(list: ListName, form: Form): Shown[] {
    const found: Shown[] = [];
    const taken = new Map<string, string>();
    for (const child of seen(this.#children, list, this.#expose())) {
      const items = itemsOf(child, list);
      if (items.length === 0) continue;
      const others = this.#others(child, taken, form);
      const make = (): Shown => shownNames(child, list, form, others, this.#offers);
      found.push(others === undefined ? this.#kept(items, form, 0, make) : make());
    }
    return found;
  }

  /** Names without a prefix may be those of others, so that they depend on who else is there. */
  #others(child: Child, taken: Map<string, string>, form: Form): Others | undefined {
    return child.exposure.prefixed ? undefined : { taken, meant: (name) => this.#meant(child, name, form) };
  }

  #uris(list: ListName, form: Form): Shown[] {
    const found: Shown[] = [];
    const owners = this.#owners.get(list);
    owners?.update();
    for (const child of this.#children) {
      const items = itemsOf(child, list);
      if (items.length === 0) continue;
      const naming = (uri: string): string => (owners?.isShared(uri) === true ? namespaced(child.alias, uri) : uri);
      found.push(this.#kept(items, form, owners?.turn(child) ?? 0, () => shownUris(child, list, naming)));
    }
    return found;
  }

  /** What was made of a list before, or is made of it now. */
  #kept(items: readonly Item[], form: Form, turn: number, make: () => Shown): Shown {
    const forms = this.#made.get(items) ?? new Map<Form, Made>();
    this.#made.set(items, forms);
    const made = forms.get(form);
    if (made?.turn === turn) return made.shown;
    const shown = make();
    forms.set(form, { turn, shown });
    return shown;
  }

  /** What a name without a prefix would be taken for, because it begins like those of another child. */
  #meant({ alias }: Child, name: string, { separator }: Form): string | undefined {
    const meant = splitName(name, separator);
    if (meant === undefined || meant.alias === alias || this.#children.get(meant.alias) === undefined) return undefined;
    return `${JSON.stringify(meant.name)} of ${meant.alias}`;
  }
}

function itemsOf({ catalogue }: Child, list: ListName): readonly Item[] {
  return catalogue === undefined ? NOTHING.lists[list] : catalogue.lists[list];
}

function stateOf(list: readonly Shown[]): string {
  const all = createHash('sha256');
  let isEmpty = true;
  for (const { ends, digest } of list) {
    if (ends.length === 0) continue;
    all.update(digest);
    isEmpty = false;
  }
  return isEmpty ? EMPTY : all.digest('base64url').slice(0, 22);
}
