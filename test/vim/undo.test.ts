import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { change, type Result } from './broker.js';
import { pair } from './fixture.js';

describe('undo and redo', () => {
  const at = pair({ args: ['--auto-allow', 'open,save'] });

  async function call(name: string, buffer: number, more: Record<string, unknown> = {}): Promise<Result> {
    return await at.broker.call(name, { buffer, expected_changedtick: await at.vim.tick(buffer), ...more });
  }

  for (const current of [true, false]) {
    it(`move through the tree of ${current ? 'the current' : 'another'} buffer`, async () => {
      const buffer = await at.vim.buffer(['a']);
      if (!current) await at.vim.buffer(['another']);
      await call('apply-diff', buffer, { diff: change(1, 'a', 'b') });
      await call('apply-diff', buffer, { diff: change(1, 'b', 'c') });
      const first = await call('undo', buffer);
      assert.equal(first.isError, false, first.text);
      assert.deepEqual(await at.vim.lines(buffer), ['b']);
      const { seq_cur: reached, seq_last: last } = first.value as { seq_cur: number; seq_last: number };
      assert.deepEqual(
        [first.value['buffer'], first.value['changed'], first.value['modified'], last - reached],
        [buffer, true, true, 1],
      );
      assert.equal(first.value['changedtick'], await at.vim.tick(buffer));
      await call('undo', buffer);
      assert.deepEqual(await at.vim.lines(buffer), ['a']);
      const redone = await call('redo', buffer);
      assert.deepEqual([redone.value['changed'], await at.vim.lines(buffer)], [true, ['b']]);
    });
  }

  it('succeed without a change at the ends', async () => {
    const buffer = await at.vim.buffer(['a']);
    await call('apply-diff', buffer, { diff: change(1, 'a', 'b') });
    const newest = await call('redo', buffer);
    assert.deepEqual([newest.isError, newest.value['changed']], [false, false], newest.text);
    let last = await call('undo', buffer);
    while (last.value['changed'] === true) last = await call('undo', buffer);
    assert.deepEqual([last.isError, last.value['seq_cur']], [false, 0], last.text);
  });

  it('refuse a stale tick unasked, and a buffer that cannot be changed', async () => {
    const buffer = await at.vim.buffer(['a']);
    const stale = await at.broker.call('undo', { buffer, expected_changedtick: 1 });
    assert.match(stale.text, /changed since tick 1/);
    assert.deepEqual(at.broker.questions, []);
    await at.vim.ex('setlocal nomodifiable');
    assert.match((await call('undo', buffer)).text, /modifiable/);
  });

  it('keep a buffer that would be wiped when hidden', async () => {
    const buffer = await at.vim.buffer(['a']);
    await at.vim.ex('setlocal bufhidden=wipe');
    await call('apply-diff', buffer, { diff: change(1, 'a', 'b') });
    await at.vim.ex('split');
    await at.vim.buffer(['another']);
    const undone = await call('undo', buffer);
    assert.equal(undone.isError, false, undone.text);
    assert.deepEqual(
      [await at.vim.lines(buffer), await at.vim.eval(`getbufvar(${buffer}, '&bufhidden')`)],
      [['a'], 'wipe'],
    );
  });

  it('goes back over a write, and through what the person did', async () => {
    const path = join(at.home.path, 'written.txt');
    await writeFile(path, 'a\n');
    const buffer = (await at.broker.call('open', { path })).value['buffer'] as number;
    await at.vim.ex(`buffer ${buffer}`);
    await call('apply-diff', buffer, { diff: change(1, 'a', 'b') });
    at.vim.type('Ax\x1b:write\r');
    await at.vim.until('[getline(1), &modified, mode(1)]', ['bx', 0, 'n']);
    const back = await call('undo', buffer);
    assert.deepEqual([await at.vim.lines(buffer), back.value['modified']], [['b'], true]);
    await call('undo', buffer);
    assert.deepEqual([await at.vim.lines(buffer), await readFile(path, 'utf8')], [['a'], 'bx\n']);
    await call('redo', buffer);
    const again = await call('redo', buffer);
    assert.deepEqual([await at.vim.lines(buffer), again.value['modified']], [['bx'], false]);
  });

  it('follow the branch the person is on', async () => {
    const buffer = await at.vim.buffer(['a']);
    await call('apply-diff', buffer, { diff: change(1, 'a', 'left') });
    await call('undo', buffer);
    at.vim.type('Cright\x1b');
    await at.vim.until('[mode(1), getline(1)]', ['n', 'right']);
    await call('undo', buffer);
    const redone = await call('redo', buffer);
    assert.deepEqual([await at.vim.lines(buffer), redone.value['seq_cur']], [['right'], redone.value['seq_last']]);
    assert.equal((await call('redo', buffer)).value['changed'], false);
  });

  it('reach what an undo file kept', async () => {
    const path = join(at.home.path, 'kept.txt');
    await writeFile(path, 'a\n');
    await at.vim.ex(`set undofile undodir=${at.home.path}`);
    const buffer = (await at.broker.call('open', { path })).value['buffer'] as number;
    await call('apply-diff', buffer, { diff: change(1, 'a', 'b') });
    await call('save', buffer);
    await at.vim.ex(`bunload ${buffer}`);
    const { value } = await at.broker.call('open', { path });
    assert.equal(value['buffer'], buffer);
    const undone = await call('undo', buffer);
    assert.deepEqual([undone.value['changed'], await at.vim.lines(buffer)], [true, ['a']], undone.text);
    await at.vim.ex('set noundofile');
  });

  it('touch no window where they work in another buffer', async () => {
    const lines = Array.from({ length: 80 }, (_, index) => `line ${index + 1}`);
    const buffer = await at.vim.buffer(lines);
    await at.vim.ex('split');
    await at.vim.buffer(lines);
    await at.vim.eval('cursor(40, 3)');
    const WINDOWS =
      "[win_getid(), winsaveview(), winlayout(), bufnr('#'), getjumplist(), range(1, winnr('$'))->map({_, n -> winbufnr(n)})]";
    await call('apply-diff', buffer, { diff: change(60, 'line 60', 'sixty') });
    const before = await at.vim.eval(WINDOWS);
    for (const name of ['undo', 'redo', 'undo']) await call(name, buffer);
    assert.deepEqual([await at.vim.eval(WINDOWS), await at.vim.lines(buffer)], [before, lines]);
    await at.vim.ex('only!');
  });
});
