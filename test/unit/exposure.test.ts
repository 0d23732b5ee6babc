import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EVERYTHING, Exposure } from '../../hub/exposure.js';
import { matchesGlob } from '../../hub/glob.js';

describe('a pattern', () => {
  it('has * for any characters and ? for one, and nothing else that is special', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '['), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '[', '*', '?'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (glob, name) => {
        const source = glob.replace(/[.[]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
        assert.equal(matchesGlob(glob, name), new RegExp(`^${source}$`).test(name));
      }),
      { numRuns: 2000 },
    );
  });

  it('is done with quickly, whatever the text', () => {
    assert.equal(matchesGlob(`${'a*'.repeat(20)}b`, 'a'.repeat(20_000)), false);
  });
});

describe('what of a child is offered', () => {
  const exposure = new Exposure('c', {
    ...EVERYTHING,
    allow: ['read*', 'write'],
    deny: ['*secret*'],
    rename: new Map([
      ['read-lines', 'lines'],
      ['write', 'read-lines'],
    ]),
  });
  const offered = exposure.offered(['read-lines', 'write', 'lines', 'read-secret', 'other'].map((key) => ({ key })));

  it('is what is allowed and not denied, under the given names', () => {
    assert.deepEqual(
      [...offered.byName],
      [
        ['lines', 'read-lines'],
        ['read-lines', 'write'],
      ],
    );
  });

  it('is the same in a call, for what is listed and for what is not', () => {
    for (const [given, own] of [
      ['lines', 'read-lines'],
      ['read-lines', 'write'],
      ['write', undefined],
      ['read-secret', undefined],
      ['other', undefined],
      ['read-new', 'read-new'],
    ] as const) {
      assert.equal(exposure.own(given), own, given);
    }
  });

  it('never has two things under one name, and what it has is found again', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'ab');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name)), fc.uniqueArray(name), (pairs, names) => {
        const rename = new Map<string, string>();
        for (const [own, given] of pairs) if (![...rename.values()].includes(given)) rename.set(own, given);
        const some = new Exposure('c', { ...EVERYTHING, rename, deny: ['d'] });
        const given = names.map((own) => some.given(own)).filter((shown) => shown !== undefined);
        assert.equal(new Set(given).size, given.length);
        for (const own of names) {
          const shown = some.given(own);
          if (shown !== undefined) assert.equal(some.own(shown), own);
        }
      }),
    );
  });

  it('is refused where two names are given to one thing', () => {
    const rename = new Map([
      ['a', 'x'],
      ['b', 'x'],
    ]);
    assert.throws(() => new Exposure('c', { ...EVERYTHING, rename }), {
      kind: 'invalid',
      message: 'b of c is renamed to x, and so is a',
    });
    assert.throws(() => new Exposure('c', { ...EVERYTHING, rename: new Map([['a', '']]) }), { kind: 'invalid' });
  });
});
