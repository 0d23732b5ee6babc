import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { locate } from '../../child-vim/locate.js';
import { parsePatch } from '../../child-vim/patch.js';
import { applied, diffOperations, textOf } from '../kit/text.js';

describe('diffs as they are written', () => {
  const numbered = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
  const twice = ['{', '  a', '}', '', '{', '  a', '}', ''];

  for (const [what, lines, diff, wanted] of [
    ['counts that are too large', ['a', 'b', 'c'], '@@ -1,9 +1,9 @@\n a\n-b\n+B\n c\n', ['a', 'B', 'c']],
    ['counts that are too small', ['a', 'b', 'c'], '@@ -1,1 +1,1 @@\n a\n-b\n+B\n+D\n c\n', ['a', 'B', 'D', 'c']],
    [
      'wrong counts before a blank line and another hunk',
      ['a', 'b', 'c', 'd'],
      '@@ -1,7 +1,7 @@\n-a\n+A\n\n@@ -4,3 +4,3 @@\n-d\n+D\n\n',
      ['A', 'b', 'c', 'D'],
    ],
    ['a header without numbers', ['a', 'b'], '@@ @@\n a\n-b\n+B\n', ['a', 'B']],
    [
      'hunks out of order',
      ['a', 'b', 'c', 'd'],
      '@@ -3,2 +3,2 @@\n c\n-d\n+D\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n',
      ['A', 'b', 'c', 'D'],
    ],
    [
      'hunks that share context',
      ['a', 'b', 'c'],
      '@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -2,2 +2,2 @@\n b\n-c\n+C\n',
      ['A', 'b', 'C'],
    ],
    ['no context', ['a', 'b'], '@@ -1,0 +2,1 @@\n+x\n', ['a', 'x', 'b']],
    ['two insertions at one place', ['a', 'b'], '@@ -1,1 +1,2 @@\n a\n+x\n@@ -1,0 +2,1 @@\n+y\n', ['a', 'x', 'y', 'b']],
    ['an insertion before a line that goes', ['a', 'b'], '@@ -1,1 +1,2 @@\n a\n+x\n@@ -2 +2,0 @@\n-b\n', ['a', 'x']],
    ['an insertion at the end', ['a', 'b'], '@@ -2,0 +3,2 @@\n+x\n+y\n', ['a', 'b', 'x', 'y']],
    [
      'blank context whose blank was stripped',
      ['a', '', 'b', ''],
      '@@ -1,4 +1,4 @@\n-a\n+A\n\n b\n\n',
      ['A', '', 'b', ''],
    ],
    ['a diff in CRLF for lines in LF', ['a', 'b'], '@@ -1,2 +1,3 @@\r\n a\r\n+x\r\n b\r\n', ['a', 'x', 'b']],
    ['lines in CRLF for lines in LF', ['a', 'b'], '@@ -1,2 +1,3 @@\n a\r\n+x\r\n b\r\n', ['a', 'x', 'b']],
    ['a diff in LF for lines in CRLF', ['a\r', 'b\r'], '@@ -1,2 +1,2 @@\n a\n-b\n+B\n', ['a\r', 'B\r']],
    ['a CR taken away', ['a\r', 'b\r'], '@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n', ['a', 'b\r']],
    ['an old text without a newline at its end', ['a'], '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n', ['b']],
    [
      'headers of git',
      ['a'],
      'diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@ def f():\n-a\n+b\n',
      ['b'],
    ],
    ['a new file', [''], 'new file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n', ['a', 'b']],
    ['the one line of an empty text replaced', [''], '@@ -1 +1 @@\n-\n+a\n', ['a']],
    ['the one line of an empty text as context', [''], '@@ -1 +1,2 @@\n \n+a\n', ['', 'a']],
    ['lines that look like headers', ['-- a', 'x'], '@@ -1,2 +1,2 @@\n--- a\n+++ b\n x\n', ['++ b', 'x']],
    ['the nearest of two places', twice, '@@ -2,1 +2,1 @@\n   a\n-}\n+)\n', ['{', '  a', ')', '', '{', '  a', '}', '']],
    [
      'a place one line off, others far',
      [...numbered, ...numbered],
      '@@ -5,1 +5,1 @@\n-line 4\n+four\n',
      [...numbered.with(3, 'four'), ...numbered],
    ],
  ] as const) {
    it(`may have ${what}`, async () => {
      assert.deepEqual(applied(lines, await diffOperations(diff, lines)), wanted);
    });
  }

  for (const [what, lines, diff, message] of [
    ['a place that is not certain', twice, '@@ -4,2 +4,2 @@\n   a\n-}\n+)\n', /stands at 2 places, lines 2, 6/],
    ['no line and several places', twice, '@@ @@\n   a\n-}\n+)\n', /stands at 2 places/],
    [
      'a place that the hunk before contradicts',
      ['x', 'a', 'b', 'b'],
      '@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-b\n+B\n',
      /stands at 2 places, lines 3, 4/,
    ],
    [
      'two changes of one line',
      ['a', 'b'],
      '@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -1,2 +1,2 @@\n-a\n+x\n b\n',
      /both change line 1/,
    ],
    [
      'no context after a hunk that is off',
      ['x', 'a', 'b'],
      '@@ -1 +1 @@\n-a\n+A\n@@ -2,0 +3 @@\n+y\n',
      /no context, and the line numbers are wrong/,
    ],
    [
      'no context and counts that say nothing',
      ['a', 'b'],
      '@@ -1,3 +1,4 @@\n+x\n',
      /no context and does not say where/,
    ],
    ['no context beyond the end', ['a'], '@@ -5,0 +6 @@\n+x\n', /beyond the end/],
    ['a new end without a newline', ['a'], '@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n', /missing newline/],
    [
      'a rename',
      ['a'],
      'diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to g\n@@ -1 +1 @@\n-a\n+b\n',
      /renames or copies/,
    ],
    ['a mode', ['a'], 'diff --git a/f b/f\nold mode 100644\nnew mode 100755\n', /changes the mode/],
    ['binary data', ['a'], 'diff --git a/f b/f\nGIT binary patch\nliteral 3\n', /is of a binary file/],
    ['a deletion of the file', ['a'], '--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n', /deletes a file/],
    [
      'two files',
      ['a'],
      '--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n--- b\n+++ b\n@@ -1 +1 @@\n-a\n+b\n',
      /second file begins/,
    ],
    ['two files, one without a hunk', ['a'], 'diff --git a b\ndiff --git c d\n@@ -1 +1 @@\n-a\n+b\n', /is of 2 files/],
    [
      'the form of a context diff',
      ['a'],
      '*** a\n--- b\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n',
      /a context diff/,
    ],
    ['the form of a normal diff', ['a'], '1c1\n< a\n---\n> b\n', /a normal diff/],
    ['the form of an ed script', ['a'], '1c\nb\n.\n', /an ed script/],
    ['the form of a combined diff', ['a'], '@@@ -1 -1 +1 @@@\n- a\n++b\n', /a combined diff/],
    [
      'the form of a patch for another tool',
      ['a'],
      '*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n',
      /an apply_patch envelope/,
    ],
    [
      'the text of a mail',
      ['a'],
      'From 1 Mon Sep 17\n\n@@ -1 +1 @@\n-a\n+b\n',
      /line 1 of the diff: "From 1 .* belongs to no hunk/,
    ],
    ['a hunk of no lines', ['a'], '@@ -1 +1 @@\n@@ -1 +1 @@\n-a\n+b\n', /line 1 of the diff: the hunk .* is empty/],
    ['nothing in it', ['a'], '\n', /is empty/],
    ['no hunk', ['a'], '--- a\n+++ b\n', /no hunk/],
    ['no change', ['a'], '@@ -1 +1 @@\n a\n', /changes nothing/],
    ['a line without a sign', ['a', 'b'], '@@ -1,2 +1,2 @@\n-a\n+A\nb\n', /line 4 of the diff: "b" belongs to no hunk/],
    [
      'another indentation',
      ['  a'],
      '@@ -1 +1 @@\n-a\n+b\n',
      /matches nowhere.*but for indentation it stands at line 1/,
    ],
  ] as const) {
    it(`are refused with ${what}`, async () => {
      await assert.rejects(diffOperations(diff, lines), message);
    });
  }

  it('leave context at the ends out only as far as they may', async () => {
    const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const diff = '@@ -1,7 +1,7 @@\n x\n y\n c\n-d\n+D\n e\n f\n z\n';
    for (const fuzz of [0, 1]) await assert.rejects(diffOperations(diff, lines, fuzz), /matches nowhere/);
    assert.deepEqual(applied(lines, await diffOperations(diff, lines, 2)), ['a', 'b', 'c', 'D', 'e', 'f', 'g']);
    const [placed] = await locate(parsePatch(diff).hunks, textOf(lines), 2);
    assert.deepEqual([placed?.at, placed?.offset, placed?.fuzz], [3, 0, 2]);
    await assert.rejects(diffOperations('@@ -1,2 +1,3 @@\n x\n+new\n y\n', lines, 2), /matches nowhere/);
  });
});
