import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { change, type Result } from './broker.js';
import { pair } from './fixture.js';

const LINES = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);

/** Puts two lines in near the top, changes one and takes one away near the end. */
const DIFF = `@@ -2,1 +2,3 @@
 line 2
+new
+newer
@@ -93,1 +95,1 @@
-line 93
+another
@@ -95,1 +97,0 @@
-line 95
`;

describe('an edit leaves', () => {
  const at = pair({ args: ['--auto-allow', '*'], vimrc: 'set nofoldenable\n' });

  async function call(name: string, buffer: number, more: Record<string, unknown> = {}): Promise<Result> {
    const result = await at.broker.call(name, { buffer, expected_changedtick: await at.vim.tick(buffer), ...more });
    assert.equal(result.isError, false, result.text);
    return result;
  }

  async function fresh(lines = LINES): Promise<number> {
    await at.vim.ex('silent! tabonly! | silent! only! | set nodiff noscrollbind | delmarks A-Z');
    return await at.vim.buffer(lines);
  }

  /** What belongs to no line: the same after the edit, in whichever buffer it was. */
  const LINELESS = `[getreginfo('"'), getreg('a'), getreg('.'), getreg(':'), getreg('/'), getreg('#'), v:searchforward, v:hlsearch, histnr(':'), histnr('/'), bufnr('#'), win_getid(), winnr('#'), winlayout(), tabpagenr(), v:count, v:errmsg, v:statusmsg, execute('messages'), reg_recording(), mode(1), getcwd(), argv()]`;
  const PLACES = `[getpos("."), getpos("'a"), getpos("'B"), getpos("''"), getpos("'<"), getpos("'>"), getpos("'["), getpos("']"), getpos("'^"), getpos("'."), winsaveview().topline, getjumplist()[0]->filter('v:val.bufnr == bufnr()')->map('v:val.lnum'), getchangelist()[0]->map('v:val.lnum')]`;

  for (const current of [true, false]) {
    it(`registers, patterns, marks and lists of ${current ? 'the current' : 'another'} buffer with their lines`, async () => {
      const buffer = await fresh();
      at.vim.type('10Gma20GmB30Gyy/line 4\r50GiX\x1b55G"ayyVj\x1b60Gx62Gzt5G60Gzt');
      await at.vim.until("[line('.'), getline(60)]", [60, 'ine 60']);
      const places = await at.vim.eval<unknown[]>(PLACES);
      if (!current) await at.vim.ex('new');
      const before = await at.vim.eval(LINELESS);
      await call('apply-diff', buffer, { diff: DIFF });
      assert.deepEqual(await at.vim.eval(LINELESS), before);
      if (!current) await at.vim.ex('quit');
      // All of these lines lie between the two that were put in and the one that was taken away.
      const moved = (value: unknown): unknown =>
        typeof value === 'number' && value > 2 ? value + 2 : Array.isArray(value) ? value.map(moved) : value;
      const expected = places.map((place, index) =>
        index < 10 ? (place as number[]).map((part, at2) => (at2 === 1 ? moved(part) : part)) : moved(place),
      );
      assert.deepEqual(await at.vim.eval(PLACES), expected);
    });
  }

  it('the layout, and the view of every window, tab page and fold', async () => {
    const buffer = await fresh();
    await at.vim.ex('split | vsplit | tab split');
    await at.vim.ex('setlocal foldmethod=manual foldenable | 30,40fold | 50,60fold | 55foldopen');
    await at.vim.eval('cursor(80, 3)');
    await at.vim.ex('tabprevious | 3wincmd w');
    await at.vim.eval('[cursor(50, 2), winrestview({"topline": 45})]');
    const VIEWS = `gettabinfo()->map({_, t -> t.windows->copy()->map({_, w -> [w, getwininfo(w)[0].winrow, getwininfo(w)[0].height, win_execute(w, "echon getline('.') col('.') getline('w0')")]})})`;
    const FOLDS = `win_execute(gettabinfo(2)[0].windows[0], "echon map(['line 30', 'line 40', 'line 50', 'line 60'], {_, l -> foldclosed(search('^' .. l .. '$', 'nw')) > 0})")`;
    const before = await at.vim.eval<unknown[]>(`[${VIEWS}, ${FOLDS}, tabpagenr(), winnr()]`);
    await call('apply-diff', buffer, { diff: DIFF });
    const after = await at.vim.eval(`[${VIEWS}, ${FOLDS}, tabpagenr(), winnr()]`);
    assert.deepEqual(after, before);
    await call('undo', buffer);
    // Undo moves the cursor of the current window as `u` does.
    assert.deepEqual(await at.vim.eval(`[${FOLDS}, tabpagenr(), winnr()]`), before.slice(1));
  });

  it('windows that are bound to each other, and a diff, as they are', async () => {
    const left = await fresh();
    await at.vim.ex('diffthis | setlocal scrollbind | vnew');
    await at.vim.eval(`setline(1, ${JSON.stringify(LINES)})`);
    await at.vim.ex('diffthis | setlocal scrollbind');
    await at.vim.eval('cursor(50, 1)');
    await at.vim.ex('syncbind');
    const here = await at.vim.eval('[win_getid(), winsaveview(), winlayout(), &diff, &scrollbind]');
    await call('apply-diff', left, { diff: change(70, 'line 70', 'seventy') });
    assert.deepEqual(await at.vim.eval('[win_getid(), winsaveview(), winlayout(), &diff, &scrollbind]'), here);
    // Vim finds the differences anew at the next key.
    at.vim.type('j');
    await at.vim.until('foldclosed(70)', -1);
  });

  it('the message that the person reads', async () => {
    const buffer = await fresh();
    at.vim.type(':echo "hello"\r');
    await eventually('the message', () => at.vim.screen().at(-1) === 'hello');
    await call('apply-diff', buffer, { diff: DIFF });
    await eventually('the edit is shown', () => at.vim.screen()[2] === 'new');
    assert.equal(at.vim.screen().at(-1), 'hello');
  });

  it('signs and text properties on their lines', async () => {
    const buffer = await fresh();
    await at.vim.ex('sign define spot text=>>');
    await at.vim.ex(`sign place 7 line=50 name=spot buffer=${buffer}`);
    await at.vim.eval(
      `[prop_type_delete('hint'), prop_type_add('hint', {}), prop_add(50, 2, #{type: 'hint', length: 3})]`,
    );
    await at.vim.ex('new');
    await call('apply-diff', buffer, { diff: DIFF });
    assert.deepEqual(
      await at.vim.eval(
        `[sign_getplaced(${buffer})[0].signs->map('v:val.lnum'), prop_list(52, #{bufnr: ${buffer}})->map('[v:val.col, v:val.length]')]`,
      ),
      [[52], [[2, 3]]],
    );
  });

  it('the last change of the person to be repeated', async () => {
    const buffer = await fresh(['a', 'b', 'c', 'd']);
    at.vim.type('Aone');
    await at.vim.until('getline(1)', 'aone');
    await call('apply-diff', buffer, { diff: change(4, 'd', 'D') });
    at.vim.type('two\x1b');
    await at.vim.until('[mode(1), getline(1)]', ['n', 'aonetwo']);
    await call('apply-diff', buffer, { diff: change(4, 'D', 'e') });
    at.vim.type('j.');
    await at.vim.until("getline(1, '$')", ['aonetwo', 'bonetwo', 'c', 'e']);
    assert.equal(await at.vim.eval("getreg('.')"), 'onetwo');
  });

  it('a macro that is recorded what the person typed', async () => {
    const buffer = await fresh(['a', 'b', 'c']);
    at.vim.type('qqAx');
    await at.vim.until('getline(1)', 'ax');
    await call('apply-diff', buffer, { diff: change(3, 'c', 'C') });
    at.vim.type('y\x1bq');
    await at.vim.until('reg_recording()', '');
    await at.vim.until("getreg('q')", 'Axy\x1b');
  });

  it('the text typed around it exact, one undo for each', async () => {
    const buffer = await fresh(['1', '2', '3']);
    at.vim.type('Goone\rtw');
    await at.vim.until("getline(1, '$')", ['1', '2', '3', 'one', 'tw']);
    await call('apply-diff', buffer, { diff: '@@ -1,2 +1,3 @@\n+0\n 1\n-2\n+two\n' });
    at.vim.type('o\x1b');
    await at.vim.until("[mode(1), getline(1, '$')]", ['n', ['0', '1', 'two', '3', 'one', 'two']]);
    for (const text of [
      ['0', '1', 'two', '3', 'one', 'tw'],
      ['1', '2', '3', 'one', 'tw'],
      ['1', '2', '3'],
    ]) {
      at.vim.type('u');
      await at.vim.until("getline(1, '$')", text);
    }
  });

  it('no trace when it is undone in the middle of what the person typed since', async () => {
    const buffer = await fresh(['1', '2', '3']);
    await call('apply-diff', buffer, { diff: change(1, '1', 'one') });
    at.vim.type('GAx\x1b');
    await at.vim.until('[mode(1), getline(3)]', ['n', '3x']);
    await call('undo', buffer);
    assert.deepEqual(await at.vim.lines(buffer), ['one', '2', '3']);
    await call('undo', buffer);
    assert.deepEqual(await at.vim.lines(buffer), ['1', '2', '3']);
    for (const _ of [1, 2]) await call('redo', buffer);
    assert.deepEqual(await at.vim.lines(buffer), ['one', '2', '3x']);
  });
});
