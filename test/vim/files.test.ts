import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Vim } from '../kit/vim.js';
import { change, type Result } from './broker.js';
import { pair } from './fixture.js';

describe('open', () => {
  const at = pair({ vimrc: 'set modeline\n' });

  it('loads a file without showing it, and again as the same buffer', async () => {
    const path = join(at.home.path, 'we ird %#|*.txt');
    await writeFile(path, 'one\ntwo\n');
    const before = await at.vim.buffer(['x']);
    const alternate = await at.vim.eval("bufnr('#')");
    const opened = await at.broker.call('open', { path });
    assert.equal(opened.isError, false, opened.text);
    const { buffer, ...facts } = opened.value;
    assert.deepEqual(
      { ...facts, changedtick: 0 },
      { target: 'ed', filename: path, changedtick: 0, line_count: 2, modified: false },
    );
    assert.deepEqual([await at.vim.eval("[bufnr(), bufnr('#'), winnr('$')]")], [[before, alternate, 1]]);
    await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: facts['changedtick'],
      diff: change(1, 'one', 'unsaved'),
    });
    const again = await at.broker.call('open', { path: 'we ird %#|*.txt' });
    assert.deepEqual([again.value['buffer'], again.value['modified']], [buffer, true]);
    assert.equal(await at.vim.eval(`buflisted(${String(buffer)})`), 1);
  });

  it('makes an empty buffer for a file that is not there', async () => {
    const { value } = await at.broker.call('open', { path: 'new.txt' });
    assert.deepEqual([value['line_count'], value['filename']], [1, join(at.home.path, 'new.txt')]);
  });

  it('takes a leading ~/ for the home directory, and no other ~', async () => {
    await mkdir(join(at.home.path, 'work/~'), { recursive: true });
    await writeFile(join(at.home.path, 'tilde.txt'), 'home\n');
    await writeFile(join(at.home.path, 'work/~/tilde.txt'), 'folder\n');
    await at.vim.ex('cd work');
    for (const [path, file, text] of [
      ['~/tilde.txt', 'tilde.txt', 'home'],
      ['./~/tilde.txt', 'work/~/tilde.txt', 'folder'],
      ['~root/$HOME', 'work/~root/$HOME', ''],
    ] as const) {
      const { value } = await at.broker.call('open', { path });
      const { buffer } = value;
      const real = join(at.home.path, file);
      const state = await at.broker.call('state', { buffer });
      assert.deepEqual(
        [value['filename'], (state.value['buffers'] as Result['value'][])[0]?.['filename']],
        [real, real],
      );
      assert.deepEqual(await at.vim.lines(buffer as number), [text]);
    }
    await at.vim.ex('edit \\~/tilde.txt');
    const own = await at.broker.call('read-lines', { buffer: await at.vim.eval('bufnr()') });
    assert.deepEqual([own.value['text'], own.value['filename']], ['folder\n', join(at.home.path, 'work/~/tilde.txt')]);
    await at.vim.ex('cd ..');
  });

  for (const how of ['open', 'read-lines'] as const) {
    it(`does not obey modelines in ${how}`, async () => {
      const path = join(at.home.path, `modeline-${how}.txt`);
      await writeFile(path, `text\n# vim: set tw=37 fdm=expr fde=execute('let\\ g:taken=1'):\n`);
      await at.vim.ex(`badd ${path} | set modelineexpr`);
      const listed = await at.vim.eval<number>(`bufnr('${path}')`);
      const { value } = await at.broker.call(how, how === 'open' ? { path } : { buffer: listed });
      const buffer = String(value['buffer']);
      assert.deepEqual(
        await at.vim.eval(`['tw', 'fdm', 'fde', 'modeline']->map({_, name -> getbufvar(${buffer}, '&' .. name)})`),
        [0, 'manual', '0', 1],
      );
      await at.vim.ex(`sbuffer ${buffer} | redraw | quit`);
      assert.equal(await at.vim.eval("exists('g:taken')"), 0);
    });
  }

  it('tells who else edits the file', async () => {
    const path = join(at.home.path, 'shared.txt');
    await writeFile(path, 'one\n');
    const other = await Vim.start(at.home, { files: [path] });
    await other.ex("call setline(1, 'theirs') | preserve");
    const opened = await at.broker.call('open', { path });
    const swap = opened.value['swap'] as Record<string, unknown>;
    assert.equal(swap?.['pid'], other.pid, opened.text);
    assert.equal((await at.broker.call('read-lines', { buffer: opened.value['buffer'] })).value['text'], 'one\n');
    await at.vim.until('mode(1)', 'n');
    await other.close();
  });

  it('refuses what would freeze Vim or open a browser of files', async () => {
    const fifo = join(at.home.path, 'fifo');
    execFileSync('mkfifo', [fifo]);
    await symlink(fifo, join(at.home.path, 'link'));
    for (const path of [
      fifo,
      'link',
      at.home.path,
      'missing/',
      'http://127.0.0.1/x',
      'scp://host/x',
      'file:///etc/passwd',
      '/dev/null',
    ]) {
      const result = await at.broker.call('open', { path });
      assert.equal(result.isError, true, path);
      assert.match(result.text, /not a regular file|directory|remote/);
    }
    assert.match((await at.broker.call('open', { path: 'a\0b' })).text, /NUL/);
    await writeFile(join(at.home.path, 'secret.txt'), 'VimCrypt~03!something');
    assert.match((await at.broker.call('open', { path: 'secret.txt' })).text, /encrypted/);
  });
});

describe('save', () => {
  const at = pair();

  /** A file open in Vim with a change that is not saved. */
  async function changed(name: string): Promise<{ path: string; buffer: number }> {
    const path = join(at.home.path, name);
    await writeFile(path, 'one\n');
    const { value } = await at.broker.call('open', { path });
    const buffer = value['buffer'] as number;
    await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: value['changedtick'],
      diff: change(1, 'one', 'two'),
    });
    at.broker.questions.length = 0;
    return { path, buffer };
  }

  async function save(buffer: number): Promise<Result> {
    return await at.broker.call('save', { buffer, expected_changedtick: await at.vim.tick(buffer) });
  }

  it('writes a modified buffer to its file', async () => {
    const { path, buffer } = await changed('plain.txt');
    const saved = await save(buffer);
    assert.equal(saved.isError, false, saved.text);
    assert.equal(await readFile(path, 'utf8'), 'two\n');
    assert.deepEqual(
      [saved.value['modified'], saved.value['changedtick'], saved.value['filename']],
      [false, await at.vim.tick(buffer), path],
    );
    assert.equal(at.broker.questions.length, 1);
  });

  it('writes nothing where nothing changed', async () => {
    const { path, buffer } = await changed('same.txt');
    await save(buffer);
    await utimes(path, 1, 1);
    assert.equal((await save(buffer)).value['modified'], false);
  });

  for (const shown of [false, true]) {
    it(`refuses a file that was changed on disk, ${shown ? 'shown' : 'hidden'}, again and again`, async () => {
      const { path, buffer } = await changed(`disk${String(shown)}.txt`);
      if (shown) await at.vim.ex(`buffer ${buffer}`);
      await writeFile(path, 'somebody else\n');
      for (const _ of [1, 2]) {
        const refused = await save(buffer);
        assert.equal(refused.isError, true);
        assert.match(refused.text, /changed on disk.*Ask the person.*:edit!.*:write!/s);
        assert.doesNotMatch(refused.text, /repeat the call/);
      }
      assert.equal(await readFile(path, 'utf8'), 'somebody else\n');
      assert.equal(await at.vim.eval('mode(1)'), 'n');
      await at.vim.ex(`enew! | buffer ${buffer} | edit!`);
      assert.deepEqual(await at.vim.lines(buffer), ['somebody else']);
      at.vim.type('ix\x1b');
      await at.vim.until('getline(1)', 'xsomebody else');
      const saved = await save(buffer);
      assert.equal(saved.isError, false, saved.text);
    });
  }

  it('tells why Vim will not write', async () => {
    const { buffer } = await changed('readonly.txt');
    await at.vim.eval(`setbufvar(${buffer}, '&readonly', 1)`);
    assert.match((await save(buffer)).text, /E45/);
    const unnamed = await at.vim.buffer(['x']);
    await at.vim.eval("setline(1, 'y')");
    assert.match((await save(unnamed)).text, /E32/);
    const { value } = await at.broker.call('open', { path: 'no/such/folder.txt' });
    const orphan = value['buffer'] as number;
    await at.vim.eval(`setbufline(${orphan}, 1, 'text')`);
    assert.match((await save(orphan)).text, /E212/);
    await at.vim.until('mode(1)', 'n');
  });

  it("asks nothing with 'confirm' set", async () => {
    const { buffer } = await changed('confirm.txt');
    await at.vim.ex('set confirm');
    await at.vim.eval(`setbufvar(${buffer}, '&readonly', 1)`);
    assert.match((await save(buffer)).text, /E45/);
    assert.deepEqual(await at.vim.eval('[mode(1), &confirm]'), ['n', 1]);
    await at.vim.ex('set noconfirm');
  });

  it('writes to, and tells of, a file in a folder named ~', async () => {
    await mkdir(join(at.home.path, 'work/~'), { recursive: true });
    await writeFile(join(at.home.path, 'both.txt'), 'home\n');
    await at.vim.ex('cd work');
    const { path, buffer } = await changed('work/~/both.txt');
    const saved = await save(buffer);
    assert.deepEqual([saved.value['filename'], await readFile(path, 'utf8')], [path, 'two\n'], saved.text);
    assert.ok(at.broker.questions[0]?.includes(path), at.broker.questions[0]);
    await writeFile(path, 'somebody else\n');
    await at.vim.eval(`setbufline(${buffer}, 1, 'three')`);
    const refused = await save(buffer);
    assert.ok(refused.text.includes(`${path} was changed on disk`), refused.text);
    await at.vim.ex('cd ..');
  });

  for (const where of ['shown', 'hidden', 'current'] as const) {
    it(`leaves '[ and '] of a ${where} buffer alone`, async () => {
      const path = join(at.home.path, `marks-${where}.txt`);
      await writeFile(path, '1\n2\n3\n4\n5\n');
      await at.vim.ex('only!');
      await at.vim.ex(`edit! ${path}`);
      const buffer = await at.vim.eval<number>('bufnr()');
      await at.vim.ex('normal! 2Gx3Gyj');
      if (where === 'shown') await at.vim.ex('new');
      if (where === 'hidden') await at.vim.ex('enew');
      const saved = await save(buffer);
      assert.deepEqual([saved.isError, saved.value['modified']], [false, false], saved.text);
      assert.equal(await readFile(path, 'utf8'), '1\n\n3\n4\n5\n');
      if (where === 'shown') await at.vim.ex('quit');
      if (where === 'hidden') await at.vim.ex(`buffer ${buffer}`);
      assert.deepEqual(await at.vim.eval(`[line("'["), line("']")]`), [3, 4]);
    });
  }

  it('runs autocommands of the person', async () => {
    await at.vim.ex("autocmd BufWritePre *.fmt call setline(1, 'formatted')");
    const { path, buffer } = await changed('auto.fmt');
    const saved = await save(buffer);
    assert.equal(saved.isError, false, saved.text);
    assert.equal(await readFile(path, 'utf8'), 'formatted\n');
  });
});
