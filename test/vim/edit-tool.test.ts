import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALLOW, DENY, type Result } from './broker.js';
import { pair } from './fixture.js';

type Operation = Readonly<Record<string, unknown>>;

describe('the tool edit', () => {
  const at = pair();

  async function edit(buffer: number, operations: readonly Operation[], more: object = {}): Promise<Result> {
    return await at.broker.call('edit', {
      buffer,
      expected_changedtick: await at.vim.tick(buffer),
      operations,
      ...more,
    });
  }

  it('makes all operations against the text that was read, as one step of undo', async () => {
    const lines = ['# Teh plan', '', 'Ship on fryday 🙂.', 'x', 'y', 'end'];
    const buffer = await at.vim.buffer(lines);
    const result = await edit(buffer, [
      { kind: 'replace', old: 'Teh', new: 'The' },
      { kind: 'insert', at: { line: 3, column: 17 }, text: '!' },
      { kind: 'replace', old: 'fryday', new: 'Friday' },
      { kind: 'lines', first: 4, last: 5, text: 'one\ntwo\nthree' },
      { kind: 'insert-lines', after: 6, text: 'more' },
      { kind: 'range', start: { line: 6, column: 2 }, end: { line: 6, column: 4 }, text: '' },
    ]);
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.lines(buffer), [
      '# The plan',
      '',
      'Ship on Friday 🙂!.',
      'one',
      'two',
      'three',
      'e',
      'more',
    ]);
    assert.deepEqual(result.value['operations'], [
      { first: 1, last: 1, count: 1 },
      { first: 3, last: 3, count: 1 },
      { first: 3, last: 3, count: 1 },
      { first: 4, last: 6, count: 1 },
      { first: 8, last: 8, count: 1 },
      { first: 7, last: 7, count: 1 },
    ]);
    const { target, changedtick, line_count: count, added, removed } = result.value;
    assert.deepEqual([target, changedtick, count], ['ed', await at.vim.tick(buffer), 8]);
    assert.deepEqual([added, removed], [7, 5]);
    at.vim.type('u');
    await at.vim.until("getline(1, '$')", lines);
  });

  it('shows the person the diff of it', async () => {
    const buffer = await at.vim.buffer(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']);
    at.broker.answer = DENY;
    const result = await edit(buffer, [
      { kind: 'replace', old: 'l', new: 'L' },
      { kind: 'insert-lines', after: 1, text: 'x' },
    ]);
    assert.match(result.text, /did not allow/);
    const [question = ''] = at.broker.questions;
    assert.ok(
      question.includes('\n\n@@ -1,4 +1,5 @@\n a\n+x\n b\n c\n d\n@@ -9,4 +10,4 @@\n i\n j\n k\n-l\n+L\n'),
      question,
    );
    assert.equal((await at.vim.lines(buffer)).length, 12);
  });

  it('makes none, and asks nothing, when one of them cannot be made', async () => {
    const buffer = await at.vim.buffer(['one', 'two', 'one']);
    const tick = await at.vim.tick(buffer);
    const good = { kind: 'lines', first: 2, last: 2, text: 'zwei' };
    for (const [bad, message] of [
      [{ kind: 'replace', old: 'one', new: 'x' }, /operations\[1\]\.old matches 2 times, at lines 1, 3.*narrow it/s],
      [{ kind: 'replace', old: 'One', new: 'x' }, /0 times.*but for upper and lower case it stands at line 1/s],
      [{ kind: 'replace', old: 'two', new: 'x' }, /operations\[0\] and operations\[1\] begin at the same place/],
      [{ kind: 'insert', at: { line: 1, column: 9 }, text: 'x' }, /operations\[1\]\.at.*line 1 ends at column 4/],
      [{ kind: 'insert', at: 0, text: 'a\0b' }, /operations\[1\]\.text holds a NUL/],
      [{ kind: 'insert', at: 0, text: 'a\ud800b' }, /operations\[1\]\.text is not well-formed/],
    ] as const) {
      const result = await edit(buffer, [good, bad]);
      assert.equal(result.isError, true, JSON.stringify(bad));
      assert.match(result.text, message);
    }
    assert.deepEqual([at.broker.questions, await at.vim.tick(buffer)], [[], tick]);
  });

  it('is refused when the person types before it is made', async () => {
    const buffer = await at.vim.buffer(['one']);
    at.broker.answer = async () => {
      at.vim.type('ix\x1b');
      await at.vim.until('getline(1)', 'xone');
      return ALLOW;
    };
    const result = await edit(buffer, [{ kind: 'document', text: 'two\n' }]);
    assert.match(result.text, /changed since tick/);
    assert.deepEqual(await at.vim.lines(buffer), ['xone']);
    const stale = await edit(buffer, [{ kind: 'document', text: 'two\n' }], { expected_changedtick: 1 });
    assert.match(stale.text, /"changedtick":\d+/);
  });

  it('counts offsets in the units asked for', async () => {
    const lines = ['日本 🙂', 'ünï'];
    for (const [unit, offset, column] of [
      ['char', 4, 3],
      ['utf16', 5, 3],
      ['byte', 11, 4],
    ] as const) {
      const buffer = await at.vim.buffer(lines);
      const result = await edit(
        buffer,
        [
          { kind: 'insert', at: offset, text: '!' },
          { kind: 'range', start: { line: 2, column }, end: { line: 3, column: 1 }, text: 'o\n' },
        ],
        { unit },
      );
      assert.equal(result.isError, false, result.text);
      assert.deepEqual(await at.vim.lines(buffer), ['日本 🙂!', 'üno'], unit);
    }
  });

  it('fills an empty buffer and empties a full one', async () => {
    const buffer = await at.vim.buffer(['']);
    await edit(buffer, [{ kind: 'insert', at: 0, text: 'a\nb\n' }]);
    assert.deepEqual(await at.vim.lines(buffer), ['a', 'b']);
    await edit(buffer, [{ kind: 'document', text: '' }]);
    assert.deepEqual(await at.vim.lines(buffer), ['']);
    await edit(buffer, [{ kind: 'lines', first: 1, last: 1, text: 'c' }]);
    assert.deepEqual(await at.vim.lines(buffer), ['c']);
  });

  it('writes only the lines that differ, so that marks stay with theirs', async () => {
    const buffer = await at.vim.buffer(['a', 'b', 'c', 'd', 'e']);
    at.vim.type('4Gmm1G');
    await at.vim.until(`getpos("'m")[1]`, 4);
    const result = await edit(buffer, [{ kind: 'document', text: 'new\na\nc\nd\nE\n' }]);
    assert.deepEqual([result.value['added'], result.value['removed']], [2, 2]);
    assert.deepEqual(await at.vim.lines(buffer), ['new', 'a', 'c', 'd', 'E']);
    assert.equal(await at.vim.eval(`getpos("'m")[1]`), 4);
  });

  it('needs no question where nothing changes', async () => {
    const buffer = await at.vim.buffer(['a', 'b']);
    const tick = await at.vim.tick(buffer);
    const result = await edit(buffer, [{ kind: 'document', text: 'a\nb' }]);
    assert.deepEqual(
      [result.isError, result.value['changedtick'], result.value['added']],
      [false, tick, 0],
      result.text,
    );
    assert.deepEqual(at.broker.questions, []);
  });

  it('takes CRLF as the line ends of a dos file', async () => {
    const buffer = await at.vim.buffer(['a', 'b', 'c']);
    await at.vim.ex('setlocal fileformat=dos');
    const result = await edit(buffer, [
      { kind: 'replace', old: 'a\r\nb\r\n', new: 'A\r\nB\r\n' },
      { kind: 'insert-lines', after: 3, text: 'd\r\n' },
    ]);
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.lines(buffer), ['A', 'B', 'c', 'd']);
  });

  for (const [what, line, message] of [
    ['bytes that are no text', '"bad\\xffbyte"', /line 2 holds bytes that are no text/],
    ['a surrogate', '"bad\\xed\\xa0\\x80byte"', /line 2 holds bytes that are no text/],
    ['a character beyond Unicode', '"bad\\xf7\\xbf\\xbf\\xbfbyte"', /line 2 holds bytes that are no text/],
    ['a NUL', '"bad\\nbyte"', /line 2 holds a NUL/],
  ] as const) {
    it(`leaves a line with ${what} as it is`, async () => {
      const buffer = await at.vim.buffer(['one', 'two', 'three']);
      await at.vim.eval(`setline(2, ${line})`);
      for (const operation of [
        { kind: 'lines', first: 1, last: 3, text: 'x' },
        { kind: 'insert', at: { line: 2, column: 1 }, text: 'x' },
        { kind: 'replace', old: 'bad', new: 'good' },
      ]) {
        assert.match((await edit(buffer, [operation])).text, message);
      }
      const beside = await edit(buffer, [{ kind: 'replace', old: 'e', new: 'E', all: true, last: 1 }]);
      assert.equal(beside.isError, false, beside.text);
      assert.equal(await at.vim.eval(`getline(1, '$') ==# ['onE', ${line}, 'three']`), 1);
    });
  }

  it('replaces a text in a long buffer everywhere, in one step', async () => {
    const buffer = await at.vim.buffer(['x']);
    await at.vim.eval("setline(1, range(1, 20000)->map({_, n -> 'line ' .. n}))");
    const result = await edit(buffer, [{ kind: 'replace', old: 'line', new: 'row', all: true }]);
    assert.deepEqual(result.value['operations'], [{ first: 1, last: 20_000, count: 20_000 }], result.text);
    assert.deepEqual(await at.vim.eval("[getline(1), getline(20000), line('$')]"), ['row 1', 'row 20000', 20_000]);
    at.vim.type('u');
    await at.vim.until('[getline(1), getline(20000)]', ['line 1', 'line 20000']);
  });

  it('refuses what its schema does not know', async () => {
    const buffer = await at.vim.buffer(['a']);
    for (const operations of [[], [{ kind: 'lines', first: 1, last: 1 }], [{ kind: 'regex', old: 'a', new: 'b' }]]) {
      await assert.rejects(
        edit(buffer, operations).then(({ text, isError }) => assert.ok(!isError, text)),
        /operations/,
      );
    }
    assert.deepEqual(await at.vim.lines(buffer), ['a']);
  });
});
