import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Result } from './broker.js';
import { pair } from './fixture.js';

const CTRL_V = '\x16';
const CTRL_G = '\x07';

const LINES = ['one two', 'zwei\tünï 🙂 x', '', 'e\u0301 世界 wide', '\ttab', 'a longer line at the end'];

describe('selection', () => {
  // Q tells that all keys before it were taken.
  const at = pair({ vimrc: 'vnoremap Q <Cmd>let g:typed = 1<CR>\n' });

  async function read(): Promise<Result['value']> {
    const { isError, text, value } = await at.broker.call('selection');
    assert.equal(isError, false, text);
    return value;
  }

  /** Types keys that select something, and waits for the mode. */
  async function select(keys: string, mode: string): Promise<void> {
    await at.vim.ex('let g:typed = 0');
    at.vim.type(`${keys}Q`);
    await at.vim.until('[mode(), g:typed]', [mode, 1]);
  }

  for (const [what, keys, mode, name, options = ''] of [
    ['a part of one line', 'lvl', 'v', 'charwise'],
    ['one character', 'v', 'v', 'charwise'],
    ['several lines', 'lvjj', 'v', 'charwise'],
    ['from the end to the beginning', 'jfxvk0', 'v', 'charwise'],
    ['a line to its break', 'v$', 'v', 'charwise'],
    ['the last line to its end', 'Gv$', 'v', 'charwise'],
    ['wide characters', '4Gwvl', 'v', 'charwise'],
    ['a composed character', '4Gv', 'v', 'charwise'],
    ['an empty line', '3Gv', 'v', 'charwise'],
    ['with the end exclusive', 'lvlj', 'v', 'charwise', 'selection=exclusive'],
    ['one character with the end exclusive', 'lv', 'v', 'charwise', 'selection=exclusive'],
    ['to the beginning of a line with the end exclusive', 'lvj0', 'v', 'charwise', 'selection=exclusive'],
    ['before a wide character with the end exclusive', '4Gwvl', 'v', 'charwise', 'selection=exclusive'],
    ['old style', 'v$', 'v', 'charwise', 'selection=old'],
    ['one whole line', 'jV', 'V', 'linewise'],
    ['whole lines', 'jVjj', 'V', 'linewise'],
    ['all lines', 'GVgg', 'V', 'linewise'],
    ['a block', `l${CTRL_V}Gl`, CTRL_V, 'blockwise'],
    ['a block of one line', `l${CTRL_V}ll`, CTRL_V, 'blockwise'],
    ['a block from right to left', `3l${CTRL_V}Ghh`, CTRL_V, 'blockwise'],
    ['a block through a tab and wide characters', `4G3l${CTRL_V}j`, CTRL_V, 'blockwise'],
    ['a block that begins in a tab', `4l${CTRL_V}Gl`, CTRL_V, 'blockwise'],
    ['a block beside short lines', `3w${CTRL_V}G2l`, CTRL_V, 'blockwise'],
    ['a block to the ends of its lines', `l${CTRL_V}G$`, CTRL_V, 'blockwise'],
    ['a block to the ends, of which the last is the longest', `l${CTRL_V}j$`, CTRL_V, 'blockwise'],
    ['a block beyond the ends of lines', `5l${CTRL_V}3j15l`, CTRL_V, 'blockwise', 'virtualedit=all'],
    ['a block from within a tab', `4G0j3l${CTRL_V}7l`, CTRL_V, 'blockwise', 'virtualedit=all'],
    ['characters to beyond the end', 'v12l', 'v', 'charwise', 'virtualedit=all'],
    ['a block to the ends with virtual columns', `l${CTRL_V}4j$`, CTRL_V, 'blockwise', 'virtualedit=block'],
    ['a block in a wrapped line', `6G12l${CTRL_V}6l`, CTRL_V, 'blockwise', 'wrap'],
    ['a block with the end exclusive', `l${CTRL_V}G3l`, CTRL_V, 'blockwise', 'selection=exclusive'],
  ] as const) {
    it(`is what Vim would yank: ${what}`, async () => {
      const buffer = await at.vim.buffer(LINES);
      await at.vim.ex(`set ${options}`);
      await select(keys, mode);
      const live = await read();
      await at.vim.until('mode()', mode);
      at.vim.type('"zy');
      await at.vim.until('mode()', 'n');
      const last = await read();
      await at.vim.ex('set selection=inclusive virtualedit=');
      const register = await at.vim.eval<string[]>("getreg('z', 1, 1)");
      // Vim yanks blanks in place of a line that ends before the block, and of columns that are only virtual.
      const { line: first } = live['start'] as { line: number };
      const isEmpty = (row: number): boolean => name === 'blockwise' && LINES[first - 1 + row] === '';
      const lines = register.map((line, row) => (isEmpty(row) ? '' : line));
      const yanked = lines.join('\n') + (name === 'linewise' ? '\n' : '');
      const bare = (text: unknown): string =>
        options.startsWith('virtualedit') ? String(text).replace(/ +$/gm, '') : String(text);
      assert.deepEqual(
        [live['buffer'], live['mode'], live['active'], bare(live['text']), live['changedtick']],
        [buffer, name, true, bare(yanked), await at.vim.tick(buffer)],
      );
      assert.deepEqual({ ...last, active: true }, live);
      assert.equal(last['active'], false);
    });
  }

  for (const [what, keys, mode, start, end] of [
    ['one line', 'jfnvl', 'v', [2, 7], [2, 8]],
    ['a line break', 'lvj$', 'v', [1, 2], [2, 13]],
    ['composed characters', '4Gvl', 'v', [4, 1], [4, 2]],
    ['whole lines', 'jlVj', 'V', [2, 1], [3, 0]],
    ['a block', `j${CTRL_V}jj$`, CTRL_V, [2, 1], [4, 9]],
  ] as const) {
    it(`has its ends in characters: ${what}`, async () => {
      await at.vim.buffer(LINES);
      await select(keys, mode);
      const value = await read();
      at.vim.type('\x1b');
      const place = ([line, column]: readonly [number, number]): object => ({ line, column });
      assert.deepEqual([value['start'], value['end']], [place(start), place(end)]);
    });
  }

  for (const [what, keys, mode, name, text] of [
    ['characters', 'gh\x1b[C\x1b[C', 's', 'charwise', 'one'],
    ['lines', 'gH', 'S', 'linewise', 'one two\n'],
    ['a block', 'g\x08', '\x13', 'blockwise', 'o'],
  ] as const) {
    it(`is told in Select mode: ${what}`, async () => {
      await at.vim.buffer(LINES);
      await select(keys, mode);
      const value = await read();
      assert.deepEqual([value['active'], value['mode'], value['text']], [true, name, text]);
      at.vim.type(`${CTRL_G}\x1b`);
      await at.vim.until('mode()', 'n');
    });
  }

  it('says so when nothing is selected and nothing was', async () => {
    const buffer = await at.vim.buffer(['one']);
    const { isError, text, value } = await at.broker.call('selection');
    assert.equal(isError, false);
    assert.match(text, new RegExp(`Nothing is selected in buffer ${buffer}`));
    assert.deepEqual([value['mode'], value['active'], value['text']], ['none', false, undefined]);
  });

  it('is that of the current buffer', async () => {
    const one = await at.vim.buffer(['first']);
    await select('vl', 'v');
    at.vim.type('\x1b');
    await at.vim.until('mode()', 'n');
    await at.vim.buffer(['second']);
    assert.equal((await read())['mode'], 'none');
    await at.vim.ex(`buffer! ${one}`);
    assert.equal((await read())['text'], 'fi');
  });

  it('tells of bytes that are no text, and shows a NUL', async () => {
    await at.vim.buffer(['one', 'two']);
    await at.vim.eval('setline(2, "bad\\xffbyte") + setline(3, "nul\\nhere")');
    await select('VG', 'V');
    const value = await read();
    at.vim.type('\x1b');
    assert.deepEqual([value['text'], value['lossy']], ['one\nbad\ufffdbyte\nnul\0here\n', [2]]);
  });

  for (const [what, lines, keys, mode] of [
    ['many lines', `range(1, 3000)->map({_, n -> printf('%100d', n)})`, 'ggVG', 'V'],
    ['one long line', `[repeat('ü世x', 50000)]`, 'ggllv$h', 'v'],
  ] as const) {
    it(`goes on in read-lines where it is too much: ${what}`, async () => {
      const buffer = await at.vim.buffer(['']);
      await at.vim.eval(`setline(1, ${lines})`);
      await select(keys, mode);
      const value = await read();
      at.vim.type('\x1b');
      let text = String(value['text']);
      assert.ok(Buffer.byteLength(text) <= 128 * 1024);
      assert.equal(typeof value['left_out'], 'number');
      let from = { next: value['next'], next_column: value['next_column'] };
      if (from.next_column === undefined && !text.endsWith('\n')) text += '\n';
      while (from.next !== undefined) {
        const rest = await at.broker.call('read-lines', { buffer, first: from.next, column: from.next_column });
        text += String(rest.value['text']);
        from = { next: rest.value['next'], next_column: rest.value['next_column'] };
      }
      const whole = `${(await at.vim.lines(buffer)).join('\n')}\n`;
      assert.equal(text, keys.includes('ll') ? whole.slice(2) : whole);
    });
  }
});
