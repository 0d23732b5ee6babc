import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALLOW, change, DENY } from './broker.js';
import { pair } from './fixture.js';

describe('reading and editing', () => {
  const at = pair();

  it('reads text that is not saved', async () => {
    const buffer = await at.vim.buffer(['one', 'zwei ünï 🙂', 'three']);
    at.vim.type('Gothe fourth\x1b');
    await at.vim.until('mode()', 'n');
    const { value } = await at.broker.call('read-lines', { buffer });
    assert.equal(value['text'], 'one\nzwei ünï 🙂\nthree\nthe fourth\n');
    assert.equal(value['modified'], true);
    assert.equal(value['changedtick'], await at.vim.tick(buffer));
  });

  it('tells the state of buffers, page by page', async () => {
    const buffer = await at.vim.buffer(['one', 'two']);
    await at.vim.ex('setlocal readonly fileformat=dos filetype=markdown noendofline | file named.md');
    at.vim.type('jl');
    await at.vim.until('col(".")', 2);
    const { value } = await at.broker.call('state', { buffer });
    assert.deepEqual([value['target'], value['mode'], value['cwd'], value['total']], ['ed', 'n', at.home.path, 1]);
    assert.deepEqual(value['cursor'], { buffer, line: 2, column: 2 });
    const [facts] = value['buffers'] as Record<string, unknown>[];
    assert.deepEqual(
      [facts?.['filename'], facts?.['readonly'], facts?.['fileformat'], facts?.['filetype'], facts?.['endofline']],
      [`${at.home.path}/named.md`, true, 'dos', 'markdown', false],
    );
    const all = (await at.broker.call('state')).value;
    const page = (await at.broker.call('state', { offset: 1, limit: 1 })).value;
    assert.deepEqual(page['buffers'], (all['buffers'] as unknown[]).slice(1, 2));
    assert.match((await at.broker.call('state', { buffer: 999 })).text, /no buffer 999/);
  });

  it('reads long buffers page by page', async () => {
    const buffer = await at.vim.buffer(['x']);
    await at.vim.eval("setline(1, range(1, 30000)->map({_, n -> n .. ' ' .. repeat('y', 20)}))");
    let first = 1;
    let text = '';
    for (;;) {
      const { value } = await at.broker.call('read-lines', { buffer, first });
      text += String(value['text']);
      if (value['next'] === undefined) break;
      first = value['next'] as number;
    }
    assert.equal(text, Array.from({ length: 30_000 }, (_, index) => `${index + 1} ${'y'.repeat(20)}\n`).join(''));
    const { value } = await at.broker.call('read-lines', { buffer, first: 29_999, last: 40_000 });
    assert.deepEqual([value['last'], value['next']], [30_000, undefined]);
  });

  it('applies a diff after the person allows it', async () => {
    const buffer = await at.vim.buffer(['one', 'two', 'three']);
    const result = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: await at.vim.tick(buffer),
      diff: '--- a\n+++ b\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three\n',
    });
    assert.deepEqual(result.isError, false, result.text);
    assert.deepEqual(await at.vim.lines(buffer), ['one', '2', '2.5', 'three']);
    assert.equal(result.value['changedtick'], await at.vim.tick(buffer));
    assert.equal(at.broker.questions.length, 1);
    assert.match(at.broker.questions[0] ?? '', /editor ed.*\n\n@@ -1,3 \+1,4 @@\n one\n-two\n\+2\n/s);
  });

  for (const answer of [DENY, { action: 'decline' } as const, { action: 'cancel' } as const]) {
    it(`leaves the text alone after ${JSON.stringify(answer)}`, async () => {
      const buffer = await at.vim.buffer(['one']);
      const tick = await at.vim.tick(buffer);
      at.broker.answer = answer;
      const result = await at.broker.call('apply-diff', {
        buffer,
        expected_changedtick: tick,
        diff: change(1, 'one', 'two'),
      });
      assert.equal(result.isError, true);
      assert.match(result.text, /did not allow/);
      assert.equal(await at.vim.tick(buffer), tick);
    });
  }

  it('refuses a stale tick with the new one and without a question', async () => {
    const buffer = await at.vim.buffer(['one']);
    const stale = await at.vim.tick(buffer);
    at.vim.type('ix\x1b');
    await at.vim.until('getline(1)', 'xone');
    const now = await at.vim.tick(buffer);
    const result = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: stale,
      diff: change(1, 'one', 'two'),
    });
    assert.equal(result.isError, true);
    assert.match(result.text, new RegExp(`now at ${now}.*"changedtick":${now}`, 's'));
    assert.deepEqual(at.broker.questions, []);
  });

  it('checks the tick again when the edit is made', async () => {
    const buffer = await at.vim.buffer(['one']);
    at.broker.answer = async () => {
      at.vim.type('ix\x1b');
      await at.vim.until('getline(1)', 'xone');
      return ALLOW;
    };
    const result = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: await at.vim.tick(buffer),
      diff: change(1, 'one', 'two'),
    });
    assert.match(result.text, /changed since tick/);
    assert.deepEqual(await at.vim.lines(buffer), ['xone']);
  });

  it('finds hunks some lines off, and changes nothing when one of them does not match', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const buffer = await at.vim.buffer(lines);
    const tick = await at.vim.tick(buffer);
    const wrong = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: tick,
      diff: `${change(3, 'line 3', 'three')}${change(9, 'line nine', 'nine')}`,
    });
    assert.match(wrong.text, /matches nowhere.*line 9 is "line 9" where the diff has "line nine"/s);
    assert.equal(await at.vim.tick(buffer), tick);
    const right = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: tick,
      diff: `@@ -10,2 +10,3 @@\n line 13\n+new\n line 14\n${change(20, 'line 23', '23')}`,
    });
    assert.deepEqual(right.value['hunks'], [
      { first: 14, last: 14, offset: 3, fuzz: 0 },
      { first: 24, last: 24, offset: 3, fuzz: 0 },
    ]);
    assert.deepEqual((await at.vim.lines(buffer)).slice(12, 24), ['line 13', 'new', ...lines.slice(13, 22), '23']);
  });

  it('fills an empty buffer and empties a full one', async () => {
    const buffer = await at.vim.buffer(['']);
    const filled = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: await at.vim.tick(buffer),
      diff: '@@ -0,0 +1,2 @@\n+a\n+b\n',
    });
    assert.equal(filled.isError, false, filled.text);
    assert.deepEqual(await at.vim.lines(buffer), ['a', 'b']);
    await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: await at.vim.tick(buffer),
      diff: '@@ -1,2 +0,0 @@\n-a\n-b\n',
    });
    assert.deepEqual(await at.vim.lines(buffer), ['']);
  });

  for (const [what, diff, message] of [
    ['an ed script', '1d\n', /an ed script/],
    ['a NUL', `${change(1, 'one', 'o\0e')}`, /NUL/],
    ['a lone surrogate', `${change(1, 'one', 'o\ud800e')}`, /surrogate/],
    ['a missing newline', `${change(1, 'one', 'two')}\\ No newline at end of file\n`, /missing newline/],
    ['two files', `${change(1, 'one', 'two')}--- b\n+++ b\n${change(1, 'x', 'y')}`, /second file/],
  ] as const) {
    it(`refuses ${what} without a question`, async () => {
      const buffer = await at.vim.buffer(['one']);
      const tick = await at.vim.tick(buffer);
      const result = await at.broker.call('apply-diff', { buffer, expected_changedtick: tick, diff });
      assert.match(result.text, message);
      assert.deepEqual([at.broker.questions, await at.vim.lines(buffer)], [[], ['one']]);
    });
  }

  it('shows in the question what could deceive', async () => {
    const buffer = await at.vim.buffer(['one']);
    const diff = change(1, 'one', 'a\u202eb\u200bc\x1b[31m');
    await at.broker.call('apply-diff', { buffer, expected_changedtick: await at.vim.tick(buffer), diff });
    const [question = ''] = at.broker.questions;
    assert.ok(question.includes('+a\\u{202e}b\\u{200b}c\\u{1b}[31m'), question);
    assert.match(question, /\(\d+ characters\)/);
  });

  it('never writes a line with bytes that are no text', async () => {
    const buffer = await at.vim.buffer(['one', 'two']);
    await at.vim.eval('setline(2, "bad\\xffbyte")');
    const read = await at.broker.call('read-lines', { buffer });
    assert.deepEqual([read.value['text'], read.value['lossy']], ['one\nbad\ufffdbyte\n', [2]]);
    const tick = await at.vim.tick(buffer);
    const refused = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: tick,
      diff: change(2, 'bad\ufffdbyte', 'good'),
    });
    assert.match(refused.text, /no text and would be lost/);
    const beside = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: tick,
      diff: '@@ -1,2 +1,2 @@\n-one\n+1\n bad\ufffdbyte\n',
    });
    assert.equal(beside.isError, false, beside.text);
    assert.equal(await at.vim.eval('getline(2) ==# "bad\\xffbyte"'), 1);
  });

  it('refuses a buffer that cannot be changed, and one that is not there', async () => {
    const buffer = await at.vim.buffer(['one']);
    await at.vim.ex('setlocal nomodifiable');
    const tick = await at.vim.tick(buffer);
    const fixed = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: tick,
      diff: change(1, 'one', 'two'),
    });
    assert.match(fixed.text, /modifiable/);
    const none = await at.broker.call('apply-diff', {
      buffer: 999,
      expected_changedtick: 1,
      diff: change(1, 'one', 'two'),
    });
    assert.match(none.text, /no buffer 999/);
    await assert.rejects(
      at.broker.call('read-lines', { buffer, path: 'x' }).then(({ text, isError }) => assert.ok(!isError, text)),
      /path/,
    );
  });

  for (const current of [true, false]) {
    it(`keeps the marks of a linewise yank in ${current ? 'the current' : 'another'} buffer`, async () => {
      const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
      const buffer = await at.vim.buffer(lines);
      at.vim.type('50Gyy');
      await at.vim.until("line('.')", 50);
      await at.vim.until('getreg()', 'line 50\n');
      if (!current) await at.vim.ex('new');
      const result = await at.broker.call('apply-diff', {
        buffer,
        expected_changedtick: await at.vim.tick(buffer),
        diff: '@@ -5,1 +5,3 @@\n line 5\n+new\n+newer\n',
      });
      assert.equal(result.isError, false, result.text);
      if (!current) await at.vim.ex('quit');
      assert.deepEqual(await at.vim.eval(`[getpos("'["), getpos("']") == [0, 52, v:maxcol, 0]]`), [[0, 52, 1, 0], 1]);
    });
  }

  it('is one step for undo, and sends large texts in frames that Vim takes well', async () => {
    const buffer = await at.vim.buffer(['one']);
    const text = Array.from({ length: 65_536 }, (_, index) => `+${String(index).padStart(56, '0')} ü"\\ 🙂`);
    const result = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: await at.vim.tick(buffer),
      diff: `@@ -1,1 +1,${text.length} @@\n-one\n${text.join('\n')}\n`,
    });
    assert.equal(result.isError, false, result.text);
    assert.equal(await at.vim.eval("line('$')"), text.length);
    assert.equal(await at.vim.eval('getline(65536)'), text.at(-1)?.slice(1));
    at.vim.type('u');
    await at.vim.until("getline(1, '$')", ['one']);
  });
});
