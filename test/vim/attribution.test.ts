import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import type { Result } from './broker.js';
import { pair } from './fixture.js';

describe('what an assistant does', () => {
  const at = pair({ vimrc: 'set laststatus=2 statusline=%{mcp#attribution#Flag()}' });

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
