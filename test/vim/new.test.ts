import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { pair } from './fixture.js';

describe('new', () => {
  const at = pair({ vimrc: 'filetype plugin on\nset noswapfile\n' });

  it('makes a listed buffer that nobody sees', async () => {
    const before = await at.vim.buffer(['x']);
    const state = "[bufnr(), bufnr('#'), winlayout(), getjumplist()]";
    const seen = await at.vim.eval(state);
    const { value } = await at.broker.call('new');
    const buffer = value['buffer'] as number;
    assert.notEqual(buffer, before);
    assert.deepEqual(
      [value['filename'], value['line_count'], value['modified'], await at.vim.eval(`buflisted(${buffer})`)],
      ['', 1, false, 1],
    );
    assert.deepEqual(await at.vim.eval(state), seen);
    assert.equal(await at.vim.tick(buffer), value['changedtick']);
  });

  it('holds the text it is given, with nothing to undo', async () => {
    const { value, text } = await at.broker.call('new', { text: '# one\n\nünï 🙂\n', filetype: 'markdown' });
    const buffer = value['buffer'] as number;
    assert.deepEqual([value['line_count'], value['modified']], [3, true], text);
    assert.match(at.broker.questions[0] ?? '', /make a new buffer\?\n\n# one\n/);
    await at.vim.ex(`buffer ${buffer}`);
    at.vim.type('u');
    await at.vim.until("[mode(), getline(1, '$'), undotree().entries, &modified]", [
      'n',
      ['# one', '', 'ünï 🙂'],
      [],
      1,
    ]);
    assert.deepEqual(await at.vim.eval('[&filetype, &comments, &l:undolevels, &undolevels]'), [
      'markdown',
      await at.vim.eval('&comments'),
      -123456,
      1000,
    ]);
    at.vim.type('x');
    await at.vim.until('getline(1)', ' one');
    at.vim.type('u');
    await at.vim.until('getline(1)', '# one');
    at.vim.type(':quit\r');
    await eventually('Vim warns', () => at.vim.screen().some((row) => row.startsWith('E37:')));
  });

  it('is none that was there, also where there is an alternate file', async () => {
    const before = await at.vim.buffer(['before']);
    const alternate = await at.vim.buffer(['alternate']);
    await at.vim.ex(`buffer! ${before}`);
    assert.equal(await at.vim.eval("bufnr('#')"), alternate);
    const { value } = await at.broker.call('new', { text: 'new\n' });
    const buffer = value['buffer'] as number;
    assert.ok(buffer > alternate, `buffer ${buffer}`);
    const lines = [before, alternate, buffer].map((each) => at.vim.lines(each));
    assert.deepEqual(await Promise.all(lines), [['before'], ['alternate'], ['new']]);
  });

  it('refuses what is no text or no filetype', async () => {
    assert.match((await at.broker.call('new', { text: 'a\0b' })).text, /NUL/);
    assert.equal((await at.broker.call('new', { filetype: 'x|qa' })).isError, true);
    assert.deepEqual(at.broker.questions, []);
  });
});
