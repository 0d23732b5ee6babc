import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ALLOW, change, type Result } from './broker.js';
import { pair } from './fixture.js';

const INSERT = '@@ -0,0 +1,1 @@\n+new\n';

describe('a guard before a change', () => {
  const at = pair();

  async function call(name: string, buffer: number, more: Record<string, unknown> = {}): Promise<Result> {
    return await at.broker.call(name, { buffer, expected_changedtick: await at.vim.tick(buffer), ...more });
  }

  for (const name of ['apply-diff', 'undo', 'redo', 'save'] as const) {
    it(`refuses ${name} at a stale tick before anybody is asked, with the new tick`, async () => {
      const buffer = await at.vim.buffer(['one']);
      const more = name === 'apply-diff' ? { diff: change(1, 'one', 'two') } : {};
      const now = await at.vim.tick(buffer);
      const refused = await at.broker.call(name, { buffer, expected_changedtick: now - 1, ...more });
      assert.match(refused.text, new RegExp(`^buffer ${buffer} .*it is now at ${now}\\. Read the buffer again`));
      assert.deepEqual([at.broker.questions, await at.vim.tick(buffer)], [[], now]);
    });
  }

  for (const name of ['undo', 'redo', 'save'] as const) {
    it(`looks at the tick again when ${name} is allowed`, async () => {
      const buffer = await at.vim.buffer(['one']);
      at.broker.answer = async () => {
        await at.vim.eval(`setbufline(${buffer}, 1, 'meanwhile')`);
        return ALLOW;
      };
      assert.match((await call(name, buffer)).text, /changed since tick/);
      assert.deepEqual(await at.vim.lines(buffer), ['meanwhile']);
    });
  }

  it('knows a buffer that was wiped while the person was asked from one that came after', async () => {
    const buffer = await at.vim.buffer(['one']);
    let next = 0;
    at.broker.answer = async () => {
      await at.vim.ex('bwipeout!');
      next = await at.vim.buffer(['one']);
      return ALLOW;
    };
    const refused = await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
    assert.match(refused.text, new RegExp(`there is no buffer ${buffer}`));
    assert.deepEqual(await at.vim.lines(next), ['one']);
  });

  for (const [what, make, where, says] of [
    ['a terminal', 'terminal ++curwin cat', 'bufnr()', /is a terminal/],
    ['a prompt', 'new | setlocal buftype=prompt', 'bufnr()', /is the prompt of a program/],
    [
      'a list of errors',
      "call setqflist([#{text: 'x'}]) | copen | setlocal modifiable",
      'bufnr()',
      /is a list of errors/,
    ],
    ['a popup', "let g:popup = popup_create(['x'], {})", 'winbufnr(g:popup)', /is a popup/],
    ['a help text', 'help', 'bufnr()', /'modifiable' off/],
    ['a buffer that is not modifiable', 'new | setlocal nomodifiable', 'bufnr()', /'modifiable' off/],
  ] as const) {
    it(`edits no ${what.slice(2)}`, async () => {
      await at.vim.buffer(['one']);
      await at.vim.ex(make);
      const buffer = await at.vim.eval<number>(where);
      const before = await at.vim.lines(buffer);
      for (const [name, more] of [
        ['apply-diff', { diff: INSERT }],
        ['undo', {}],
        ['redo', {}],
      ] as const) {
        const refused = await call(name, buffer, more);
        assert.match(refused.text, says);
        assert.match(refused.text, /"error":"unsupported"/);
      }
      assert.deepEqual(await at.vim.lines(buffer), before);
      await at.vim.ex(`call popup_clear() | bwipeout! ${buffer} | only!`);
    });
  }

  for (const buftype of ['nofile', 'nowrite', 'acwrite'] as const) {
    it(`edits a buffer whose 'buftype' is ${buftype}`, async () => {
      const buffer = await at.vim.buffer(['one']);
      await at.vim.ex(`setlocal buftype=${buftype}`);
      const result = await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
      assert.deepEqual([result.isError, await at.vim.lines(buffer)], [false, ['two']], result.text);
      assert.equal((await call('undo', buffer)).value['changed'], true);
    });
  }

  it('edits a buffer that is readonly without a warning or an event, and does not save it', async () => {
    const buffer = await at.vim.buffer(['one']);
    await at.vim.ex('file locked.txt | setlocal readonly | messages clear');
    await at.vim.ex("autocmd FileChangedRO * let g:asked = 1 | call setline(1, 'checked out')");
    const result = await call('apply-diff', buffer, { diff: change(1, 'one', 'two') });
    assert.deepEqual([result.isError, await at.vim.lines(buffer)], [false, ['two']], result.text);
    assert.deepEqual(await at.vim.eval("[exists('g:asked'), execute('messages')]"), [0, '']);
    assert.match((await call('save', buffer)).text, /E45/);
    await at.vim.ex('autocmd! FileChangedRO');
  });

  it('keeps the line endings of a file, whose lines are matched without them', async () => {
    const path = join(at.home.path, 'dos.txt');
    await writeFile(path, 'one\r\ntwo\r\n');
    const { value } = await at.broker.call('open', { path });
    const buffer = value['buffer'] as number;
    assert.equal((await at.broker.call('read-lines', { buffer })).value['text'], 'one\ntwo\n');
    const result = await call('apply-diff', buffer, { diff: '@@ -1,2 +1,3 @@\n one\n+half\n-two\n+2\n' });
    assert.equal(result.isError, false, result.text);
    await call('save', buffer);
    assert.equal(await readFile(path, 'utf8'), 'one\r\nhalf\r\n2\r\n');
  });

  it('lets one of several changes of the same text through', async () => {
    const buffer = await at.vim.buffer(['one']);
    const tick = await at.vim.tick(buffer);
    const results = await Promise.all(
      ['a', 'b', 'c'].map((text) =>
        at.broker.call('apply-diff', { buffer, expected_changedtick: tick, diff: change(1, 'one', text) }),
      ),
    );
    assert.equal(results.filter(({ isError }) => !isError).length, 1);
    for (const { isError, text } of results) if (isError) assert.match(text, /changed since tick/);
    assert.notDeepEqual(await at.vim.lines(buffer), ['one']);
  });
});
