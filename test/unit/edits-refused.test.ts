import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Edit } from '../../child-vim/edits.js';
import type { Unit } from '../../child-vim/offsets.js';
import { edited } from '../kit/text.js';

describe('edits that cannot be made', () => {
  it('name two that overlap or begin at the same place', () => {
    const lines = ['abcdef'];
    const insert = (column: number): Edit => ({ kind: 'insert', at: { line: 1, column }, text: 'x' });
    const range = (from: number, to: number): Edit => ({ kind: 'range', start: from, end: to, text: 'y' });
    assert.throws(
      () => edited(lines, [range(3, 5), insert(7), range(0, 4)]),
      /operations\[0\] and operations\[2\] overlap/,
    );
    assert.throws(() => edited(lines, [insert(2), insert(2)]), /operations\[0\] and operations\[1\] begin at the same/);
    assert.throws(() => edited(lines, [range(0, 4), insert(3)]), /operations\[0\] and operations\[1\] overlap/);
    assert.deepEqual(edited(lines, [range(0, 2), insert(3), range(4, 6)]), ['yxcdy']);
  });

  for (const [what, lines, one, message, unit = 'char'] of [
    [
      'a column beyond the line',
      ['ab'],
      { kind: 'insert', at: { line: 1, column: 4 }, text: 'x' },
      /line 1 ends at column 3/,
    ],
    [
      'a line beyond the text',
      ['ab'],
      { kind: 'insert', at: { line: 3, column: 1 }, text: 'x' },
      /ends at line 2, column 1/,
    ],
    ['an offset beyond the text', ['ab'], { kind: 'insert', at: 4, text: 'x' }, /ends at offset 3/],
    ['half a surrogate pair', ['a🙂'], { kind: 'insert', at: 2, text: 'x' }, /inside a character of line 1/, 'utf16'],
    [
      'half a character',
      ['ü'],
      { kind: 'insert', at: { line: 1, column: 2 }, text: 'x' },
      /inside a character/,
      'byte',
    ],
    [
      'an end before its start',
      ['ab', 'cd'],
      { kind: 'range', start: 4, end: 1, text: '' },
      /end comes before .*start/,
    ],
    ['lines that are not there', ['ab'], { kind: 'lines', first: 1, last: 2, text: '' }, /last is beyond the end/],
    [
      'a search in no lines',
      ['ab'],
      { kind: 'replace', old: 'a', new: '', first: 5 },
      /0 times \(there are no such lines/,
    ],
  ] as [string, string[], Edit, RegExp, Unit?][]) {
    it(`refuse ${what}`, () => {
      assert.throws(() => edited(lines, [one], unit), message);
    });
  }

  for (const [what, lines, old, message] of [
    ['indentation', ['x', '\tif (a) {', '\t  b'], '  if (a) {\n    b', /but for indentation it stands at line 2/],
    ['white space', ['f( a )'], 'f(a)', /but for white space it stands at line 1: "f\( a \)"/],
    ['case', ['x', 'Hello'], 'hello', /but for upper and lower case it stands at line 2/],
    ['quotes', ['say “hi”'], 'say "hi"', /but for quotes, dashes.* line 1/],
    ['CR', ['a\r', 'b\r'], 'a\nb', /but for a CR at line ends it stands at line 1/],
    ['newlines escaped twice', ['a', 'b'], 'a\\nb', /newlines in place of backslash and n/],
    [
      'one of several lines',
      ['a', 'b', 'c', 'd'],
      'b\nc\nx\nd',
      /its first 2 lines end at line 3, but line 4 is "d", not "x"/,
    ],
  ] as const) {
    it(`tell where a text stands but for ${what}`, () => {
      assert.throws(() => edited(lines, [{ kind: 'replace', old, new: 'z' }]), message);
    });
  }
});
