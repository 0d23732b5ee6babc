/** Merged lists against what they would be if all were made anew. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Child } from '../../hub/child.js';
import { EVERYTHING, Exposure } from '../../hub/exposure.js';
import { CANONICAL } from '../../hub/forms.js';
import { type Item, itemsIn } from '../../hub/item.js';
import { MergedLists } from '../../hub/merged.js';
import { NOTHING } from '../../hub/protocol.js';
import { Uris } from '../../hub/uris.js';
import { joined } from '../../shared/parts.js';

function items(key: string, entries: readonly object[]): Item[] {
  const bytes = Buffer.from(JSON.stringify(entries));
  return itemsIn(bytes, { start: 0, end: bytes.length }, key, 'a test');
}

/** Children whose lists a test sets. */
class Shelf implements Iterable<Child> {
  readonly #children = new Map<string, Child>();

  set(alias: string, tools: readonly string[], uris: readonly string[]): void {
    const lists = {
      ...NOTHING.lists,
      tools: items(
        'name',
        tools.map((name) => ({ name })),
      ),
      resources: items(
        'uri',
        uris.map((uri) => ({ uri, name: alias })),
      ),
    };
    const exposure = new Exposure(alias, { ...EVERYTHING, prefixed: alias !== 'bare' });
    this.#children.set(alias, { alias, exposure, catalogue: { ...NOTHING, lists } } as unknown as Child);
  }

  remove(alias: string): void {
    this.#children.delete(alias);
  }

  get(alias: string): Child | undefined {
    return this.#children.get(alias);
  }

  [Symbol.iterator](): Iterator<Child> {
    return this.#children.values();
  }
}

function listed(shelf: Shelf, merged = new MergedLists(shelf, new Uris(shelf).owners)): unknown {
  return (['tools', 'resources'] as const).map((list) => {
    const { entries, state } = merged.page(list, CANONICAL, undefined);
    return [state, joined(entries).toString()];
  });
}

describe('merged lists', () => {
  const aliases = fc.constantFrom('a', 'b', 'bare', 'c');
  const names = fc.uniqueArray(fc.constantFrom('x', 'y', 'a.x', 'b.y', 'z'), { maxLength: 4 });
  const change = fc.record({ alias: aliases, tools: names, uris: names, isGone: fc.boolean() });

  it('are after any changes as if they were made anew', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const shelf = new Shelf();
        const uris = new Uris(shelf);
        const merged = new MergedLists(shelf, uris.owners);
        for (const { alias, tools, uris: own, isGone } of changes) {
          if (isGone) shelf.remove(alias);
          else shelf.set(alias, tools, own);
          uris.forget();
          assert.deepEqual(listed(shelf, merged), listed(shelf));
        }
      }),
    );
  });

  it('have another state exactly when they are different', () => {
    const shelf = new Shelf();
    const merged = new MergedLists(shelf, new Uris(shelf).owners);
    const state = (): string | undefined => merged.states(CANONICAL).get('tools');
    const empty = state();
    shelf.set('a', ['x'], []);
    const one = state();
    shelf.set('a', ['x'], ['u']);
    assert.equal(state(), one);
    shelf.set('a', ['y'], []);
    assert.notEqual(state(), one);
    shelf.set('a', ['x'], []);
    assert.equal(state(), one);
    shelf.set('a', [], []);
    assert.equal(state(), empty);
  });

  it('never show two things under one name', () => {
    const shelf = new Shelf();
    shelf.set('bare', ['a.x', 'b.y', 'z'], ['u', 'v']);
    shelf.set('a', ['x'], ['u']);
    const texts = (listed(shelf) as [string, string][]).map(([, text]) => text);
    assert.deepEqual(texts, [
      '{"name":"b.y"},{"name":"z"},{"name":"a.x"}',
      '{"uri":"bare+u","name":"bare"},{"uri":"v","name":"bare"},{"uri":"a+u","name":"a"}',
    ]);
  });
});
