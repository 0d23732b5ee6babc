import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AUTO, CANONICAL, formFor } from '../../hub/forms.js';
import { hashAtEnd, mayEndInHash, nameHash, shownName } from '../../hub/names.js';

const alias = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,31}$/);
const anyName = fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.stringMatching(/^[a-zA-Z0-9_.-]{1,150}$/));

const STRICT_CLIENTS = [
  ['claude-ai', 64],
  ['claude-ai (via mcp-remote 0.1.37)', 64],
  ['codex-mcp-client', 64],
  ['openai-mcp', 64],
  ['github-copilot-developer', 64],
  ['Visual Studio Code', 64],
  ['claude-code', 64],
  ['cursor', 60],
  ['cursor-vscode', 60],
] as const;

describe('a shown name', () => {
  for (const [client, limit] of STRICT_CLIENTS) {
    it(`is one that ${client} takes, begins with the alias, and is another one for another tool`, () => {
      const form = formFor(client, AUTO);
      fc.assert(
        fc.property(fc.uniqueArray(fc.tuple(alias, anyName), { selector: String }), (tools) => {
          const names = tools.map(([own, name]) => shownName(form, own, name));
          for (const [at, name] of names.entries()) {
            assert.match(name, /^[a-zA-Z0-9_-]+$/);
            assert.ok(name.length <= limit, name);
            assert.ok(name.startsWith(`${tools[at]?.[0]}_`), name);
          }
          assert.equal(new Set(names).size, names.length);
        }),
      );
    });
  }

  it('is short enough for every client, and ends in its hash wherever it is not the plain one', () => {
    fc.assert(
      fc.property(alias, anyName, fc.boolean(), (own, name, prefixed) => {
        for (const client of ['anybody', ...STRICT_CLIENTS.map(([known]) => known)]) {
          const form = formFor(client, AUTO);
          const plain = prefixed ? own + form.separator + name : name;
          const shown = shownName(form, own, name, prefixed);
          assert.ok(shown.length <= 64);
          if (shown !== plain) assert.equal(hashAtEnd(shown), nameHash(own, name));
        }
      }),
    );
  });

  it('is what it always was', () => {
    const long = 'synchronize-all-customer-data-across-multiple-systems-of-one-kind';
    const strict = formFor('claude-ai', AUTO);
    assert.equal(shownName(CANONICAL, 'vim', 'read-lines'), 'vim.read-lines');
    assert.equal(shownName(CANONICAL, 'crm', 'a/b'), 'crm.a_b_a6b7767c');
    assert.equal(shownName(strict, 'vim', 'read-lines'), 'vim__read-lines');
    assert.equal(shownName(strict, 'a', 'b.c'), 'a__b_c_3ea3bbb6');
    assert.equal(shownName(strict, 'crm', long), 'crm__synchronize-all-customer-data-across-multiple-syst_e927ee9f');
  });

  it('is cut at no half of a character, and has one sign for each', () => {
    assert.match(shownName(CANONICAL, 'a', '\u{1f600}b'), /^a\._b_[0-9a-f]{8}$/);
  });

  it('is left as it is for another hub in front, which knows its own client', () => {
    const form = formFor('mcp-multibroker', AUTO);
    const name = `\u{1f600}${'x'.repeat(500)}`;
    assert.equal(shownName(form, 'a', name), `a.${name}`);
  });

  it('has the separator that was asked for, whoever the client is', () => {
    for (const client of ['cursor', 'anybody', undefined, 7]) {
      assert.equal(shownName(formFor(client, '/'), 'a', 'b'), 'a/b');
    }
  });
});

describe('the end of a name in a message', () => {
  it('is taken for a hash where it may be one', () => {
    for (const [name, may] of [
      ['a.b_01234567', true],
      ['a.b_0123456g', false],
      ['a.b-01234567', false],
      ['a.b_0123456', false],
      ['01234567', false],
      ['', false],
    ] as const) {
      const bytes = Buffer.from(`{"name":"${name}"}`);
      assert.equal(mayEndInHash(bytes, { start: 8, end: bytes.length - 1 }), may, name);
      assert.equal(hashAtEnd(name) !== undefined, may, name);
    }
  });
});
