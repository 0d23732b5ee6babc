import type { Child } from './child.js';
import type { Item } from './item.js';
import type { ListName } from './protocol.js';

/**
 * Which children list what, for one list whose keys are those of the children themselves: URIs. What is taken up of the
 * children costs as much as has changed of their lists, however many there are.
 */
export class Owners {
  readonly #children: Iterable<Child>;
  readonly #list: ListName;
  readonly #known = new Map<Child, readonly Item[]>();
  readonly #byKey = new Map<string, Set<Child>>();
  /** How often something that a child lists has become shared, or its own. */
  readonly #turns = new WeakMap<Child, number>();
  #turn = 0;

  constructor(children: Iterable<Child>, list: ListName) {
    this.#children = children;
    this.#list = list;
  }

  /** Changes whenever a list has. */
  get version(): number {
    return this.#turn;
  }

  /** Takes up the lists as they are now. */
  update(): void {
    const children = new Map<Child, readonly Item[]>();
    for (const child of this.#children) {
      const items = child.catalogue?.lists[this.#list] ?? [];
      if (items.length > 0) children.set(child, items);
    }
    for (const [child, items] of this.#known) if (children.get(child) !== items) this.#remove(child, items);
    for (const [child, items] of children) if (!this.#known.has(child)) this.#add(child, items);
  }

  /** Who lists it. */
  of(key: string): ReadonlySet<Child> {
    return this.#byKey.get(key) ?? NOBODY;
  }

  /** Whether several children list it, so that it does not tell whose it is. */
  isShared(key: string): boolean {
    return this.of(key).size > 1;
  }

  /** Another number whenever {@link isShared} has changed for something that this child lists. */
  turn(child: Child): number {
    return this.#turns.get(child) ?? 0;
  }

  /** All that is listed, with who lists it. */
  *entries(): Generator<readonly [string, Child]> {
    for (const [child, items] of this.#known) for (const { key } of items) yield [key, child];
  }

  #add(child: Child, items: readonly Item[]): void {
    this.#turn += 1;
    this.#known.set(child, items);
    for (const { key } of items) {
      const owners = this.#byKey.get(key) ?? new Set();
      this.#byKey.set(key, owners.add(child));
      if (owners.size === 2) this.#touch(owners);
      else if (owners.size > 2) this.#touch([child]);
    }
  }

  #remove(child: Child, items: readonly Item[]): void {
    this.#turn += 1;
    this.#known.delete(child);
    for (const { key } of items) {
      const owners = this.#byKey.get(key);
      owners?.delete(child);
      if (owners?.size === 0) this.#byKey.delete(key);
      else if (owners?.size === 1) this.#touch(owners);
    }
  }

  #touch(children: Iterable<Child>): void {
    for (const child of children) this.#turns.set(child, this.#turn);
  }
}

const NOBODY: ReadonlySet<Child> = new Set();
