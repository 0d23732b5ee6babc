import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { change, type Result } from './broker.js';
import { pair } from './fixture.js';

describe('undo and redo', () => {
  const at = pair();

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
});
