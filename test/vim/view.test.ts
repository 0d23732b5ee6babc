import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Broker, type Result } from './broker.js';
import { pair } from './fixture.js';

const LINES = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);

/** All that is the person's and that keys could touch; the text is beside the point. */
const PERSONS = `[
  mode(1), bufnr(), win_getid(), winlayout(), tabpagenr(), winsaveview(), map(getwininfo(), 'v:val.topline'),
  map(split('abcxyz0123456789-."', '\\zs'), 'getreginfo(v:val)'), getreginfo('*'),
  @/, @:, v:hlsearch, v:searchforward, histget('/', -1), histnr('/'), histnr(':'), getcharsearch(),
  getpos("'<"), getpos("'>"), visualmode(), getpos("'["), getpos("']"), getpos("'."), getpos("'^"), getpos("'a"),
  getjumplist(), getchangelist(), getmarklist(),
  &clipboard, &undolevels, execute('map'), execute('map!'), v:errmsg, execute('messages'),
  map(getbufinfo(), '[v:val.bufnr, v:val.listed, v:val.windows]'), popup_list(), bufnr('$')
]`;

describe('a view of a client’s own', () => {
  const at = pair({ args: ['--auto-allow', '*'] });

  const call = (name: string, args: Record<string, unknown>): Promise<Result> => at.broker.call(name, args);

  async function opened(lines: readonly string[], args: Record<string, unknown> = {}): Promise<number> {
    const buffer = await at.vim.buffer(lines);
    const result = await call('view-open', { buffer, ...args });
    assert.equal(result.isError, false, result.text);
    return buffer;
  }

  async function keys(buffer: number, written: string, more: Record<string, unknown> = {}): Promise<Result> {
    return await call('keys', { buffer, expected_changedtick: await at.vim.tick(buffer), keys: written, ...more });
  }

  /** The same, which has to succeed. */
  async function played(buffer: number, written: string, more: Record<string, unknown> = {}) {
    const result = await keys(buffer, written, more);
    assert.equal(result.isError, false, result.text);
    return result.value;
  }

  async function screen(): Promise<Record<string, unknown> & { rows: string[] }> {
    const { isError, text, value } = await call('screen', { view: true });
    assert.equal(isError, false, text);
    return { ...value, rows: String(value['text']).split('\n').slice(0, -1) };
  }

  it('begins where the person is, and has a caret, a scroll and a size of its own', async () => {
    const buffer = await at.vim.buffer(LINES);
    at.vim.type('50Gzt3l');
    await at.vim.until('[line("."), col("."), line("w0")]', [50, 4, 50]);
    await call('view-open', { buffer, rows: 5, columns: 20 });
    const { cursor } = await played(buffer, 'l');
    assert.deepEqual(cursor, { line: 50, column: 5 });
    await played(buffer, '10jzt');
    const seen = await screen();
    assert.deepEqual(seen.rows, ['line 60', 'line 61', 'line 62', 'line 63', 'line 64']);
    assert.deepEqual(seen['cursor'], { row: 1, column: 5 });
    const facts = { row: 1, column: 1, height: 5, width: 20, first: 60, last: 64, cursor: { line: 60, column: 5 } };
    assert.deepEqual(seen['windows'], [{ buffer, filename: '', ...facts }]);
    await played(buffer, '<C-e><C-e>');
    assert.deepEqual((await screen()).rows[0], 'line 62');
    assert.deepEqual(await at.vim.eval('[line("."), col("."), line("w0")]'), [50, 4, 50]);
  });

  it('changes the text by keys, as one undo step of the person’s Vim', async () => {
    const buffer = await opened(['one', 'two', 'three']);
    const result = await played(buffer, 'cwEINS<Esc>jA!<CR>new<Esc>Gdd');
    assert.deepEqual(await at.vim.lines(buffer), ['EINS', 'two!', 'new']);
    assert.equal(result['changedtick'], await at.vim.tick(buffer));
    assert.equal(result['diff'], '@@ -1,3 +1,3 @@\n-one\n-two\n-three\n+EINS\n+two!\n+new\n');
    assert.deepEqual([result['cursor'], result['mode']], [{ line: 3, column: 1 }, 'n']);
    at.vim.type('u');
    await at.vim.until(`getbufline(${buffer}, 1, '$')`, ['one', 'two', 'three']);
    assert.equal(await at.vim.eval('undotree().seq_cur'), 0);
  });

  it('selects from one call to the next', async () => {
    const buffer = await opened(['one two three', 'four']);
    const selected = await played(buffer, 'wve');
    assert.deepEqual(
      [selected['mode'], selected['from'], selected['cursor']],
      ['v', { line: 1, column: 5 }, { line: 1, column: 7 }],
    );
    assert.equal((await screen())['mode'], 'v');
    assert.equal((await played(buffer, 'o'))['mode'], 'v');
    await played(buffer, 'd');
    assert.deepEqual(await at.vim.lines(buffer), ['one  three', 'four']);
    const block = await played(buffer, 'gg0<C-v>j');
    assert.equal(block['mode'], '^V');
    await played(buffer, 'I# <Esc>');
    assert.deepEqual(await at.vim.lines(buffer), ['# one  three', '# four']);
    assert.equal(await at.vim.eval('mode(1)'), 'n');
  });

  it('keeps registers and patterns of its own from one call to the next', async () => {
    const buffer = await opened(['a one', 'b', 'c one']);
    await at.vim.eval("[setreg('\"', 'PERSON'), setreg('a', 'SECRET'), setreg('/', 'b')]");
    assert.match((await keys(buffer, '"ap')).text, /nothing was done/);
    assert.match((await keys(buffer, 'n')).text, /E35/);
    await played(buffer, 'yy/one<CR>');
    const { cursor } = await played(buffer, 'np');
    assert.deepEqual(cursor, { line: 4, column: 1 });
    assert.deepEqual(await at.vim.lines(buffer), ['a one', 'b', 'c one', 'a one']);
    assert.deepEqual(await at.vim.eval('[@", @a, @/]'), ['PERSON', 'SECRET', 'b']);
  });

  it('goes along with what the person changes', async () => {
    const buffer = await opened(['one', 'two', 'three four'], { line: 3 });
    await played(buffer, 'wvl');
    at.vim.type('ggOnew\x1bGA!\x1b0ix\x1b');
    await at.vim.until(`getbufline(${buffer}, 1, '$')`, ['new', 'one', 'two', 'xthree four!']);
    await at.vim.until('mode(1)', 'n');
    await played(buffer, 'd');
    assert.deepEqual(await at.vim.lines(buffer), ['new', 'one', 'two', 'xthree ur!']);
    await at.vim.typed('ggdG');
    assert.deepEqual((await played(buffer, 'ix'))['cursor'], { line: 1, column: 1 });
  });

  it('plays by the options of the buffer', async () => {
    const buffer = await opened(['if x']);
    await at.vim.ex('setlocal shiftwidth=3 expandtab autoindent textwidth=20');
    await played(buffer, '>>oaaaa bbbb cccc dddd<Esc>');
    assert.deepEqual(await at.vim.lines(buffer), ['   if x', '   aaaa bbbb cccc', '   dddd']);
    await at.vim.ex('setlocal equalprg=sort formatexpr=Evil()');
    assert.match((await keys(buffer, '==')).text, /would run a program/);
    assert.match((await keys(buffer, 'gqq')).text, /would run a program/);
  });

  it('leaves all that is the person’s as it was', async () => {
    const buffer = await opened(LINES);
    await at.vim.ex('set hlsearch');
    await at.vim.typed('20Gma"ayiwyyfnx10Gvjj\x1b5Giperson\x1b/line 3\r:echo 1\r30G40G``Adone\x1bVj>');
    const undo = await at.vim.eval('undotree()');
    const before = await at.vim.eval(PERSONS);
    await played(buffer, 'ggwyyv3jyjVG<Esc>/line 9<CR>nfe*madd', { remap: true });
    await screen();
    assert.notDeepEqual(await at.vim.eval('undotree()'), undo);
    assert.deepEqual(await at.vim.eval(PERSONS), before);
    // The last change of the person's, which began in Visual mode, is still what . repeats.
    await at.vim.typed('50G.');
    await at.vim.until('getline(50, 52)', ['\tline 50', '\tline 51', 'line 52']);
    const calm = await at.vim.eval(`[undotree(), ${PERSONS}]`);
    await played(buffer, 'gg/line 7<CR>vjy"ayy99<Esc>w', { remap: true });
    await screen();
    await keys(buffer, 'ddZZ');
    await call('view-close', {});
    assert.deepEqual(await at.vim.eval(`[undotree(), ${PERSONS}]`), calm);
  });

  it('plays while the person types, and its change waits where an edit would', async () => {
    const buffer = await opened(['one', 'two']);
    await at.vim.typed('Ohello');
    await played(buffer, 'cwONE<Esc>');
    assert.deepEqual(await at.vim.lines(buffer), ['hello', 'ONE', 'two']);
    await at.vim.typed(' you');
    assert.equal(await at.vim.eval('mode(1)'), 'i');
    await at.vim.typed('\x1bVj');
    const waiting = keys(buffer, 'x');
    await eventually('it waits', async () => {
      const { value } = await call('targets', {});
      return (value['targets'] as { busy?: string }[])[0]?.busy?.includes('Visual') === true;
    });
    assert.equal(await Promise.race([waiting, Promise.resolve('open')]), 'open');
    await at.vim.typed('\x1b');
    assert.equal((await waiting).isError, false);
    assert.deepEqual(await at.vim.lines(buffer), ['hello you', 'ON', 'two']);
  });

  it('is of a buffer that nobody sees, or that was not loaded', async () => {
    const path = join(at.home.path, 'unloaded.txt');
    await writeFile(path, 'one\ntwo\n');
    const current = await at.vim.buffer(['here']);
    const buffer = await at.vim.eval<number>(`bufadd('${path}')`);
    const before = await at.vim.eval('[winlayout(), bufnr("#"), win_findbuf(bufnr())]');
    assert.equal((await call('view-open', { buffer })).isError, false);
    await played(buffer, 'jA!<Esc>');
    assert.deepEqual(await at.vim.lines(buffer), ['one', 'two!']);
    assert.deepEqual(await at.vim.eval('[winlayout(), bufnr("#"), win_findbuf(bufnr())]'), before);
    assert.deepEqual(await at.vim.lines(current), ['here']);
  });

  it('is shown with wide characters, tabs and long lines', async () => {
    const buffer = await opened(['\tä漢字', 'x'.repeat(25)], { rows: 4, columns: 20 });
    await played(buffer, '$');
    const seen = await screen();
    assert.deepEqual(seen.rows, ['        ä漢字', 'x'.repeat(20), 'xxxxx', '~']);
    assert.deepEqual(seen['cursor'], { row: 1, column: 12 });
  });

  it('edits an empty buffer, and empties one', async () => {
    const buffer = await opened(['']);
    await played(buffer, 'ia<CR>b<CR><Esc>');
    assert.deepEqual(await at.vim.lines(buffer), ['a', 'b', '']);
    await played(buffer, 'ggdG');
    assert.deepEqual(await at.vim.lines(buffer), ['']);
    const { cursor } = await played(buffer, 'i<CR>x');
    assert.deepEqual(await at.vim.lines(buffer), ['', 'x']);
    assert.deepEqual(cursor, { line: 2, column: 1 });
  });

  it('is the client’s own change to those who watch', async () => {
    const buffer = await opened(['one']);
    const { value } = await call('watch', { buffer, timeout_ms: 0 });
    await played(buffer, 'x');
    const seen = await call('watch', { buffer, after: value['next'], include_own: true, timeout_ms: 5000 });
    const [group] = seen.value['changes'] as { who: string; diff: string }[];
    assert.deepEqual([group?.who, group?.diff], ['you', '@@ -1,1 +1,1 @@\n-one\n+ne\n']);
    assert.match(await at.vim.ex('McpLog'), /test edited line 1 of \[No Name\]$/);
  });

  it('refuses keys for a text that has changed, and tells what did', async () => {
    const buffer = await opened(['one', 'two']);
    const tick = await at.vim.tick(buffer);
    at.vim.type('Goperson\x1b');
    await at.vim.until(`getbufline(${buffer}, 3)`, ['person']);
    const { isError, text } = await call('keys', { buffer, expected_changedtick: tick, keys: 'x' });
    assert.equal(isError, true);
    assert.match(text, /changed since/);
    assert.match(text, /"changed_by":\["person"\],"diff":"@@ -1,2 \+1,3 @@/);
    assert.deepEqual(await at.vim.lines(buffer), ['one', 'two', 'person']);
  });

  it('is there only while it is open', async () => {
    const buffer = await opened(['one']);
    const other = await at.vim.buffer(['other']);
    assert.match((await keys(other, 'x')).text, /your view shows buffer/);
    await call('view-open', { buffer: other });
    await played(other, 'x');
    await at.vim.ex(`bwipeout! ${other}`);
    await eventually('the view is closed', async () =>
      (await call('screen', { view: true })).text.includes('you have no view in ed'),
    );
    await call('view-open', { buffer });
    assert.deepEqual((await call('view-close', {})).value, { target: 'ed' });
    assert.match((await call('view-close', {})).text, /you have no view in ed.*view-open/s);
    assert.match((await keys(buffer, 'x')).text, /you have no view/);
  });
});

describe('views of two clients', () => {
  const at = pair({ args: ['--auto-allow', '*'] });

  it('are apart', async () => {
    const other = await Broker.start(at.home, ['--auto-allow', '*']);
    try {
      const buffer = await at.vim.buffer(['one', 'two', 'three']);
      const clients = [at.broker, other];
      for (const [index, client] of clients.entries()) {
        const opened = await client.call('view-open', { buffer, line: index + 1 });
        assert.equal(opened.isError, false, opened.text);
      }
      for (const client of clients) {
        const expected_changedtick = await at.vim.tick(buffer);
        const played = await client.call('keys', { buffer, expected_changedtick, keys: 'yyA!<Esc>0' });
        assert.equal(played.isError, false, played.text);
      }
      assert.deepEqual(await at.vim.lines(buffer), ['one!', 'two!', 'three']);
      await at.broker.call('edit', {
        buffer,
        expected_changedtick: await at.vim.tick(buffer),
        operations: [{ kind: 'insert-lines', after: 0, text: 'zero' }],
      });
      const lineOf = async (client: Broker): Promise<unknown> => {
        const { value } = await client.call('screen', { view: true });
        return (value['windows'] as { cursor: { line: number } }[])[0]?.cursor.line;
      };
      assert.deepEqual([await lineOf(at.broker), await lineOf(other)], [2, 3]);
      const expected_changedtick = await at.vim.tick(buffer);
      await other.call('keys', { buffer, expected_changedtick, keys: 'P' });
      assert.deepEqual(await at.vim.lines(buffer), ['zero', 'one!', 'two', 'two!', 'three']);
    } finally {
      await other.close();
    }
  });
});
