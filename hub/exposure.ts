import { Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import { matchesGlob } from './glob.js';
import type { Item } from './item.js';
import { nameHash } from './names.js';

/** What of a child is offered, and how, as the person configured it. All names are the child's own, without alias. */
export interface ExposureSpec {
  /** Whether its names are shown behind its alias. */
  readonly prefixed: boolean;
  /** Patterns of what is offered; everything where there are none. */
  readonly allow: readonly string[];
  /** Patterns of what is not, whatever `allow` says. */
  readonly deny: readonly string[];
  /** Other names, by the child's own. */
  readonly rename?: ReadonlyMap<string, string>;
  /** Other descriptions. */
  readonly describe?: ReadonlyMap<string, string>;
}

/** A child of which everything is offered as it is. */
export const EVERYTHING: ExposureSpec = { prefixed: true, allow: [], deny: [] };

/** An entry of a list by its name. */
type Named = Pick<Item, 'key'>;

/** The names of one list that a child offers, each with the child's own. */
export interface Offered {
  readonly byName: ReadonlyMap<string, string>;
  readonly byHash: ReadonlyMap<string, string>;
}

/** Says what of one child is offered and under which names; for the list and for the call alike. */
export class Exposure {
  readonly prefixed: boolean;
  /** Whether all is offered under its own name behind the alias, so that a call needs no look-up. */
  readonly isPlain: boolean;
  readonly #alias: string;
  readonly #spec: ExposureSpec;
  readonly #rename: ReadonlyMap<string, string>;
  /** The child's own names by the given ones. */
  readonly #renamed = new Map<string, string>();
  readonly #offered = new WeakMap<readonly Named[], Offered>();

  /** @throws Fault `invalid` when two names are given to one thing. */
  constructor(alias: string, spec: ExposureSpec) {
    this.prefixed = spec.prefixed;
    this.#alias = alias;
    this.#spec = spec;
    this.#rename = spec.rename ?? new Map();
    for (const [own, given] of this.#rename) this.#addRename(own, given);
    this.isPlain = spec.prefixed && spec.allow.length + spec.deny.length + this.#rename.size === 0;
  }

  /** The name under which something of the child is offered; `undefined` where it is not. */
  given(own: string): string | undefined {
    if (!this.#allows(own)) return undefined;
    const given = this.#rename.get(own) ?? own;
    const other = this.#renamed.get(given) ?? own;
    if (other === own) return given;
    log.warnOnce(`${JSON.stringify(own)} of ${this.#alias} is left out: ${JSON.stringify(other)} is renamed to it`);
    return undefined;
  }

  /** The child's own name for a name that is offered, listed or not; `undefined` where it is not offered. */
  own(given: string): string | undefined {
    const own = this.#renamed.get(given) ?? given;
    return (this.#rename.get(own) ?? own) === given && this.#allows(own) ? own : undefined;
  }

  /** The description that the person gave instead of the child's own. */
  description(own: string): string | undefined {
    return this.#spec.describe?.get(own);
  }

  /** The names of a list that are offered; found once for each list that the child gave. */
  offered(items: readonly Named[]): Offered {
    const known = this.#offered.get(items) ?? this.#index(items.map(({ key }) => key));
    this.#offered.set(items, known);
    return known;
  }

  #index(names: readonly string[]): Offered {
    const byName = new Map<string, string>();
    const byHash = new Map<string, string>();
    for (const own of names) {
      const given = this.given(own);
      if (given === undefined) continue;
      byName.set(given, own);
      byHash.set(nameHash(this.#alias, given), own);
    }
    return { byName, byHash };
  }

  #allows(own: string): boolean {
    const { allow, deny } = this.#spec;
    if (allow.length === 0 && deny.length === 0) return true;
    const isIn = (patterns: readonly string[]): boolean => patterns.some((pattern) => matchesGlob(pattern, own));
    return (allow.length === 0 || isIn(allow)) && !isIn(deny);
  }

  #addRename(own: string, given: string): void {
    const other = this.#renamed.get(given);
    if (given === '' || other !== undefined) {
      const why = given === '' ? 'nothing' : `${given}, and so is ${other}`;
      throw new Fault('invalid', `${own} of ${this.#alias} is renamed to ${why}`, { next: 'Give it another name.' });
    }
    this.#renamed.set(given, own);
  }
}
