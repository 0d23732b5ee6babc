import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { soon } from '../kit/until.js';
import { change, type Result } from './broker.js';
import { pair } from './fixture.js';

const LINES = Array.from({ length: 13 }, (_, index) => `line ${index + 1}`);

describe('an edit beside what goes on in Vim', () => {
  const at = pair({ vimrc: 'set nowrap scrolloff=0\n' });

  async function call(name: string, buffer: number, more: Record<string, unknown> = {}): Promise<Result> {
    return await at.broker.call(name, { buffer, expected_changedtick: await at.vim.tick(buffer), ...more });
  }

  for (const [where, keys] of [
    ['Normal', 'j'],
    ['Insert', 'A'],
    ['Replace', 'R'],
  ] as const) {
    it(`is made at once when a report of the terminal came right behind a key, in ${where} mode`, async () => {
      const buffer = await at.vim.buffer(LINES);
      // What typed() sends after the keys is such a report.
      await at.vim.typed(keys);
      assert.equal(await at.vim.eval("state('S')"), 'S');
      const result = await soon('the edit', call('apply-diff', buffer, { diff: change(5, 'line 5', 'five') }));
      assert.equal(result.isError, false, result.text);
      assert.equal(await at.vim.eval('getline(5)'), 'five');
      await at.vim.typed('\x1b');
    });
  }

  it('that waited is made when the person is done, though a report came right behind the last key', async () => {
    const buffer = await at.vim.buffer(LINES);
    await at.vim.typed('V');
    const pending = call('apply-diff', buffer, { diff: change(5, 'line 5', 'five') });
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    await at.vim.typed('\x1b');
    const result = await soon('the edit', pending);
    assert.equal(result.isError, false, result.text);
  });

  it('does not end a command that waits for more', async () => {
    const buffer = await at.vim.buffer(['one', 'two']);
    await at.vim.typed('A\x12');
    const pending = call('apply-diff', buffer, { diff: change(1, 'one', '1') });
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    await at.vim.eval("setreg('a', '+')");
    await at.vim.typed('a');
    const result = await soon('the edit', pending);
    assert.match(result.text, /changed since tick/);
    assert.deepEqual(await at.vim.lines(buffer), ['one+', 'two']);
    await at.vim.typed('\x1b');
  });

  it('takes the cursors of all windows along with their lines', async () => {
    const buffer = await at.vim.buffer(LINES);
    await at.vim.typed('10G$\x17s3G');
    await at.vim.ex('redraw');
    const diff = '@@ -5,3 +5,1 @@\n-line 5\n-line 6\n line 7\n';
    const result = await call('apply-diff', buffer, { diff });
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.eval("[line('.'), getcurpos(win_getid(2))[1:4]]"), [3, [8, 7, 0, 2 ** 31 - 1]]);
    await at.vim.ex('only');
  });

  for (const [what, work] of [
    ['changes a buffer', (buffer: number) => call('apply-diff', buffer, { diff: change(1, 'hidden', 'changed') })],
    ['loads one', () => at.broker.call('open', { path: 'a-file' })],
  ] as const) {
    it(`scrolls no window when it ${what} that is not shown`, async () => {
      const hidden = await at.vim.buffer(['hidden']);
      await at.vim.buffer(LINES);
      for (const keys of ['13G', '\x17v']) {
        await at.vim.typed(keys);
        await at.vim.ex('redraw');
      }
      const views = 'map(getwininfo(), {_, window -> window.topline})';
      const before = await at.vim.eval(views);
      const result = await work(hidden);
      assert.equal(result.isError, false, result.text);
      assert.deepEqual(await at.vim.eval(views), before);
      await at.vim.ex('only');
    });
  }

  it('is made and told, whatever listeners of other plugins do', async () => {
    const buffer = await at.vim.buffer(['one', 'two', 'three']);
    await at.vim.ex('let g:heard = 0 | execute "function! Heard(...)\\nlet g:heard += 1\\nendfunction"');
    await at.vim.ex('execute "function! Broken(...)\\ncall NoSuchFunction()\\nendfunction"');
    const listeners = await at.vim.eval<number[]>(
      "[listener_add(function('Heard')), listener_add(function('Broken'))]",
    );
    const diff = '@@ -1,3 +1,3 @@\n-one\n+1\n+1.5\n two\n-three\n';
    const edited = await call('apply-diff', buffer, { diff });
    assert.equal(edited.isError, false, edited.text);
    assert.deepEqual(await at.vim.lines(buffer), ['1', '1.5', 'two']);
    const undone = await call('undo', buffer);
    assert.equal(undone.isError, false, undone.text);
    assert.deepEqual(await at.vim.lines(buffer), ['one', 'two', 'three']);
    assert.notEqual(await at.vim.eval('g:heard'), 0);
    for (const id of listeners) await at.vim.eval(`listener_remove(${id})`);
  });

  it('under the cursor of Insert mode cuts no character in two', async () => {
    const buffer = await at.vim.buffer(['abcdef']);
    await at.vim.typed('lli');
    const result = await call('apply-diff', buffer, { diff: change(1, 'abcdef', 'néén') });
    assert.equal(result.isError, false, result.text);
    await at.vim.typed('+\x1b');
    assert.deepEqual(await at.vim.lines(buffer), ['n+één']);
  });

  it('leaves no empty line where all lines go and others come', async () => {
    const buffer = await at.vim.buffer(['a', 'b']);
    const result = await call('apply-diff', buffer, { diff: '@@ -0,0 +1,1 @@\n+x\n@@ -1,2 +2,0 @@\n-a\n-b\n' });
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.lines(buffer), ['x']);
    await at.vim.typed('u');
    assert.deepEqual(await at.vim.lines(buffer), ['a', 'b']);
  });
});
