import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { change, type Result } from './broker.js';
import { pair } from './fixture.js';

describe('an edit while the person types', () => {
  const at = pair();

  async function edit(buffer: number, diff: string): Promise<Result> {
    return await at.broker.call('apply-diff', { buffer, expected_changedtick: await at.vim.tick(buffer), diff });
  }

  it('stands between two undo steps of Insert mode', async () => {
    const buffer = await at.vim.buffer(['top', 'text', 'end']);
    at.vim.type('jAone ');
    await at.vim.until('getline(2)', 'textone ');
    const result = await edit(buffer, change(1, 'top', 'TOP'));
    assert.equal(result.isError, false, result.text);
    at.vim.type('two');
    await at.vim.until("getline(1, '$')", ['TOP', 'textone two', 'end']);
    assert.deepEqual(await at.vim.eval("[mode(), line('.'), col('.')]"), ['i', 2, 12]);
    at.vim.type('\x1bu');
    await at.vim.until("getline(1, '$')", ['TOP', 'textone ', 'end']);
    at.vim.type('u');
    await at.vim.until("getline(1, '$')", ['top', 'textone ', 'end']);
    at.vim.type('u');
    await at.vim.until("getline(1, '$')", ['top', 'text', 'end']);
    at.vim.type('\x12\x12\x12');
    await at.vim.until("getline(1, '$')", ['TOP', 'textone two', 'end']);
  });

  it('leaves the one line of an empty text to who types in it, where the diff keeps it', async () => {
    const buffer = await at.vim.buffer(['']);
    at.vim.type('i');
    await at.vim.until('mode()', 'i');
    const result = await edit(buffer, '@@ -1,1 +1,2 @@\n+top\n \n');
    assert.equal(result.isError, false, result.text);
    at.vim.type('own\x1b');
    await at.vim.until("getline(1, '$')", ['top', 'own']);
  });

  it('moves the cursor of Insert mode with its line', async () => {
    const buffer = await at.vim.buffer(['top', 'text']);
    at.vim.type('jA+');
    await at.vim.until('getline(2)', 'text+');
    await edit(buffer, '@@ -1,1 +1,3 @@\n+a\n+b\n top\n');
    at.vim.type('!\x1b');
    await at.vim.until("getline(1, '$')", ['a', 'b', 'top', 'text+!']);
  });

  for (const [what, before, after, typed] of [
    ['longer text before it', 'teh cat| dog', 'theee cat dog', 'theee cat! dog'],
    ['shorter text before it', 'née 🙂 teh cat| dog', 'née 🙂 t cat dog', 'née 🙂 t cat! dog'],
    ['text on both sides of it', 'teh cat| sleeps ohn', 'the fat cat sleeps on it', 'the fat cat! sleeps on it'],
    ['text put in at it', 'teh cat| dog', 'teh catX dog', 'teh cat!X dog'],
    ['other text in its place', 'one two| three', 'one ZWEI three', 'one ZWEI! three'],
    ['text of other width', 'e\u0301 naive| x', 'e\u0301 naïve x', 'e\u0301 naïve! x'],
    ['text at the end', 'teh cat|', 'the cat', 'the cat!'],
    [
      'a change too long to be looked through',
      `${'a'.repeat(200)}| x`,
      `${'b'.repeat(200)} x`,
      `${'b'.repeat(200)}! x`,
    ],
  ] as const)
    it(`lets the person go on where they were in their line: ${what}`, async () => {
      await at.vim.until('mode()', 'n');
      const [left = '', right = ''] = before.split('|');
      const buffer = await at.vim.buffer([left + right]);
      await at.vim.ex('split');
      await at.vim.eval(`win_execute(win_getid(2), "call cursor(1, ${Buffer.byteLength(left)})")`);
      await at.vim.eval(`cursor(1, ${Buffer.byteLength(left) + 1})`);
      await at.vim.typed(right === '' ? 'A' : 'i');
      const result = await edit(buffer, change(1, left + right, after));
      assert.equal(result.isError, false, result.text);
      const seen = await at.vim.eval<[number, number]>('[col("."), getcurpos(win_getid(2))[2]]');
      await at.vim.typed('!');
      assert.deepEqual(await at.vim.lines(buffer), [typed]);
      const caret = Buffer.byteLength(typed.slice(0, typed.indexOf('!')));
      assert.equal(seen[0], caret + 1);
      assert.ok(seen[1] <= caret + 1, 'the cursor of the other window goes along');
      await at.vim.typed('\x1b');
      at.vim.type('u');
      await at.vim.until(`getbufline(${buffer}, 1)`, [after]);
      await at.vim.ex('only');
    });

  it('keeps a cursor of Normal mode on its character, and at the end of the line', async () => {
    const buffer = await at.vim.buffer(['teh cat dog', 'a long line of text']);
    await at.vim.ex('normal! 1G9|');
    await edit(buffer, change(1, 'teh cat dog', 'theee cat dog'));
    assert.deepEqual(await at.vim.eval('getcurpos()'), [0, 1, 11, 0, 11]);
    await at.vim.ex('normal! $');
    await edit(buffer, change(1, 'theee cat dog', 'the cat dog'));
    await at.vim.ex('normal! j');
    assert.equal(await at.vim.eval('col(".")'), 'a long line of text'.length);
  });

  it('waits where it takes away the line that is typed in, and changes that line at once', async () => {
    const buffer = await at.vim.buffer(['top', 'text', 'end']);
    at.vim.type('jA+');
    await at.vim.until('getline(2)', 'text+');
    const changed = await edit(buffer, change(2, 'text+', 'TEXT+'));
    assert.equal(changed.isError, false, changed.text);
    const pending = edit(buffer, '@@ -1,2 +1,1 @@\n-top\n-TEXT+\n+one\n');
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    assert.deepEqual(await at.vim.lines(buffer), ['top', 'TEXT+', 'end']);
    at.vim.type('\x1b');
    const result = await pending;
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.lines(buffer), ['one', 'end']);
  });

  it('may be a save, which leaves the typing as it is', async () => {
    const path = join(at.home.path, 'typing.txt');
    await writeFile(path, 'x\n');
    await at.vim.ex(`edit! ${path}`);
    const buffer = await at.vim.eval<number>('bufnr()');
    at.vim.type('Aone');
    await at.vim.until('getline(1)', 'xone');
    const saved = await at.broker.call('save', { buffer, expected_changedtick: await at.vim.tick(buffer) });
    assert.equal(saved.value['written'], true, saved.text);
    at.vim.type('two\x1b');
    await at.vim.until('[mode(1), getline(1)]', ['n', 'xonetwo']);
    assert.equal(await readFile(path, 'utf8'), 'xone\n');
    at.vim.type('u');
    await at.vim.until('getline(1)', 'xone');
    at.vim.type('u');
    await at.vim.until('getline(1)', 'x');
  });

  for (const [what, begin, mode, finish, after] of [
    ['Visual mode', 'Vj', 'V', 'd', ['3', '4', 'new']],
    ['a pending operator', 'd', 'no', 'd', ['2', '3', '4', 'new']],
    ['a pending count and register', '"a2', 'n', 'dd', ['3', '4', 'new']],
    ['a half-typed character search', 'f', 'n', 'x', ['1', '2', '3', '4', 'new']],
  ] as const) {
    it(`waits for the end of ${what}`, async () => {
      const buffer = await at.vim.buffer(['1', '2', '3', '4', '5']);
      const tick = await at.vim.tick(buffer);
      at.vim.type(begin);
      await at.vim.until('mode(1)', mode);
      await eventually('keys are read', () =>
        at.vim.eval<string>('state()').then((state) => mode !== 'n' || state.includes('o') || state.includes('S')),
      );
      const pending = at.broker.call('apply-diff', { buffer, expected_changedtick: tick, diff: change(5, '5', 'new') });
      await at.vim.until("exists('#mcp_gate#SafeState')", 1);
      assert.deepEqual(await at.vim.lines(buffer), ['1', '2', '3', '4', '5']);
      at.vim.type(finish);
      const result = await pending;
      // What the person did changed the text, unless it was only a motion.
      const changed = after.length < 5;
      assert.equal(result.isError, changed, result.text);
      await at.vim.until("getline(1, '$')", changed ? after.map((line) => (line === 'new' ? '5' : line)) : after);
    });
  }

  it('waits for the end of Visual mode and is then made', async () => {
    const buffer = await at.vim.buffer(['1', '2', '3']);
    at.vim.type('Vj');
    await at.vim.until('mode(1)', 'V');
    const pending = edit(buffer, change(3, '3', 'new'));
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    at.vim.type('\x1b');
    const result = await pending;
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.lines(buffer), ['1', '2', 'new']);
    at.vim.type('u');
    await at.vim.until("getline(1, '$')", ['1', '2', '3']);
  });

  it('waits for a command line, whose text stays', async () => {
    const buffer = await at.vim.buffer(['1', '2', '3']);
    at.vim.type(':let g:said = 1');
    await at.vim.until('getcmdline()', 'let g:said = 1');
    const pending = edit(buffer, change(3, '3', 'new'));
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    await at.vim.until('getcmdline()', 'let g:said = 1');
    at.vim.type('\r');
    const result = await pending;
    assert.equal(result.isError, false, result.text);
    assert.deepEqual([await at.vim.eval('g:said'), await at.vim.lines(buffer)], [1, ['1', '2', 'new']]);
  });

  it('waits for a prompt, which stays on the screen', async () => {
    const buffer = await at.vim.buffer(['1', '2', '3']);
    at.vim.type(':echo "a\\nb\\nc"\r');
    await eventually('the prompt', () => at.vim.screen().some((row) => row.startsWith('Press ENTER')));
    const before = at.vim.screen();
    const pending = edit(buffer, change(3, '3', 'new'));
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    assert.deepEqual(at.vim.screen(), before);
    at.vim.type('\r');
    const result = await pending;
    assert.equal(result.isError, false, result.text);
    await eventually('it is shown', () => at.vim.screen()[2] === 'new');
  });

  it('goes on in a buffer that is not the current one', async () => {
    const other = await at.vim.buffer(['other']);
    const current = await at.vim.buffer(['1', '2']);
    at.vim.type('Vj');
    await at.vim.until('mode(1)', 'V');
    const result = await edit(other, change(1, 'other', 'changed'));
    assert.equal(result.isError, false, result.text);
    at.vim.type('d');
    await at.vim.until(`getbufline(${current}, 1, '$')`, ['']);
    assert.deepEqual(await at.vim.lines(other), ['changed']);
  });

  it('waits while Vim lets no text change at all', async () => {
    const other = await at.vim.buffer(['other']);
    await at.vim.buffer(['1', '2']);
    await at.vim.ex("nnoremap <expr> Q [execute('let g:waiting = 1'), getcharstr()][1]");
    at.vim.type('Q');
    await at.vim.until("exists('g:waiting')", 1);
    const pending = edit(other, change(1, 'other', 'changed'));
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    assert.deepEqual(await at.vim.lines(other), ['other']);
    at.vim.type('j');
    const result = await pending;
    assert.equal(result.isError, false, result.text);
    assert.deepEqual([await at.vim.lines(other), await at.vim.eval("line('.')")], [['changed'], 2]);
    await at.vim.ex('nunmap Q');
  });

  it('is dropped when it is cancelled while it waits', async () => {
    const buffer = await at.vim.buffer(['1', '2', '3']);
    at.vim.type('V');
    await at.vim.until('mode(1)', 'V');
    const cancel = new AbortController();
    const call = at.broker.call(
      'apply-diff',
      { buffer, expected_changedtick: await at.vim.tick(buffer), diff: change(1, '1', 'new') },
      cancel.signal,
    );
    await at.vim.until("exists('#mcp_gate#SafeState')", 1);
    cancel.abort();
    await assert.rejects(call);
    at.vim.type('\x1b');
    await at.vim.until('mode(1)', 'n');
    // Another edit comes later than the dropped one would have.
    const later = await edit(buffer, change(3, '3', 'later'));
    assert.equal(later.isError, false, later.text);
    assert.deepEqual(await at.vim.lines(buffer), ['1', '2', 'later']);
  });
});

describe("what is the person's stays as it was", () => {
  const at = pair({ vimrc: 'set laststatus=2\n' });

  /** All that an edit elsewhere must not move. */
  const STATE = `[win_getid(), winsaveview(), getpos("'<"), getpos("'>"), getpos("'."), getpos("''"), getpos("'["), getpos("']"), getjumplist(), getchangelist(), getreg('"'), getreg('/'), histnr(':'), bufnr('#'), winlayout(), getpos("'a"), mode(1)]`;

  for (const shown of [true, false]) {
    it(`in another ${shown ? 'window' : 'buffer'}`, async () => {
      const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
      const other = await at.vim.buffer(lines);
      if (shown) await at.vim.ex('vsplit');
      await at.vim.buffer(lines);
      at.vim.type('30Gma50Gyy/line 7\rGiX\x1b60G10|zz/line 6\rVjd40Gzt');
      await at.vim.until("[line('.'), line('$')]", [40, 98]);
      const before = await at.vim.eval(STATE);
      const diff = '@@ -1,2 +1,3 @@\n line 1\n+new\n line 2\n@@ -90,2 +91,1 @@\n-line 90\n line 91\n';
      const args = async (): Promise<Record<string, unknown>> => ({
        buffer: other,
        expected_changedtick: await at.vim.tick(other),
      });
      const result = await at.broker.call('apply-diff', { ...(await args()), diff });
      assert.equal(result.isError, false, result.text);
      assert.deepEqual(await at.vim.eval(STATE), before);
      const undone = await at.broker.call('undo', await args());
      assert.equal(undone.value['changed'], true, undone.text);
      assert.deepEqual(await at.vim.eval(STATE), before);
      assert.deepEqual(await at.vim.lines(other), lines);
    });
  }

  it('in the buffer the person looks at', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    const buffer = await at.vim.buffer(lines);
    await at.vim.ex('only');
    at.vim.type('30Gma50Gyy60G0rX70Gzt');
    await at.vim.until("line('.')", 70);
    const SAME = `[col('.'), winline(), getreg('"'), getreg('/'), histnr(':'), bufnr('#'), getline('.')]`;
    const before = await at.vim.eval(SAME);
    const result = await at.broker.call('apply-diff', {
      buffer,
      expected_changedtick: await at.vim.tick(buffer),
      diff: '@@ -1,2 +1,3 @@\n line 1\n+new\n line 2\n',
    });
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.eval(SAME), before);
    const moved = `[getpos("'a")[1], getpos("'.")[1], getpos("'[")[1], getpos("']")[1], getjumplist()[0]->map('v:val.lnum')[-3:]]`;
    assert.deepEqual(await at.vim.eval(moved), [31, 61, 61, 61, [31, 51, 61]]);
  });
});
