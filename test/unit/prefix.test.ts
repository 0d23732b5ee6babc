import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { aliasFor, isAlias, isSeparator, splitName, splitSpan } from '../../hub/prefix.js';

describe('a name behind an alias', () => {
  it('is found again, whatever it is and whichever separator stands before it', () => {
    const alias = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,31}$/);
    fc.assert(
      fc.property(
        alias,
        fc.string({ unit: 'binary' }),
        fc.constantFrom('.', '__', '/', '::', '_x_', '_-'),
        (own, name, mark) => {
          assert.deepEqual(splitName(own + mark + name, mark), { alias: own, name });
        },
      ),
    );
  });

  it('ends where the first separator stands', () => {
    assert.deepEqual(splitName('a.b__c.d'), { alias: 'a', name: 'b__c.d' });
    assert.deepEqual(splitName('a__b.c'), { alias: 'a', name: 'b.c' });
  });

  it('is cut off where it stands in a message, as it is in a text', () => {
    const name = fc.stringMatching(/^[a-z][a-z._/]{0,20}$/);
    fc.assert(
      fc.property(name, fc.constantFrom(undefined, '/', '_x_'), (shown, own) => {
        const bytes = Buffer.from(`{"name":"${shown}"}`);
        const found = splitSpan(bytes, { start: 8, end: bytes.length - 1 }, own);
        const rest = found && bytes.toString('utf8', found.cut.end, bytes.length - 2);
        assert.deepEqual(found && { alias: found.alias, name: rest }, splitName(shown, own));
      }),
    );
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

  it('is found for every name: itself, or always the same one', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (name) => {
        const alias = aliasFor(name);
        assert.ok(isAlias(alias), alias);
        assert.equal(aliasFor(name), alias);
        assert.equal(aliasFor(alias), alias);
      }),
    );
  });

  for (const [name, alias] of [
    ['files', 'files'],
    ['My server.v2_x', 'My-server-v2-x'],
    [' (edge) ', 'edge'],
    ['3d', 'server-3d'],
    ['\u65e5\u672c', /^server-[0-9a-f]{8}$/],
    ['', /^server-[0-9a-f]{8}$/],
    [`long ${'x'.repeat(40)}`, /^long-x{17}-[0-9a-f]{8}$/],
  ] as const) {
    it(`for ${JSON.stringify(name)} is like ${String(alias)}`, () => {
      if (typeof alias === 'string') assert.equal(aliasFor(name), alias);
      else assert.match(aliasFor(name), alias);
    });
  }
});

describe('a separator', () => {
  it('begins with what no alias holds, and differs from the two from its beginning on', () => {
    for (const text of ['.', '__', '/', '::', '_x', '_-_']) assert.ok(isSeparator(text), text);
    for (const text of ['', '_', '..', '._', '___', '-', 'x', ' ', '/ ', '"', '/12345678']) {
      assert.ok(!isSeparator(text), text);
    }
  });
});
