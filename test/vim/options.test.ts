import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, change, type Result } from './broker.js';
import { pair, stage } from './fixture.js';

/** What a person may have set, and how it is unset. */
const OPTIONS: readonly (readonly [set: string, unset?: string])[] = [
  ['nohidden', 'hidden'],
  ['autowrite', 'noautowrite'],
  ['autowriteall', 'noautowriteall'],
  ['autoread', 'noautoread'],
  ['confirm', 'noconfirm'],
  ['lazyredraw', 'nolazyredraw'],
  ['noswapfile', 'swapfile'],
  ['paste', 'nopaste'],
  ['virtualedit=all', 'virtualedit='],
  ['autochdir', 'noautochdir'],
  ['eventignore=all', 'eventignore='],
  ['writeany', 'nowriteany'],
  ['backup', 'nobackup'],
  ['nowritebackup', 'writebackup'],
  ['backup backupcopy=yes', 'nobackup backupcopy=auto'],
  ['undofile undodir=.', 'noundofile'],
  ['cpoptions+=u', 'cpoptions&vim'],
  ['compatible', 'nocompatible hidden backspace=indent,eol,start shortmess+=I nomore'],
  ['report=0', 'report&'],
  ['winheight=20 winminheight=3', 'winminheight=1 winheight=1'],
  ['textwidth=10 autoindent formatoptions+=a', 'textwidth=0 noautoindent formatoptions-=a'],
];

describe('whatever the person has set', () => {
  const at = pair({ args: ['--auto-allow', '*,open,save'] });

  async function call(name: string, buffer: number, more: Record<string, unknown> = {}): Promise<Result> {
    return await at.broker.call(name, { buffer, expected_changedtick: await at.vim.tick(buffer), ...more });
  }

  for (const [set, unset = ''] of OPTIONS) {
    it(`${set}: edits, undo and save do the same, and nothing moves`, async () => {
      const current = await at.vim.buffer(['here', 'there']);
      await at.vim.ex(`set ${set}`);
      const path = join(at.home.path, `with-${set.replace(/\W/g, '-')}.txt`);
      await writeFile(path, 'one\nlong enough to be wrapped\n');
      const before = await at.vim.eval("[bufnr(), winlayout(), getcwd(), getpos('.'), mode(1)]");
      const opened = await at.broker.call('open', { path });
      const buffer = opened.value['buffer'] as number;
      await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
      await call('apply-diff', buffer, { diff: change(1, 'two', 'three') });
      assert.equal(await readFile(path, 'utf8'), 'one\nlong enough to be wrapped\n');
      const steps = [];
      for (const name of ['undo', 'undo', 'redo']) steps.push((await call(name, buffer)).value['changed']);
      assert.deepEqual(steps, [true, true, true]);
      const saved = await call('save', buffer);
      assert.deepEqual([saved.value['written'], saved.value['changed']], [true, undefined], saved.text);
      assert.equal(await readFile(path, 'utf8'), 'two\nlong enough to be wrapped\n');
      await writeFile(path, 'somebody else was here\n');
      await call('apply-diff', buffer, { diff: change(1, 'two', 'four') });
      assert.match((await call('save', buffer)).text, /changed on disk/);
      assert.deepEqual(await at.vim.eval("[bufnr(), winlayout(), getcwd(), getpos('.'), mode(1)]"), before);
      const here = await call('apply-diff', current, { diff: change(1, 'here', 'now') });
      assert.equal(here.isError, false, here.text);
      await at.vim.ex(`set ${unset}`);
    });
  }

  it("no event of the person's tells of what the plugin sets for a moment", async () => {
    await at.vim.ex("autocmd OptionSet * let g:told = add(get(g:, 'told', []), expand('<amatch>'))");
    const other = await at.vim.buffer(['one']);
    await at.vim.buffer(['two']);
    const set = await at.vim.eval("get(g:, 'told', [])->len()");
    await call('apply-diff', other, { diff: change(1, 'one', 'more') });
    await call('undo', other);
    assert.equal(await at.vim.eval("get(g:, 'told', [])->len()"), set);
    await at.vim.ex('autocmd! OptionSet');
  });

  it("'eventignore' does not keep a change waiting longer than the person", async () => {
    const buffer = await at.vim.buffer(['one']);
    await at.vim.ex('set eventignore=all');
    at.vim.type('V');
    await at.vim.until('mode(1)', 'V');
    const pending = call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    at.vim.type('\x1b');
    const result = await pending;
    assert.equal(result.isError, false, result.text);
    await at.vim.ex('set eventignore=');
  });

  for (const option of ['paste', 'virtualedit=all', 'textwidth=3', 'undolevels=-1']) {
    it(`${option}: an edit in Insert mode types nothing`, async () => {
      const buffer = await at.vim.buffer(['one', 'two']);
      await at.vim.ex(`set ${option}`);
      at.vim.type('joab');
      await at.vim.until('mode(1)', 'i');
      await at.vim.until("getline('.') =~ 'ab'", 1);
      const edited = await call('apply-diff', buffer, { diff: change(1, 'one', 'ONE') });
      assert.equal(edited.isError, false, edited.text);
      at.vim.type('c');
      await at.vim.until("getline('.') =~ 'abc'", 1);
      await at.vim.ex(`set ${option.replace(/=.*/, '')}&vim`);
      at.vim.type('\x1b');
      await at.vim.until('mode(1)', 'n');
      assert.deepEqual(await at.vim.lines(buffer), ['ONE', 'two', 'abc']);
    });
  }

  it("'undolevels' keeps its value, and without undo nothing is undone", async () => {
    const buffer = await at.vim.buffer(['one']);
    await at.vim.ex('setlocal undolevels=-1');
    await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
    const undone = await call('undo', buffer);
    assert.deepEqual([undone.value['changed'], await at.vim.lines(buffer)], [false, ['two']], undone.text);
    await at.vim.ex('setlocal undolevels=0');
    await call('apply-diff', buffer, { diff: change(1, 'two', 'three') });
    const once = await call('undo', buffer);
    assert.deepEqual([once.value['changed'], await at.vim.lines(buffer)], [true, ['two']], once.text);
    assert.equal(await at.vim.eval('&l:undolevels'), 0);
    const fresh = await at.vim.buffer(['one']);
    await at.vim.ex('setlocal undolevels<');
    await call('apply-diff', fresh, { diff: change(1, 'one', 'two') });
    await at.vim.ex('noautocmd setglobal undolevels=77');
    assert.equal(await at.vim.eval('&undolevels'), 77);
    await at.vim.ex('set undolevels=1000');
  });

  it("'encoding' other than utf-8 is refused with the way out", async () => {
    const buffer = await at.vim.buffer(['one']);
    await at.vim.ex('set encoding=latin1');
    const refused = await at.broker.call('read-lines', { buffer });
    assert.match(refused.text, /'encoding' is latin1; put `set encoding=utf-8` into the vimrc/);
    await at.vim.ex('set encoding=utf-8');
    assert.equal((await at.broker.call('read-lines', { buffer })).value['text'], 'one\n');
  });
});

describe('a Vim that begins', () => {
  const at = stage();

  it("compatible with Vi connects and edits, and with another 'encoding' says why not", async () => {
    const broker = at.own(await Broker.start(at.home, ['--auto-allow', '*']));
    const vi = at.own(
      await Vim.start(at.home, { vimrc: 'set compatible\nunlet g:loaded_mcp\nruntime plugin/mcp.vim\n' }),
    );
    await broker.join(vi, 'Mcp vi');
    const buffer = await vi.buffer(['one']);
    const args = { buffer, expected_changedtick: await vi.tick(buffer), diff: change(1, 'one', 'two') };
    assert.equal((await broker.call('apply-diff', args)).isError, false);
    assert.deepEqual([await vi.lines(buffer), await vi.eval('&compatible')], [['two'], 1]);
    const latin = at.own(await Vim.start(at.home, { vimrc: 'set encoding=latin1\n' }));
    latin.type(':Mcp latin\r');
    await eventually('it says why', () => latin.screen().some((row) => row.includes('set encoding=utf-8')));
    assert.deepEqual(await broker.targets(), ['vi']);
  });
});
