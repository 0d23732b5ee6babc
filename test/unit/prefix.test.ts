import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isAlias, shownName, splitName } from '../../hub/prefix.js';

describe('a name behind an alias', () => {
  it('is found again, whatever it is and whichever separator stands before it', () => {
    const alias = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,31}$/);
    fc.assert(
      fc.property(
        alias,
        fc.string({ unit: 'binary' }),
        fc.constantFrom('.' as const, '__' as const),
        (own, name, mark) => {
          assert.deepEqual(splitName(shownName(own, name, mark)), { alias: own, name });
        },
      ),
    );
  });

  it('ends where the first separator stands', () => {
    assert.deepEqual(splitName('a.b__c.d'), { alias: 'a', name: 'b__c.d' });
    assert.deepEqual(splitName('a__b.c'), { alias: 'a', name: 'b.c' });
  });

  it('is none without an alias', () => {
    for (const name of ['', 'alone', '.x', '__x']) assert.equal(splitName(name), undefined);
  });
});

describe('an alias', () => {
  it('is a short word that holds no separator and is never an option', () => {
    for (const word of ['v', 'Vim', 'a-b', 'a9', `a${'b'.repeat(31)}`]) assert.ok(isAlias(word), word);
    for (const word of ['', '9a', '-a', 'a.b', 'a_b', 'a b', 'a\n', '\u00e4', `a${'b'.repeat(32)}`]) {
      assert.ok(!isAlias(word), word);
    }
  });
});
