import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { members } from '../../shared/json.js';
import { checkedMembers } from '../../shared/json-check.js';
import { coalesced, type Edit, joined, type Part, Splice } from '../../shared/parts.js';

describe('a splice', () => {
  /** Exchanges name and id of a message, whose text holds `filler`. */
  function exchanged(filler: string): { splice: Splice; whole: string } {
    const text = `{ "id" : 1, "x":\t[1.0, 1e2, "${filler}"], "params":{"name":"a.b"} }`;
    const bytes = Buffer.from(text);
    const found = checkedMembers(bytes);
    const name = members(bytes, found.get('params')?.start).get('name');
    const id = found.get('id');
    assert.ok(name !== undefined && id !== undefined);
    const edits: Edit[] = [
      { span: name, text: '"b"' },
      { span: id, text: Buffer.from('"\u00fc"') },
    ];
    const whole = text.replace('"a.b"', '"b"').replace(': 1,', ': "\u00fc",');
    return { splice: new Splice(bytes, edits), whole };
  }

  for (const length of [0, 5000, 200_000]) {
    it(`exchanges values and leaves every other byte of ${length} and a few`, () => {
      const { splice, whole } = exchanged('\u{1f600}'.repeat(length / 4));
      assert.equal(joined([splice]).toString(), whole);
      assert.equal(splice.length, Buffer.byteLength(whole));
      assert.equal(Buffer.concat(coalesced(['<\u00e9', splice, '>'])).toString(), `<\u00e9${whole}>`);
    });
  }

  it('gives the bytes as they are when nothing is to be changed', () => {
    assert.equal(joined([new Splice(Buffer.from('{"a":1}'), [])]).toString(), '{"a":1}');
  });
});

describe('parts', () => {
  it('are written as few pieces, the long ones uncopied', () => {
    const long = Buffer.alloc(100_000, 'x');
    const parts: Part[] = ['a', Buffer.from('b'), long, 'c', 'd', long, long];
    const pieces = coalesced(parts);
    assert.deepEqual(
      pieces.map(({ length }) => length),
      [2, 100_000, 2, 100_000, 100_000],
    );
    assert.equal(pieces[1], long);
    assert.equal(Buffer.concat(pieces).toString(), joined(parts).toString());
  });
});
