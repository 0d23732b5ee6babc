import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { change, type Result, refusal } from './broker.js';
import { pair } from './fixture.js';

/** Plugins as people have them. */
const AUTOSAVE = 'autocmd plug TextChanged,TextChangedI,InsertLeave *.txt silent! update';
const FORMATTER = 'autocmd plug BufWritePre *.txt silent! keeppatterns %s/\\s\\+$//e';
const GROWING = "autocmd plug BufWritePre *.txt call append('$', 'written')";
const TIDY = 'autocmd plug TextChanged *.txt silent! keeppatterns %s/;;/;/ge';
const STAMP = "autocmd plug BufWritePost *.txt call setline(1, 'stamped')";
const SPLITTER = 'autocmd plug BufWritePre *.txt new | quit';
const WIPER = "autocmd plug BufWritePost *.txt execute 'bwipeout!' expand('<abuf>')";
const RELOADER = "autocmd plug BufReadPost *.txt call setline(1, 'loaded')";
const FAILING = "autocmd plug BufWritePre *.txt throw 'the formatter is missing'";

describe('with autocommands of the person', () => {
  const at = pair({ args: ['--auto-allow', '*,open,save'], vimrc: 'augroup plug | augroup END\n' });

  async function call(name: string, buffer: number, more: Record<string, unknown> = {}): Promise<Result> {
    return await at.broker.call(name, { buffer, expected_changedtick: await at.vim.tick(buffer), ...more });
  }

  let count = 0;
  /** A file in a buffer, shown or not, and the autocommands that are there from then on. */
  async function file(text: string, shown: boolean, ...autocommands: readonly string[]): Promise<[number, string]> {
    count += 1;
    const path = join(at.home.path, `file-${count}.txt`);
    await writeFile(path, text);
    await at.vim.ex('autocmd! plug');
    await at.vim.ex('silent! only! | enew!');
    const { value } = await at.broker.call('open', { path });
    const buffer = value['buffer'] as number;
    if (shown) await at.vim.ex(`buffer ${buffer}`);
    for (const line of autocommands) await at.vim.ex(line);
    return [buffer, path];
  }

  it('an edit is answered with what it left, and a later autosave is seen by its tick', async () => {
    const [buffer, path] = await file('one\n', true, AUTOSAVE);
    const edited = await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
    assert.deepEqual([edited.value['modified'], edited.value['changedtick']], [true, await at.vim.tick(buffer)]);
    // Vim tells the plugin at the next key.
    at.vim.type('l');
    await at.vim.until('&modified', 0);
    assert.equal(await readFile(path, 'utf8'), 'two\n');
    const args = { buffer, expected_changedtick: edited.value['changedtick'], diff: change(1, 'two', 'three') };
    const now = await at.vim.tick(buffer);
    assert.match((await at.broker.call('apply-diff', args)).text, new RegExp(`now at ${now}`));
    assert.equal((await call('apply-diff', buffer, { diff: change(1, 'two', 'three') })).isError, false);
  });

  for (const [what, autocommands, who] of [
    ['that is not nested', [AUTOSAVE], /^editor \(an autocommand\)$/],
    [
      'that is nested',
      [AUTOSAVE.replace('*.txt', '*.txt ++nested')],
      /^editor \(TextChanged Autocommands for "\*\.txt"\)$/,
    ],
    ['in a function', ['autocmd plug TextChanged *.txt ++nested call Autosave()'], /^editor \(function Autosave\)$/],
    ['of the person', [], /^person$/],
  ] as const) {
    it(`a refusal, a save and a watch tell of a write ${what}`, async () => {
      await at.vim.ex("call execute(['function! Autosave()', 'silent update', 'endfunction'])");
      const [buffer] = await file('one\n', true, ...autocommands);
      const { next } = (await at.broker.call('watch', { buffer, timeout_ms: 0 })).value;
      const edited = await call('edit', buffer, { operations: [{ kind: 'replace', old: 'one', new: 'two' }] });
      at.vim.type(autocommands.length > 0 ? 'l' : ':w\r');
      await at.vim.until('&modified', 0);
      const { changedtick: seen } = edited.value;
      const late = await at.broker.call('undo', { buffer, expected_changedtick: seen });
      const { changed_by: changers, saved_by: savers, diff } = refusal(late);
      assert.deepEqual([changers, diff], [[], ''], late.text);
      assert.match((savers as string[]).join('\n'), who);
      assert.match((await call('save', buffer)).value['saved_by'] as string, who);
      const { events } = (await at.broker.call('watch', { buffer, after: next, timeout_ms: 0 })).value;
      const writers = (events as { event: string; who: string }[]).filter(({ event }) => event === 'written');
      assert.equal(writers.length, 1);
      assert.match(writers[0]?.who ?? '', who);
    });
  }

  it('a save of its own is nobody else’s', async () => {
    const [buffer] = await file('one\n', true, AUTOSAVE);
    await at.broker.call('watch', { buffer, timeout_ms: 0 });
    await call('edit', buffer, { operations: [{ kind: 'replace', old: 'one', new: 'two' }] });
    const saved = await call('save', buffer);
    assert.deepEqual([saved.value['written'], saved.value['saved_by']], [true, undefined], saved.text);
    assert.equal((await call('save', buffer)).value['saved_by'], 'you');
  });

  it('an autosave in Insert mode takes neither the text nor the place of the person', async () => {
    const [buffer, path] = await file('one\ntwo\n', true, AUTOSAVE);
    at.vim.type('jAx');
    await at.vim.until('getline(2)', 'twox');
    const edited = await call('apply-diff', buffer, { diff: '@@ -1,1 +1,2 @@\n+zero\n one\n' });
    assert.equal(edited.isError, false, edited.text);
    at.vim.type('y\x1b');
    await at.vim.until("[mode(1), getline(1, '$'), &modified]", ['n', ['zero', 'one', 'twoxy'], 0]);
    assert.equal(await readFile(path, 'utf8'), 'zero\none\ntwoxy\n');
  });

  it('a plugin that tidies text as it changes is seen by the tick too', async () => {
    const [buffer] = await file('one\n', true, TIDY);
    const edited = await call('apply-diff', buffer, { diff: change(1, 'one', 'two;;') });
    at.vim.type('l');
    await at.vim.until('getline(1)', 'two;');
    const args = { buffer, expected_changedtick: edited.value['changedtick'], diff: change(1, 'two;;', 'x') };
    assert.match((await at.broker.call('apply-diff', args)).text, /changed since tick/);
  });

  for (const shown of [true, false]) {
    const where = shown ? 'current' : 'hidden';

    it(`a save of a ${where} buffer tells that a formatter changed it`, async () => {
      const [buffer, path] = await file('one\n', shown, FORMATTER);
      await call('apply-diff', buffer, { diff: change(1, 'one', 'two   ') });
      const saved = await call('save', buffer);
      assert.deepEqual([saved.value['written'], saved.value['changed'], saved.value['modified']], [true, true, false]);
      assert.equal(saved.value['changedtick'], await at.vim.tick(buffer));
      assert.deepEqual([await readFile(path, 'utf8'), await at.vim.lines(buffer)], ['two\n', ['two']]);
      await call('apply-diff', buffer, { diff: change(1, 'two', 'tidy') });
      const tidy = await call('save', buffer);
      assert.deepEqual([tidy.value['written'], tidy.value['changed']], [true, undefined], tidy.text);
      const nothing = await call('save', buffer);
      assert.deepEqual([nothing.value['written'], nothing.value['changed']], [undefined, undefined], nothing.text);
    });

    it(`a save of a ${where} buffer tells of lines that were added, and of a change after the write`, async () => {
      const [buffer, path] = await file('one\n', shown, GROWING, STAMP);
      await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
      const { value } = await call('save', buffer);
      // What BufWritePost changes Vim does not count as modified.
      assert.deepEqual([value['changed'], value['modified'], value['line_count']], [true, false, 2]);
      assert.deepEqual(
        [await readFile(path, 'utf8'), await at.vim.lines(buffer)],
        ['two\nwritten\n', ['stamped', 'written']],
      );
    });

    it(`a save of a ${where} buffer that is wiped on the way is an error, and Vim goes on`, async () => {
      const [buffer, path] = await file('one\n', shown, WIPER);
      await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
      const saved = await call('save', buffer);
      assert.equal(saved.isError, true);
      assert.match(saved.text, /went away while it was written|E\d+/);
      assert.equal(await readFile(path, 'utf8'), 'two\n');
      await at.vim.until('[mode(1), state()]', ['n', '']);
    });

    it(`a save of a ${where} buffer whose autocommand fails says so and leaves everything set`, async () => {
      const [buffer] = await file('one\n', shown, FAILING);
      await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
      await at.vim.ex('set confirm');
      assert.match((await call('save', buffer)).text, /the formatter is missing/);
      assert.deepEqual(await at.vim.eval("[&confirm, popup_list(), winnr('$'), mode(1)]"), [1, [], 1, 'n']);
      await at.vim.ex('set noconfirm');
    });
  }

  it('a save whose autocommand opens a window works where the buffer has one', async () => {
    const [buffer, path] = await file('one\n', true, SPLITTER);
    await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
    const saved = await call('save', buffer);
    assert.equal(saved.isError, false, saved.text);
    assert.deepEqual([await readFile(path, 'utf8'), await at.vim.eval("winnr('$')")], ['two\n', 1]);
    const [hidden] = await file('one\n', false, SPLITTER);
    await call('apply-diff', hidden, { diff: change(1, 'one', 'two') });
    assert.match((await call('save', hidden)).text, /E994/);
    assert.deepEqual(await at.vim.eval("[winnr('$'), popup_list()]"), [1, []]);
  });

  it('an open tells what they made of the text', async () => {
    await at.vim.ex('autocmd! plug');
    await at.vim.ex(RELOADER);
    const path = join(at.home.path, 'loaded.txt');
    await writeFile(path, 'one\n');
    const { value } = await at.broker.call('open', { path });
    assert.deepEqual(await at.vim.lines(value['buffer'] as number), ['loaded']);
    assert.equal(value['changedtick'], await at.vim.tick(value['buffer'] as number));
    await at.vim.ex('autocmd! plug');
  });

  it('the name and the text of the file are read anew after a write that renames it', async () => {
    const [buffer, path] = await file('one\n', true, 'autocmd plug BufWritePost *.txt file renamed.txt');
    await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
    const { value } = await call('save', buffer);
    assert.equal(value['filename'], join(at.home.path, 'renamed.txt'));
    assert.equal(await readFile(path, 'utf8'), 'two\n');
  });
});
