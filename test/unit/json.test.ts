import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../shared/fault.js';
import { decoded, members, type Span } from '../../shared/json.js';
import { checkedMembers } from '../../shared/json-check.js';
import { limits } from '../../shared/limits.js';

/** Bytes at which JSON texts and UTF-8 sequences break. */
const TELLING = Buffer.from('{}[]":,\\/utfn019eE+-. \t\n\r\0\u001f\u007f');
const byte = fc.oneof(fc.constantFrom(...TELLING), fc.integer({ min: 0, max: 255 }));
const mutation = fc.record({ at: fc.nat(), drop: fc.nat(2), insert: fc.array(byte, { maxLength: 2 }) });
const spacing = fc.constantFrom(undefined, 1, '\t', '\r\n');
const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 }), { noNullPrototype: true });

function mutated(bytes: Buffer, mutations: readonly { at: number; drop: number; insert: number[] }[]): Buffer {
  let result = bytes;
  for (const { at, drop, insert } of mutations) {
    const start = at % (result.length + 1);
    result = Buffer.concat([result.subarray(0, start), Buffer.from(insert), result.subarray(start + drop)]);
  }
  return result;
}

function refusal(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Fault, `not a Fault: ${String(error)}`);
    assert.equal(error.kind, 'protocol');
    return error.message;
  }
}

function isJsonObject(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function values(bytes: Buffer, spans: Iterable<readonly [string, Span]>): Record<string, unknown> {
  return Object.fromEntries([...spans].map(([name, span]) => [name, decoded(bytes, span)]));
}

describe('checkedMembers', () => {
  it('accepts what JSON.parse accepts, and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), spacing, fc.array(mutation, { maxLength: 3 }), (value, space, mutations) => {
        const bytes = mutated(Buffer.from(JSON.stringify(value, null, space)), mutations);
        const why = refusal(() => checkedMembers(bytes));
        if (why?.includes('stands twice')) return;
        assert.equal(why === undefined, isJsonObject(bytes), `${bytes.toString('latin1')}: ${why ?? 'accepted'}`);
      }),
      { numRuns: 2000 },
    );
  });

  it('tells where each member lies', () => {
    fc.assert(
      fc.property(object, spacing, (value, space) => {
        const bytes = Buffer.from(JSON.stringify(value, null, space));
        assert.deepEqual(values(bytes, checkedMembers(bytes)), JSON.parse(bytes.toString()));
      }),
      { numRuns: 300 },
    );
  });

  it('knows a member by its decoded name', () => {
    const bytes = Buffer.from('{"\\u0069d":1,"\\ud83d\\ude00":2,"a\\"b\\\\":3,"":4}');
    assert.deepEqual(values(bytes, checkedMembers(bytes)), { id: 1, '\u{1f600}': 2, 'a"b\\': 3, '': 4 });
  });

  it('keeps a member that is named as a part of every object', () => {
    const bytes = Buffer.from('{"__proto__":{"id":1},"constructor":2}');
    assert.deepEqual(
      [...checkedMembers(bytes)].map(([name]) => name),
      ['__proto__', 'constructor'],
    );
  });

  it('refuses two members of one name, however they are written', () => {
    assert.match(refusal(() => checkedMembers(Buffer.from('{"id":1,"id":1}'))) ?? '', /"id" stands twice/);
    assert.match(refusal(() => checkedMembers(Buffer.from('{"id":1,"\\u0069\\u0064":2}'))) ?? '', /"id" stands twice/);
  });

  it('leaves equal names at deeper levels to whoever reads them', () => {
    const bytes = Buffer.from('{"a":{"x":1,"x":2}}');
    const { start } = checkedMembers(bytes).get('a') ?? { start: 0 };
    assert.match(refusal(() => members(bytes, start)) ?? '', /"x" stands twice/);
  });

  it('takes as many levels as it says, and no more', () => {
    const nested = (levels: number): Buffer => Buffer.from(`{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);
    assert.equal(
      refusal(() => checkedMembers(nested(limits.depth))),
      undefined,
    );
    assert.match(refusal(() => checkedMembers(nested(limits.depth + 1))) ?? '', /deeper than 64 levels at byte 68/);
    assert.match(refusal(() => checkedMembers(nested(3), 2)) ?? '', /deeper than 2/);
    assert.match(refusal(() => checkedMembers(nested(1_000_000))) ?? '', /deeper/);
  });

  it('says at which byte the text goes wrong', () => {
    assert.match(refusal(() => checkedMembers(Buffer.from('{"a":1,}'))) ?? '', /byte 7/);
    assert.match(refusal(() => checkedMembers(Buffer.from('{"a":01}'))) ?? '', /byte 6/);
    assert.match(refusal(() => checkedMembers(Buffer.from('{} {}'))) ?? '', /byte 3/);
  });

  for (const [what, bytes] of [
    ['a byte that begins no character', [0xff]],
    ['an overlong character', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character that is cut off', [0xe2, 0x82]],
  ] as const) {
    it(`refuses ${what} in a string`, () => {
      const text = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
      assert.equal(
        refusal(() => checkedMembers(text)),
        'not UTF-8',
      );
    });
  }

  it('refuses a byte order mark', () => {
    assert.equal(
      refusal(() => checkedMembers(Buffer.from('\ufeff{}'))),
      'not a JSON object',
    );
  });
});

describe('members', () => {
  it('finds in an object within an object what stands there', () => {
    fc.assert(
      fc.property(object, spacing, (value, space) => {
        const bytes = Buffer.from(JSON.stringify({ before: '}"', params: value, after: 0 }, null, space));
        const { start } = checkedMembers(bytes).get('params') ?? { start: 0 };
        assert.deepEqual(values(bytes, members(bytes, start)), JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 300 },
    );
  });
});
