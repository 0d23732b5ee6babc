import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALLOW, change, type Result } from './broker.js';
import { pair } from './fixture.js';

describe('applying a diff', () => {
  const at = pair();

  async function apply(buffer: number, diff: string, more: object = {}): Promise<Result> {
    return await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: await at.vim.tick(buffer),
      diff,
      ...more,
    });
  }

  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);

  it('is one step of undo, whatever the order and the counts of its hunks', async () => {
    const buffer = await at.vim.buffer(lines);
    const result = await apply(
      buffer,
      `--- a/f\n+++ b/f\n@@ -19,9 +20,2 @@ somewhere\n line 20\n-line 21\n${change(2, 'line 2', 'two')}@@ -9,1 +9,2 @@\n line 9\n+new\n`,
    );
    assert.equal(result.isError, false, result.text);
    const wanted = lines.with(1, 'two').toSpliced(20, 1).toSpliced(9, 0, 'new');
    assert.deepEqual(await at.vim.lines(buffer), wanted);
    assert.deepEqual(result.value['hunks'], [
      { first: 22, last: 21, offset: 1, fuzz: 0 },
      { first: 2, last: 2, offset: 0, fuzz: 0 },
      { first: 10, last: 10, offset: 0, fuzz: 0 },
    ]);
    assert.deepEqual([result.value['added'], result.value['removed']], [2, 2]);
    at.vim.type('u');
    await at.vim.until("getline(1, '$')", lines);
  });

  it('leaves context out as far as fuzz allows, and tells so', async () => {
    const buffer = await at.vim.buffer(lines);
    const diff = '@@ -7,5 +7,5 @@\n LINE 8\n line 9\n-line 10\n+ten\n line 11\n LINE 12\n';
    const strict = await apply(buffer, diff);
    assert.match(strict.text, /matches nowhere.*but for upper and lower case it stands at line 8/s);
    assert.deepEqual(at.broker.questions, []);
    const fuzzy = await apply(buffer, diff, { fuzz: 2 });
    assert.deepEqual(fuzzy.value['hunks'], [{ first: 10, last: 10, offset: 1, fuzz: 1 }], fuzzy.text);
    assert.deepEqual(await at.vim.lines(buffer), lines.with(9, 'ten'));
    assert.match(
      at.broker.questions[0] ?? '',
      /@@ -7,7 \+7,7 @@\n line 7\n line 8\n line 9\n-line 10\n\+ten\n line 11\n/,
    );
  });

  it('never guesses between places, nor makes a part', async () => {
    const buffer = await at.vim.buffer(['a', '}', 'b', '}', 'c']);
    const result = await apply(buffer, `${change(1, 'a', 'A')}${change(3, '}', ')')}`);
    assert.match(result.text, /stands at 2 places, lines 2, 4\. Correct the line number/);
    assert.deepEqual([at.broker.questions, await at.vim.lines(buffer)], [[], ['a', '}', 'b', '}', 'c']]);
    const right = await apply(buffer, `${change(1, 'a', 'A')}${change(4, '}', ')')}`);
    assert.equal(right.isError, false, right.text);
    assert.deepEqual(await at.vim.lines(buffer), ['A', '}', 'b', ')', 'c']);
  });

  it('takes line ends of either kind, and keeps those of the buffer', async () => {
    const dos = await at.vim.buffer(['a', 'b']);
    await at.vim.ex('setlocal fileformat=dos');
    await apply(dos, '@@ -1,2 +1,3 @@\r\n a\r\n+x\r\n b\r\n');
    assert.deepEqual(await at.vim.lines(dos), ['a', 'x', 'b']);
    const mixed = await at.vim.buffer(['a\r', 'b\r']);
    await apply(mixed, '@@ -1,2 +1,3 @@\n a\n+x\n b\n');
    assert.deepEqual(await at.vim.lines(mixed), ['a\r', 'x\r', 'b\r']);
  });

  it("leaves 'endofline' alone", async () => {
    const buffer = await at.vim.buffer(['a', 'b']);
    await at.vim.ex('setlocal noendofline');
    const refused = await apply(buffer, `${change(2, 'b', 'B')}\\ No newline at end of file\n`);
    assert.match(refused.text, /missing newline at the end.*Leave the .* marker out/s);
    const old = '@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n';
    assert.equal((await apply(buffer, old)).isError, false);
    assert.deepEqual([await at.vim.lines(buffer), await at.vim.eval('&endofline')], [['a', 'B'], 0]);
  });

  it('makes a new file in an empty buffer only', async () => {
    const diff = 'diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n';
    const buffer = await at.vim.buffer(['']);
    assert.equal((await apply(buffer, diff)).isError, false);
    assert.deepEqual(await at.vim.lines(buffer), ['a', 'b']);
    assert.match((await apply(buffer, diff)).text, /creates a file, but buffer \d+ is not empty/);
  });

  it('is refused when the person types before it is made', async () => {
    const buffer = await at.vim.buffer(['one', 'two']);
    at.broker.answer = async () => {
      at.vim.type('ix\x1b');
      await at.vim.until('getline(1)', 'xone');
      return ALLOW;
    };
    assert.match((await apply(buffer, change(2, 'two', '2'))).text, /changed since tick/);
    assert.deepEqual(await at.vim.lines(buffer), ['xone', 'two']);
  });

  for (const [what, diff, message] of [
    ['nothing', '', /the diff is empty/],
    ['an ed script', '1d\n', /this is an ed script; only unified diffs are taken/],
    ['a normal diff', '1c1\n< one\n---\n> two\n', /this is a normal diff/],
    ['a context diff', '***************\n*** 1 ****\n! one\n--- 1 ----\n! two\n', /this is a context diff/],
    ['a rename', 'rename from a\nrename to b\n', /renames or copies a file/],
    ['a NUL', change(1, 'one', 't\0wo'), /NUL/],
  ] as const) {
    it(`refuses ${what} without a question`, async () => {
      const buffer = await at.vim.buffer(['one']);
      assert.match((await apply(buffer, diff)).text, message);
      assert.deepEqual([at.broker.questions, await at.vim.lines(buffer)], [[], ['one']]);
    });
  }
});
