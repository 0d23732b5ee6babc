import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readOptions } from '../../child-vim/options.js';
import { eventually } from '../kit/until.js';
import { change, type Result } from './broker.js';
import { pair } from './fixture.js';

/** What the person types, Vim's mode(1) then, what the error says of it, and the keys that end it. */
type Busy = readonly [what: string, keys: string, mode: string, says: RegExp, end: string];

const HALF = /half a command/;
const HALF_KEY = /half a key of Insert mode/;

const STATES: readonly Busy[] = [
  ['Visual mode', 'v', 'v', /text selected in Visual mode/, '\x1b'],
  ['linewise Visual mode', 'V', 'V', /lines selected in Visual mode/, '\x1b'],
  ['blockwise Visual mode', '\x16', '\x16', /block selected in Visual mode/, '\x1b'],
  ['Select mode', 'gh', 's', /text selected in Select mode/, '\x1b'],
  ['a pending operator', 'd', 'no', /middle of an operator/, '\x1b'],
  ['a pending count', '3', 'n', HALF, '\x1b'],
  ['a pending register', '"a', 'n', HALF, '\x1b'],
  ['a pending r', 'r', 'R', HALF, '\x1b'],
  ['a pending f', 'f', 'n', HALF, '\x1b'],
  ['a pending g', 'g', 'n', HALF, '\x1b'],
  ['a pending z', 'z', 'n', HALF, '\x1b'],
  ['a pending CTRL-W', '\x17', 'n', HALF, '\x1b'],
  ['a pending m', 'm', 'n', HALF, '\x1b'],
  ['a pending q', 'q', 'n', HALF, '\x1b'],
  ['a mapping that reads a key', ':call getchar()\r', 'n', HALF, 'x'],
  ['a pending i_CTRL-V', 'i\x16', 'i', HALF_KEY, 'q\x08\x1b'],
  ['a pending i_CTRL-R', 'i\x12', 'i', HALF_KEY, '\x1b\x1b'],
  ['a pending i_CTRL-K', 'i\x0b', 'i', HALF_KEY, '\x1b\x1b'],
  ['i_CTRL-X', 'i\x18', 'ix', /CTRL-X/, '\x1b\x1b'],
  ['i_CTRL-O', 'i\x0f', 'niI', /one command from Insert mode/, '\x1b\x1b'],
  ['the completion menu', 'i\x0e', 'ic', /completion menu/, '\x05\x1b'],
  ['Virtual Replace mode', 'gR', 'Rv', /Virtual Replace mode/, '\x1b'],
  ['a command line', ':abc', 'c', /command line/, '\x1b'],
  ['a search', '/abc', 'c', /search line/, '\x1b'],
  ['the expression register', 'i\x12=', 'c', /expression line/, '\x1b\x1b'],
  ['input()', ':call input("x? ")\r', 'c', /question of a script/, '\x1b'],
  ['inputlist()', ':call inputlist(["a", "b"])\r', 'c', /a prompt/, '\r'],
  ['confirm()', ':call confirm("x? ", "&Yes\\n&No")\r', 'r?', /question to answer/, '\x1b'],
  [':s with the flag c', ':%s/l/x/gc\r', 'r?', /question to answer/, 'q'],
  ['the more prompt', ':echo join(range(100), "\\n")\r', 'rm', /more prompt/, 'q'],
  ['the hit-enter prompt', ':echo "a\\nb\\nc"\r', 'r', /hit-enter prompt/, '\r'],
  [':append', ':append\r', 'c', /lines of :append/, '.\r'],
  ['the debugger', ':debug let g:x = 1\r', 'c', /debugger/, 'cont\r'],
  ['Ex mode', 'gQ', 'cv', /Ex mode/, 'visual\r'],
];

/** Where the current buffer may change at once: nothing of it depends on a line. */
const FREE: readonly (readonly [what: string, keys: string, ready: string, end: string])[] = [
  ['Insert mode', 'i', "mode(1) ==# 'i'", '\x1b'],
  ['Replace mode', 'R', "mode(1) ==# 'R' && state() == ''", '\x1b'],
  ['the recording of a macro', 'qa', "reg_recording() == 'a'", 'q'],
  ['a popup menu', ':call popup_menu(["a", "b"], {})\r', 'popup_list() != []', '\x1b'],
  ['a terminal', ':term ++close cat\r', "mode(1) ==# 't'", '\x04'],
  ['the command-line window', 'q:', "getcmdwintype() == ':'", ':quit\r'],
];

const IDLE = "mode(1) ==# 'n' && state() == ''";

describe('while the person is in the middle of something', () => {
  const at = pair({ args: ['--auto-allow', '*', '--patience', '0.4'], vimrc: 'set more\n' });

  async function edit(buffer: number, diff: string): Promise<Result> {
    return await at.broker.call('apply-diff', { buffer, expected_changedtick: await at.vim.tick(buffer), diff });
  }

  for (const [what, keys, mode, says, end] of STATES) {
    it(`${what} keeps the current buffer as it is, and no other`, async () => {
      const other = await at.vim.buffer(['other']);
      const buffer = await at.vim.buffer(['line 1', 'line 2', 'line 3']);
      at.vim.type(keys);
      // Of a half-typed command only state() tells.
      const half = 'niR'.includes(mode) ? " && state('moaS') != ''" : '';
      await at.vim.until(`mode(1) ==# ${JSON.stringify(mode)}${half}`, 1);
      const before = await at.vim.eval('[mode(1), state()]');
      const refused = await edit(buffer, change(3, 'line 3', 'new'));
      assert.match(refused.text, /^nothing was changed in ed: the person /);
      assert.match(refused.text, says);
      assert.match(refused.text, /"error":"busy"/);
      const beside = await edit(other, change(1, 'other', 'changed'));
      assert.equal(beside.isError, false, beside.text);
      assert.deepEqual(await at.vim.eval('[mode(1), state()]'), before);
      at.vim.type(end);
      await at.vim.until(IDLE, 1);
      assert.deepEqual(await at.vim.lines(buffer), ['line 1', 'line 2', 'line 3']);
      const after = await edit(buffer, change(3, 'line 3', 'new'));
      assert.equal(after.isError, false, after.text);
    });
  }

  it('a function of a mapping keeps every buffer as it is', async () => {
    const other = await at.vim.buffer(['other']);
    await at.vim.buffer(['one']);
    await at.vim.ex("nnoremap <expr> Q [execute('let g:waiting = 1'), getcharstr()][1]");
    at.vim.type('Q');
    await at.vim.until("exists('g:waiting')", 1);
    const refused = await edit(other, change(1, 'other', 'changed'));
    assert.match(refused.text, /a mapping, a completion or the command-line window is open.*E565/);
    const undo = await at.broker.call('undo', { buffer: other, expected_changedtick: await at.vim.tick(other) });
    assert.match(undo.text, /E565.*"error":"busy"/s);
    assert.deepEqual(await at.vim.eval('popup_list()'), []);
    at.vim.type('j');
    await at.vim.until(IDLE, 1);
    assert.deepEqual(await at.vim.lines(other), ['other']);
  });

  it('undo and redo wait in Insert mode, in the current buffer only', async () => {
    const other = await at.vim.buffer(['other']);
    await edit(other, change(1, 'other', 'changed'));
    const buffer = await at.vim.buffer(['one']);
    await edit(buffer, change(1, 'one', 'two'));
    at.vim.type('A more');
    await at.vim.until('getline(1)', 'two more');
    const args = { buffer, expected_changedtick: await at.vim.tick(buffer) };
    assert.match((await at.broker.call('undo', args)).text, /nothing was changed in ed: the person is in Insert mode/);
    const beside = await at.broker.call('undo', { buffer: other, expected_changedtick: await at.vim.tick(other) });
    assert.equal(beside.value['changed'], true, beside.text);
    at.vim.type('!\x1b');
    await at.vim.until('getline(1)', 'two more!');
  });
});

describe('while the person is not', () => {
  const at = pair({ args: ['--auto-allow', 'write'] });

  async function edit(buffer: number, diff: string): Promise<Result> {
    return await at.broker.call('apply-diff', { buffer, expected_changedtick: await at.vim.tick(buffer), diff });
  }

  for (const [what, keys, ready, end] of FREE) {
    it(`${what} keeps no buffer from changing`, async () => {
      const buffer = await at.vim.buffer(['line 1', 'line 2', 'line 3']);
      at.vim.type(keys);
      await at.vim.until(ready, 1);
      const result = await edit(buffer, change(3, 'line 3', 'new'));
      assert.equal(result.isError, false, result.text);
      await at.vim.until(ready, 1);
      at.vim.type(end);
      await at.vim.until(`${IDLE} && popup_list() == []`, 1);
      assert.deepEqual(await at.vim.lines(buffer), ['line 1', 'line 2', 'new']);
    });
  }

  for (const [what, answer] of [
    ['an answer of the terminal', '\x1b[>0;276;0c'],
    ['the loss of the focus', '\x1b[O'],
  ] as const) {
    it(`${what} right after a key keeps nothing`, async () => {
      const buffer = await at.vim.buffer(['one', 'two']);
      at.vim.type(`j${answer}`);
      await at.vim.until("[line('.'), mode(1), state()]", [2, 'n', 'S']);
      const result = await edit(buffer, change(1, 'one', 'ONE'));
      assert.equal(result.isError, false, result.text);
    });
  }
});

describe('while Vim runs a shell command', () => {
  const at = pair({ args: ['--auto-allow', 'open'] });

  it('what is cancelled is not done later', async () => {
    at.vim.type(':!echo begun; head -n1\r');
    await eventually('the command runs', () => at.vim.screen().some((row) => row.startsWith('begun')));
    const cancel = new AbortController();
    const call = at.broker.call('open', { path: 'later.txt' }, cancel.signal);
    // What the broker answers now it received after that call.
    await at.broker.targets();
    cancel.abort();
    await assert.rejects(call);
    at.vim.type('x\r\r');
    await at.vim.until('mode(1)', 'n');
    await at.broker.call('state');
    assert.equal(await at.vim.eval("bufexists('later.txt')"), 0);
  });
});

describe('the command line', () => {
  for (const text of ['0', '-1', 'soon', '1e9', '']) {
    it(`takes no patience of ${JSON.stringify(text)}`, async () => {
      await assert.rejects(readOptions([`--patience=${text}`, '--help'], {}), /patience/);
    });
  }
});
