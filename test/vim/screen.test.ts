import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import type { Result } from './broker.js';
import { pair } from './fixture.js';

describe('screen', () => {
  const at = pair({ vimrc: 'set laststatus=2 statusline=status noshowcmd noruler\n' });

  async function look(): Promise<Result['value']> {
    const { isError, text, value } = await at.broker.call('screen');
    assert.equal(isError, false, text);
    return value;
  }

  /** Waits for a row of the terminal. */
  async function shown(text: string): Promise<void> {
    await eventually(`${text} is shown`, () => at.vim.screen().some((row) => row.includes(text)));
  }

  /** What the tool tells has to be what the terminal shows. */
  async function same(): Promise<Result['value']> {
    const value = await look();
    const rows = at.vim.screen();
    assert.deepEqual(String(value['text']).split('\n'), [...rows, '']);
    const { row, column } = at.vim.cursor();
    assert.deepEqual([value['rows'], value['columns']], [24, 80]);
    assert.deepEqual(value['cursor'], { row: row + 1, column: column + 1 });
    return value;
  }

  it('is what the terminal shows, wide and composed characters included', async () => {
    const buffer = await at.vim.buffer(['plain', 'wide 世界 ünï|', 'e\u0301|', 'tab\t|', 'last  ']);
    at.vim.type('\x0cjfx');
    at.vim.type('w');
    await shown('plain');
    await at.vim.until("[mode(), line('.')]", ['n', 2]);
    const value = await same();
    assert.deepEqual(value['windows'], [
      {
        buffer,
        filename: '',
        row: 1,
        column: 1,
        height: 22,
        width: 80,
        first: 1,
        last: 5,
        cursor: { line: 2, column: 6 },
        current: true,
      },
    ]);
  });

  it('tells the windows of the tab page', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    const buffer = await at.vim.buffer(lines);
    await at.vim.ex('file named.txt | 20split | vsplit | normal! 50Gzt');
    at.vim.type('\x0c');
    await shown('line 55');
    const value = await same();
    const windows = value['windows'] as Record<string, unknown>[];
    const filename = `${at.home.path}/named.txt`;
    assert.deepEqual(
      windows.map((window) => [window['buffer'], window['filename'], window['current'] === true]),
      [
        [buffer, filename, true],
        [buffer, filename, false],
        [buffer, filename, false],
      ],
    );
    assert.deepEqual(windows[0]?.['first'], 50);
    assert.deepEqual(windows[0]?.['cursor'], { line: 50, column: 1 });
    assert.deepEqual([windows[2]?.['first'], windows[2]?.['row']], [1, 22]);
    await at.vim.ex('only');
  });

  for (const [what, keys, mode, seen, leave] of [
    ['a command line', ':echo "half', 'c', ':echo "half', '\x03'],
    ['a prompt for Enter', ':echo "a\\nb\\nc"\r', 'r', 'Press ENTER', '\r'],
    ['Insert mode', 'onew text', 'i', 'new text', '\x1b'],
    ['Visual block mode', '\x16l', '^V', '-- VISUAL BLOCK --', '\x1b'],
  ] as const) {
    it(`is seen in ${what}, and nothing of it is touched`, async () => {
      await at.vim.buffer(['one', 'two']);
      at.vim.type(`\x0c${keys}`);
      await at.vim.until('strtrans(mode(1))', mode);
      await shown(seen);
      const before = at.vim.screen();
      const value = await same();
      assert.equal(value['mode'], mode);
      assert.deepEqual(at.vim.screen(), before);
      at.vim.type(leave);
      await at.vim.until('mode(1)', 'n');
    });
  }
});
