import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Caret, carried } from '../../child-vim/caret.js';
import { difference } from '../../child-vim/operations.js';
import { changesOf, type Revision } from '../../child-vim/revision.js';

/** The way from one text to another, as it is seen from outside. */
function revision(old: readonly string[], now: readonly string[]): Revision {
  return { from: 1, to: 2, at: 0, by: ['person'], changes: changesOf(difference(1, old, now), old) };
}

/** Where a caret, written as ^ in the text, is afterwards. */
function after(marked: readonly string[], now: readonly string[]): string[] {
  const line = marked.findIndex((text) => text.includes('^'));
  const old = marked.map((text) => text.replace('^', ''));
  const caret = { line: line + 1, column: [...(marked[line]?.split('^')[0] ?? '')].length + 1 };
  const at = carried(caret, [revision(old, now)]);
  return now.map((text, index) => {
    const characters = [...text];
    if (index === Math.min(at.line, now.length) - 1) characters.splice(at.column - 1, 0, '^');
    return characters.join('');
  });
}

describe('a caret', () => {
  it('stays at its character', () => {
    assert.deepEqual(after(['one', 't^wo'], ['zero', 'one', 'two']), ['zero', 'one', 't^wo']);
    assert.deepEqual(
      after(
        ['one', 't^wo', 'x'],
        ['t^wo', 'x'].map((text) => text.replace('^', '')),
      ),
      ['t^wo', 'x'],
    );
    assert.deepEqual(after(['one ^two'], ['x one two!']), ['x one ^two!']);
    assert.deepEqual(after(['ab^c'], ['abXc']), ['abX^c']);
    assert.deepEqual(after(['ä漢^字'], ['ä😀漢字']), ['ä😀漢^字']);
    assert.deepEqual(after(['one', 'two ^three'], ['ONE', 'two', 'TWO three']), ['ONE', 'two^', 'TWO three']);
  });

  it('stays where its character was when that goes', () => {
    assert.deepEqual(after(['a', 'b^c', 'd'], ['a', 'd']), ['a', '^d']);
    assert.deepEqual(after(['a', 'b^c'], ['a']), ['^a']);
    assert.deepEqual(after(['one tw^o x'], ['one x']), ['one ^x']);
    assert.deepEqual(after(['a^b'], ['']), ['^']);
  });

  it('takes its selection and its window along, and its column as long as it has one', () => {
    const caret: Caret = { line: 3, column: 2, want: 9, topline: 2, anchor: { line: 2, column: 1, mode: 'V' } };
    const moved = carried(caret, [revision(['a', 'bb', 'cc'], ['new', 'a', 'xbb', 'cc'])]);
    assert.deepEqual(moved, { line: 4, column: 2, want: 9, topline: 3, anchor: { line: 3, column: 2, mode: 'V' } });
    assert.equal(carried(caret, [revision(['a', 'bb', 'cc'], ['a', 'bb', 'xcc'])]).want, undefined);
  });

  it('is always in a line that there is, or behind the last', () => {
    const texts = fc.array(fc.constantFrom('', 'a', 'b', 'ab', 'abc', 'c'), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, texts, fc.nat(7), fc.nat(3), (old, now, line, column) => {
        const caret = { line: Math.min(line + 1, old.length), column: column + 1 };
        const at = carried(caret, [revision(old, now)]);
        return at.line >= 1 && at.line <= now.length + 1 && at.column >= 1;
      }),
    );
  });
});
