import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import type { Result } from './broker.js';
import { pair } from './fixture.js';

describe('set-cursor', () => {
  const at = pair();

  async function setCursor(buffer: number, args: Record<string, unknown>): Promise<Result> {
    return await at.broker.call('set-cursor', { buffer, ...args });
  }

  it('moves the cursor by characters, and Ctrl-O brings the person back', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `zeile ünï 🙂 ${index + 1}`);
    const buffer = await at.vim.buffer(lines);
    at.vim.type('5G3|');
    await at.vim.until("[line('.'), col('.')]", [5, 3]);
    const result = await setCursor(buffer, { line: 80, column: 13 });
    assert.equal(result.isError, false, result.text);
    assert.deepEqual([result.value['line'], result.value['column'], result.value['mode']], [80, 13, 'n']);
    assert.deepEqual(await at.vim.eval("[line('.'), getline('.')[col('.') - 1 :]]"), [80, '80']);
    await eventually('it is shown', () => at.vim.screen().some((row) => /^zeile ünï .* 80$/.test(row)));
    assert.match(at.broker.questions[0] ?? '', /move the cursor to line 80, column 13 of buffer/);
    at.vim.type('\x0f');
    await at.vim.until("[line('.'), col('.')]", [5, 3]);
  });

  for (const selection of ['inclusive', 'exclusive'] as const) {
    it(`selects text (${selection})`, async () => {
      const buffer = await at.vim.buffer(['one two', 'drei viér', 'end']);
      await at.vim.ex(`set selection=${selection} selectmode=cmd`);
      const result = await setCursor(buffer, { line: 1, column: 5, end: { line: 2, column: 8 } });
      assert.deepEqual([result.isError, result.value['mode']], [false, 'v'], result.text);
      at.vim.type('d');
      await at.vim.until("getline(1, '$')", ['one r', 'end']);
      await at.vim.ex('set selection& selectmode&');
    });
  }

  it('opens the folds round the place', async () => {
    const buffer = await at.vim.buffer(['1', '2', '3', '4']);
    await at.vim.ex('2,4fold');
    await setCursor(buffer, { line: 3 });
    assert.deepEqual(await at.vim.eval("[line('.'), foldclosed(3)]"), [3, -1]);
  });

  it('shows a buffer in place of the current one, or goes to the window that shows it', async () => {
    const other = await at.vim.buffer(['other', 'lines']);
    const current = await at.vim.buffer(['current']);
    await setCursor(other, { line: 2 });
    assert.deepEqual(await at.vim.eval("[bufnr(), line('.'), winnr('$'), bufnr('#')]"), [other, 2, 1, current]);
    at.vim.type('\x0f');
    await at.vim.until('bufnr()', current);
    await at.vim.ex('split');
    await at.vim.ex(`buffer ${other}`);
    await setCursor(current, { line: 1 });
    assert.deepEqual(await at.vim.eval("[bufnr(), winnr(), winnr('$')]"), [current, 2, 2]);
    await at.vim.ex('only');
  });

  it('refuses what is not there, and says what is', async () => {
    const buffer = await at.vim.buffer(['one', '']);
    const before = await at.vim.eval("[line('.'), col('.'), getjumplist()]");
    for (const [args, text] of [
      [{ line: 3 }, /no line 3: buffer \d+ \(\[No Name\]\) has lines 1 to 2/],
      [{ line: 1, column: 4 }, /no column 4 in line 1: it has columns 1 to 3/],
      [{ line: 2, column: 2 }, /columns 1 to 1/],
      [{ line: 1, end: { line: 9, column: 1 } }, /no line 9/],
      [{ line: 1, column: 3, end: { line: 1, column: 2 } }, /end lies before/],
      [{ line: 1, expected_changedtick: 1 }, /changed since tick 1/],
    ] as const) {
      const result = await setCursor(buffer, args);
      assert.equal(result.isError, true);
      assert.match(result.text, text);
    }
    assert.match((await setCursor(999, { line: 1 })).text, /no buffer 999/);
    assert.deepEqual(await at.vim.eval("[line('.'), col('.'), getjumplist()]"), before);
  });

  it('never loses text, nor writes it', async () => {
    const path = join(at.home.path, 'kept.txt');
    await writeFile(path, 'on disk\n');
    const other = await at.vim.buffer(['other']);
    await at.vim.ex(`edit ${path}`);
    const kept = await at.vim.eval('bufnr()');
    await at.vim.eval("setline(1, 'unsaved')");
    await at.vim.ex('set nohidden confirm autowrite autowriteall');
    assert.match((await setCursor(other, { line: 1 })).text, /kept\.txt.* has unsaved changes and 'hidden' is off/);
    assert.deepEqual(await at.vim.eval('[bufnr(), getline(1), readfile(expand("%")), &modified]'), [
      kept,
      'unsaved',
      ['on disk'],
      1,
    ]);
    await at.vim.ex('set hidden noconfirm noautowrite noautowriteall');
    await at.vim.ex('setlocal bufhidden=wipe');
    assert.match((await setCursor(other, { line: 1 })).text, /would be lost: its 'bufhidden' is wipe/);
    await at.vim.ex('setlocal bufhidden=');
    assert.equal((await setCursor(other, { line: 1 })).isError, false);
  });

  it('waits for Normal mode, and stays out of terminals and the command-line window', async () => {
    const buffer = await at.vim.buffer(['one', 'two']);
    at.vim.type('A!');
    await at.vim.until('mode()', 'i');
    const pending = setCursor(buffer, { line: 2 });
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    assert.equal(await at.vim.eval("line('.')"), 1);
    at.vim.type('\x1b');
    assert.equal((await pending).isError, false);
    await at.vim.until("[line('.'), mode()]", [2, 'n']);

    const terminal = await at.vim.eval<number>("term_start(['cat'], #{hidden: 1, term_kill: 'kill'})");
    assert.match((await setCursor(terminal, { line: 1 })).text, /is a running terminal/);
    await at.vim.ex(`bwipeout! ${terminal}`);

    const other = await at.vim.buffer(['other']);
    at.vim.type('q:');
    await at.vim.until('getcmdwintype()', ':');
    assert.match((await setCursor(buffer, { line: 1 })).text, /command-line window/);
    at.vim.type(':q\r');
    await at.vim.until('[getcmdwintype(), bufnr()]', ['', other]);
  });
});
