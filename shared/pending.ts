/** Removals after which an empty table is exchanged. */
const WORN = 32;

/**
 * What is open, by id. A Map that is filled and emptied for ever outgrows one table after the other, and each old one
 * keeps the next reachable: requests answered long ago would survive the collection of young objects. So a table that
 * has become empty is exchanged for a new one.
 */
export class Pending<K, V> {
  #open = new Map<K, V>();
  #removed = 0;

  get size(): number {
    return this.#open.size;
  }

  has(id: K): boolean {
    return this.#open.has(id);
  }

  get(id: K): V | undefined {
    return this.#open.get(id);
  }

  set(id: K, value: V): void {
    this.#open.set(id, value);
  }

  /** Takes out what is open under an id. */
  take(id: K): V | undefined {
    const value = this.#open.get(id);
    if (!this.#open.delete(id)) return undefined;
    this.#removed += 1;
    if (this.#open.size === 0 && this.#removed >= WORN) this.takeAll();
    return value;
  }

  values(): V[] {
    return [...this.#open.values()];
  }

  /** Takes out everything. */
  takeAll(): V[] {
    const values = this.values();
    this.#open = new Map();
    this.#removed = 0;
    return values;
  }
}
