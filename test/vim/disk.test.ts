import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Vim } from '../kit/vim.js';
import { Broker, change, type Result } from './broker.js';
import { pair, stage } from './fixture.js';

describe('a file', () => {
  const at = pair();

  const file = (name: string): string => join(at.home.path, name);

  /** A file open in Vim with a change that is not saved. */
  async function changed(name: string, text: string | undefined = 'one\n'): Promise<number> {
    await writeFile(file(name), text);
    // It lay there before Vim read it.
    await utimes(file(name), 1_000_000_000, 1_000_000_000);
    const { value } = await at.broker.call('open', { path: name });
    const buffer = value['buffer'] as number;
    await at.vim.eval(`setbufline(${buffer}, 1, 'changed')`);
    return buffer;
  }

  async function save(buffer: number): Promise<Result> {
    return await at.broker.call('save', { buffer, expected_changedtick: await at.vim.tick(buffer) });
  }

  it('is the same buffer by every name it has', async () => {
    await mkdir(file('sub'));
    await writeFile(file('sub/one.txt'), 'one\n');
    await symlink(file('sub/one.txt'), file('link.txt'));
    await symlink(file('sub'), file('folder'));
    const seen = new Set<unknown>();
    for (const path of [
      'sub/one.txt',
      file('sub/one.txt'),
      './sub/../sub/one.txt',
      'link.txt',
      'folder/one.txt',
      '~/sub/one.txt',
    ]) {
      const opened = await at.broker.call('open', { path });
      assert.equal(opened.isError, false, opened.text);
      seen.add(opened.value['buffer']);
    }
    assert.equal(seen.size, 1);
  });

  it('is never taken for a terminal or a note of the same name', async () => {
    await at.vim.ex("new | setlocal buftype=nofile | file same.txt | call setline(1, 'a note')");
    await writeFile(file('same.txt'), 'a file\n');
    const opened = await at.broker.call('open', { path: 'same.txt' });
    assert.match(opened.text, /same\.txt.*buftype/);
    assert.deepEqual(await at.vim.eval('getline(1)'), 'a note');
    await at.vim.ex('bwipeout!');
    assert.equal((await at.broker.call('open', { path: 'same.txt' })).isError, false);
    await writeFile(file('!cat'), 'a file\n');
    await at.vim.ex('terminal ++curwin cat');
    const terminal = await at.vim.eval('bufnr()');
    const beside = await at.broker.call('open', { path: '!cat' });
    assert.notEqual(beside.value['buffer'], terminal, beside.text);
    assert.deepEqual(await at.vim.lines(beside.value['buffer'] as number), ['a file']);
    await at.vim.ex('bwipeout!');
  });

  it('with a name that means something to Vim or a shell is what its name says', async () => {
    for (const name of ['%', '#', 'a|b', '*', '?[x]', '`id`', '$HOME', 'a\\b', "it's", '<cfile>', '-', '+1', ' ']) {
      await writeFile(file(name), `this is ${name}\n`);
      const opened = await at.broker.call('open', { path: `./${name}` });
      const { buffer } = opened.value;
      assert.deepEqual(
        [opened.value['filename'], await at.vim.lines(buffer as number)],
        [file(name), [`this is ${name}`]],
      );
      await at.vim.eval(`setbufline(${String(buffer)}, 1, 'changed')`);
      const saved = await save(buffer as number);
      assert.equal(saved.isError, false, saved.text);
      assert.equal(await readFile(file(name), 'utf8'), 'changed\n');
    }
    assert.match((await at.broker.call('open', { path: 'two\nlines' })).text, /line break/);
  });

  it('that leads in a circle is refused', async () => {
    await symlink('circle', file('circle'));
    const refused = await at.broker.call('open', { path: 'circle' });
    assert.match(refused.text, /E655.*"error":"unsupported"/s);
  });

  for (const [what, happens, outcome] of [
    ['is gone', (path: string) => rm(path), 'written'],
    ['has other permissions', (path: string) => chmod(path, 0o640), 'written'],
    ['was written by another program', (path: string) => writeFile(path, 'more than before\n'), /changed on disk/],
    ['was replaced', (path: string) => rename(file('another.txt'), path), /changed on disk/],
    ['became a FIFO', (path: string) => execFileSync('sh', ['-c', 'rm "$1"; mkfifo "$1"', '', path]), /but a fifo/],
    ['became a folder', (path: string) => execFileSync('sh', ['-c', 'rm "$1"; mkdir "$1"', '', path]), /but a dir/],
    ['has no folder any more', (path: string) => rm(join(path, '..'), { recursive: true }), /E212/],
  ] as const) {
    it(`that ${what} when it is saved is ${outcome === 'written' ? outcome : 'refused'}`, async () => {
      const name = `${what.replaceAll(' ', '-')}/file.txt`;
      await mkdir(join(file(name), '..'));
      await writeFile(file('another.txt'), 'another\n');
      const buffer = await changed(name);
      await happens(file(name));
      const saved = await save(buffer);
      if (outcome === 'written') {
        assert.equal(saved.value['written'], true, saved.text);
        assert.equal(await readFile(file(name), 'utf8'), 'changed\n');
      } else assert.match(saved.text, outcome);
      assert.deepEqual(await at.vim.eval('[mode(1), state()]'), ['n', '']);
    });
  }

  it('that Vim wrote without autocommands is still its own', async () => {
    const buffer = await changed('silent.txt');
    await at.vim.ex(`buffer ${buffer} | noautocmd write`);
    await at.vim.eval("setline(1, 'again')");
    const saved = await save(buffer);
    assert.equal(saved.value['written'], true, saved.text);
    assert.equal(await readFile(file('silent.txt'), 'utf8'), 'again\n');
  });

  for (const [who, handler, key] of [
    ['Vim', '', 'o'],
    ['a plugin', "autocmd FileChangedShell * let v:fcs_choice = ''", ''],
  ] as const) {
    it(`that was written by another program, as ${who} noticed already, is refused`, async () => {
      const name = `noticed-by-${who.replace(' ', '-')}.txt`;
      const buffer = await changed(name);
      await at.vim.ex(`buffer ${buffer} | ${handler}`);
      await writeFile(file(name), 'more than before\n');
      at.vim.type(':let g:asked = 1 | checktime\r');
      await at.vim.until("exists('g:asked')", 1);
      if (key !== '') await at.vim.until('mode()', 'r');
      at.vim.type(key);
      await at.vim.until('[mode(1), state()]', ['n', '']);
      assert.match((await save(buffer)).text, /changed on disk/);
      assert.deepEqual(await at.vim.eval('[mode(1), state()]'), ['n', '']);
      await at.vim.ex('autocmd! FileChangedShell | unlet g:asked');
    });
  }

  for (const [what, command, says] of [
    ['under the name of another file', 'file another.txt', /E13/],
    ["while 'write' is off", 'set nowrite', /E142/],
    ['that is readonly', 'setlocal readonly', /E45/],
    ['of a buffer that has none', 'setlocal buftype=nofile', /never written/],
    ['that is never to be written', 'setlocal buftype=nowrite', /never written/],
    [
      'that a plugin writes and fails',
      "setlocal buftype=acwrite | autocmd BufWriteCmd <buffer> throw 'no network'",
      /no network/,
    ],
  ] as const) {
    it(`${what} is not written, and says why`, async () => {
      await writeFile(file('another.txt'), 'another\n');
      const buffer = await changed(`${what.replaceAll(/\W/g, '-')}.txt`);
      await at.vim.ex(`buffer ${buffer} | ${command}`);
      const refused = await save(buffer);
      assert.match(refused.text, says);
      assert.match(refused.text, /"error":"unsupported"/);
      assert.equal(await readFile(file('another.txt'), 'utf8'), 'another\n');
      assert.deepEqual(await at.vim.eval('[mode(1), state(), getline(1)]'), ['n', '', 'changed']);
      await at.vim.ex('set write');
    });
  }

  it('that a plugin writes is written by the plugin', async () => {
    const buffer = await changed('remote.txt');
    await at.vim.ex(`buffer ${buffer} | setlocal buftype=acwrite`);
    await at.vim.ex('autocmd BufWriteCmd <buffer> let g:sent = getline(1, "$") | setlocal nomodified');
    const saved = await save(buffer);
    assert.deepEqual(
      [saved.isError, saved.value['modified'], await at.vim.eval('g:sent')],
      [false, false, ['changed']],
    );
    assert.equal(await readFile(file('remote.txt'), 'utf8'), 'one\n');
  });

  it('with text that is not saved is never read anew', async () => {
    const buffer = await changed('mine.txt');
    await writeFile(file('mine.txt'), 'theirs\n');
    await at.broker.call('open', { path: 'mine.txt' });
    const args = { buffer, expected_changedtick: await at.vim.tick(buffer), diff: change(1, 'changed', 'again') };
    assert.equal((await at.broker.call('apply-diff', args)).isError, false);
    assert.deepEqual(await at.vim.lines(buffer), ['again']);
  });
});

describe('a file that Vim read before it was connected', () => {
  const at = stage();

  it('is written after a change of its permissions, and not after another of its text', async () => {
    const broker = at.own(await Broker.start(at.home, ['--auto-allow', '*,save']));
    const path = join(at.home.path, 'early.txt');
    await writeFile(path, 'one\n');
    await utimes(path, 1_000_000_000, 1_000_000_000);
    const vim = at.own(await Vim.start(at.home, { files: [path] }));
    await broker.join(vim, 'Mcp ed');
    const buffer = await vim.eval<number>('bufnr()');
    const save = async (): Promise<Result> =>
      await broker.call('save', { buffer, expected_changedtick: await vim.tick(buffer) });
    await chmod(path, 0o600);
    vim.type(':checktime\r');
    await vim.until('mode()', 'r');
    vim.type('o');
    await vim.until('[mode(1), state()]', ['n', '']);
    await vim.eval("setline(1, 'two')");
    const saved = await save();
    assert.equal(saved.value['written'], true, saved.text);
    await vim.eval("setline(1, 'three')");
    await writeFile(path, 'somebody else\n');
    assert.match((await save()).text, /changed on disk/);
  });
});
