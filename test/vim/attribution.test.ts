import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import type { Result } from './broker.js';
import { pair } from './fixture.js';

describe('what an assistant does', () => {
  const at = pair({
    vimrc: `
set laststatus=2 statusline=%{mcp#attribution#Flag()}
function Lines(match)
  return map(filter(items(a:match), {_, item -> item[0] =~ '^pos'}), {_, item -> item[1][0]})->sort('n')
endfunction
`,
  });

  async function edit(buffer: number, operations: readonly object[]): Promise<Result> {
    const args = { buffer, expected_changedtick: await at.vim.tick(buffer), operations };
    const result = await at.broker.call('edit', args);
    assert.equal(result.isError, false, result.text);
    return result;
  }

  async function followed(lines: readonly string[]): Promise<number> {
    const buffer = await at.vim.buffer(lines);
    await at.broker.call('watch', { buffer, timeout_ms: 0 });
    return buffer;
  }

  const shows = (text: string): Promise<boolean> =>
    eventually(`${text} is on the screen`, () => at.vim.screen().some((line) => line.includes(text)));

  it('is said, flagged for a while, and logged', async () => {
    const buffer = await followed(['one', 'two', 'three', 'four']);
    await eventually('the flag is plain', () => at.vim.screen().includes('[mcp]'));
    await edit(buffer, [
      { kind: 'lines', first: 1, last: 1, text: 'ONE\nONE' },
      { kind: 'replace', old: 'four', new: 'FOUR' },
    ]);
    await shows('mcp: test edited lines 1-2, 5 of [No Name]');
    await shows('[mcp: test]');
    await eventually('the flag is plain', () => at.vim.screen().includes('[mcp]'));
    assert.equal((await at.vim.ex('messages')).includes('edited'), false);
    assert.match(await at.vim.ex('McpLog'), /\n\d\d:\d\d:\d\d test edited lines 1-2, 5 of \[No Name\]$/);
  });

  it('is said after Insert mode, where Vim shows the mode, and after a selection', async () => {
    for (const [keys, mode] of [
      ['i', 'i'],
      ['V', 'V'],
    ] as const) {
      const buffer = await followed(['one', 'two', mode]);
      await at.vim.ex('new');
      await at.vim.typed(keys);
      await edit(buffer, [{ kind: 'lines', first: 3, last: 3, text: `edit in ${mode}` }]);
      await eventually('it is logged', async () => (await at.vim.ex('McpLog')).endsWith(`line 3 of [No Name]`));
      assert.equal(await at.vim.eval('mode()'), mode);
      await at.vim.typed('\x1b');
      await shows('mcp: test edited line 3 of [No Name]');
      await at.vim.ex('only! | redraw!');
    }
  });

  /** The lines that are marked in the current window. */
  const marked = (): Promise<number[]> =>
    at.vim.eval("getmatches()->filter({_, m -> m.group ==# 'McpEdited'})->map({_, m -> Lines(m)})->flatten()");

  it('is seen on its lines for a moment, in every window, and leaves nothing behind', async () => {
    const buffer = await followed(Array.from({ length: 100 }, (_, line) => `line ${line + 1}`));
    await at.vim.ex('let g:mcp_highlight = 3000 | split | normal! G');
    const { value } = await edit(buffer, [
      { kind: 'lines', first: 2, last: 2, text: 'two\nand more' },
      { kind: 'lines', first: 100, last: 100, text: 'hundred' },
    ]);
    const known = async (): Promise<unknown> => [
      await at.vim.tick(buffer),
      await at.vim.eval('[undotree().seq_last, &modified, winsaveview()]'),
    ];
    const before = await known();
    assert.deepEqual(await eventually('lines are marked', whenMarked), [101]);
    assert.deepEqual(await at.vim.eval('getmatches(win_getid(2))->map({_, m -> Lines(m)})->flatten()'), [2, 3]);
    await eventually('they are not any more', async () => (await marked()).length === 0);
    assert.deepEqual(await at.vim.eval('getmatches(win_getid(2))'), []);
    assert.deepEqual([await known(), value['changedtick']], [before, await at.vim.tick(buffer)]);
    await at.vim.ex('only');
  });

  it('is not seen any more once the text is another, nor where the person does not want it', async () => {
    await at.vim.ex('let g:mcp_highlight = 600000');
    const buffer = await followed(['one', 'two', 'three', 'four']);
    for (const [number, keys] of ['ggOzero\x1b', 'ix\x1b', ':enew\r'].entries()) {
      await edit(buffer, [{ kind: 'lines', first: 2, last: 2, text: `edit ${number}` }]);
      assert.deepEqual(await eventually('the line is marked', whenMarked), [2]);
      await at.vim.typed(`j${keys}`);
      await eventually('it is not any more', async () => (await marked()).length === 0);
    }
    await at.vim.ex(`let g:mcp_highlight = 0 | buffer ${buffer}`);
    await edit(buffer, [{ kind: 'lines', first: 2, last: 2, text: 'the last edit' }]);
    await eventually('it is logged', async () => (await at.vim.ex('McpLog')).endsWith('line 2 of [No Name]'));
    assert.deepEqual(await marked(), []);
    await at.vim.ex('unlet g:mcp_highlight');
  });

  async function whenMarked(): Promise<number[] | undefined> {
    const lines = await marked();
    return lines.length > 0 ? lines : undefined;
  }

  it('is not said where the person does not want it', async () => {
    const buffer = await followed(['one']);
    await at.vim.ex('let g:mcp_messages = 0');
    await at.vim.typed(':echo\r');
    await edit(buffer, [{ kind: 'replace', old: 'one', new: 'uno' }]);
    await at.vim.until('getline(1)', 'uno');
    await at.vim.until("execute('McpLog') =~ 'edited line 1 of'", 1);
    await at.vim.ex('let g:mcp_messages = 1');
    assert.equal(
      at.vim.screen().some((line) => line.includes('edited')),
      false,
    );
  });

  it('is taken back by :McpUndo, whatever was typed elsewhere since', async () => {
    const buffer = await followed(['one', 'two', 'three', 'four']);
    await edit(buffer, [
      { kind: 'lines', first: 2, last: 2, text: 'TWO\nTOO' },
      { kind: 'insert-lines', after: 4, text: 'five' },
    ]);
    await at.vim.typed('ggOzero\x1bjAx\x1b');
    await at.vim.typed(':McpUndo test\r');
    await at.vim.until("getline(1, '$')", ['zero', 'onex', 'two', 'three', 'four']);
    await shows('is taken back');
    await at.vim.typed('u');
    await at.vim.until("getline(1, '$')", ['zero', 'onex', 'TWO', 'TOO', 'three', 'four', 'five']);
    const { value } = await at.broker.call('watch', { buffer, since: 1, include_own: true });
    assert.equal((value['changes'] as { who: string }[]).at(-1)?.who, 'person');
  });

  it('stays, with a reason, where it cannot be taken back', async () => {
    const buffer = await followed(['one', 'two']);
    await edit(buffer, [{ kind: 'lines', first: 2, last: 2, text: 'TWO' }]);
    await at.vim.typed('GAx\x1b');
    await at.vim.ex('McpUndo');
    await shows('stays: changed since by person');
    await at.vim.ex('McpUndo nobody');
    await shows('there is no edit of nobody left to take back');
    assert.deepEqual(await at.vim.lines(buffer), ['one', 'TWOx']);
  });
});
