import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Random } from '../kit/random.js';
import { ALLOW, Broker, DENY, type Result } from './broker.js';
import { pair, stage } from './fixture.js';

const MAPPINGS = `
let mapleader = ' '
nnoremap Y y$
nnoremap j k
nnoremap k j
nmap <leader>x <Plug>(cut)
nnoremap <Plug>(cut) "_dd
inoremap jk <Esc>
nnoremap <leader>w :write<CR>
nnoremap <leader>c <Cmd>write<CR>
nnoremap <expr> <leader>e execute('write')
nmap <leader>l <leader>r
nmap <leader>r <leader>l
nmap <leader>d <leader>x
nnoremap <C-Left> ZZ
xnoremap s <Esc>\`>a)<Esc>\`<i(<Esc>
autocmd BufWritePost,QuitPre,WinNew,TabNew,TextYankPost,InsertEnter,ModeChanged,CmdlineEnter * let g:seen = expand('<amatch>')
`;

/** Keys that would do more than change the text, and what. */
const REFUSED: [keys: string, told: string, effect: string][] = [
  [':w<CR>', ':w<CR>', 'write'],
  ['xi:w<CR><Esc>:%up|q<CR>', ':%up|q<CR>', 'write'],
  [':wq!<CR>', ':wq!<CR>', 'write and quit'],
  ['xZZ', 'ZZ', 'write and quit'],
  ['ZQ', 'ZQ', 'quit'],
  [':qa!<CR>', ':qa!<CR>', 'quit'],
  [':!touch x<CR>', ':!touch x<CR>', 'run a shell command'],
  ['!!sort<CR>', '!!sort<CR>', 'run a shell command'],
  ['v!sort<CR>', '!sort<CR>', 'run a shell command'],
  [':call system("x")<CR>', ':call system("x")<CR>', 'run an Ex command'],
  [':e /etc/passwd<CR>', ':e /etc/passwd<CR>', 'go to another buffer'],
  ['gQ', 'gQ', 'do what is not offered in a view'],
  ['K', 'K', 'run a program'],
  ['gf', 'gf', 'go to another buffer'],
  ['<C-^>', '<C-^>', 'go to another buffer'],
  ['<C-]>', '<C-]>', 'go to another buffer'],
  ["'A", "'A", 'go to another buffer'],
  ['<C-w>v', '<C-w>v', 'change windows'],
  ['gt', 'gt', 'go to another tab page'],
  ['<C-z>', '<C-z>', 'suspend Vim'],
  ['qaxq', 'qaxq', 'record a macro'],
  ['2@:', '2@:', 'play a macro'],
  ['"+p', '"+p', 'use what is not of the view'],
  ['"=system("x")<CR>p', '"=system("x")<CR>p', 'evaluate an expression'],
  ['i<C-r>=system("x")<CR>', '<C-r>=system("x")<CR>', 'evaluate an expression'],
  ['i<C-o>:w<CR>', ':w<CR>', 'write'],
  ['/<C-r>=1<CR>', '<C-r>=1<CR>', 'do what is not offered in a view'],
  ['i<C-x><C-f>', '<C-x><C-f>', 'do what is not offered in a view'],
  ['d:w<CR>', ':w<CR>', 'write'],
  ['dfe:w<CR>', ':w<CR>', 'write'],
  ['<Cmd>w<CR>', '<Cmd>w<CR>', 'run an Ex command'],
  ['<F1>', '<F1>', 'do what is not offered in a view'],
  ['yyp99999999p', '99999999p', 'make the text too long'],
];

describe('keys', () => {
  const at = pair({ args: ['--auto-allow', '*'], vimrc: MAPPINGS });

  async function opened(lines: readonly string[]): Promise<number> {
    const buffer = await at.vim.buffer(lines);
    assert.equal((await at.broker.call('view-open', { buffer })).isError, false);
    return buffer;
  }

  async function keys(buffer: number, written: string, remap = false): Promise<Result> {
    const args = { buffer, expected_changedtick: await at.vim.tick(buffer), keys: written, remap };
    return await at.broker.call('keys', args);
  }

  /** What becomes of a text. */
  async function become(lines: readonly string[], written: string, remap = false): Promise<string[]> {
    const buffer = await opened(lines);
    const { isError, text } = await keys(buffer, written, remap);
    assert.equal(isError, false, text);
    return await at.vim.lines(buffer);
  }

  const effectsOf = ({ text }: Result): unknown =>
    (JSON.parse(text.split('\n').at(-1) ?? '') as { effects: unknown }).effects;

  for (const [written, told, effect] of REFUSED) {
    it(`${written} would ${effect}: nothing of it is done`, async () => {
      const path = join(at.home.path, 'kept.txt');
      await writeFile(path, 'some text\nhere\n');
      await at.vim.ex(`edit! ${path}`);
      const buffer = await at.vim.eval<number>('bufnr()');
      await at.broker.call('view-open', { buffer, line: 1 });
      const before = await at.vim.eval('[winlayout(), tabpagenr("$"), bufnr("$"), b:changedtick]');
      const result = await keys(buffer, written);
      assert.equal(result.isError, true);
      assert.deepEqual(effectsOf(result), [{ keys: told, effect }]);
      assert.equal(await readFile(path, 'utf8'), 'some text\nhere\n');
      assert.deepEqual(await at.vim.eval('[winlayout(), tabpagenr("$"), bufnr("$"), b:changedtick]'), before);
      assert.deepEqual((await at.broker.call('screen', { view: true })).value['cursor'], { row: 1, column: 1 });
    });
  }

  it('are Vim’s, with counts, registers, objects, searches and repetition', async () => {
    assert.deepEqual(await become(['a (b) c', 'd'], 'f(di(3ix<Esc>j.'), ['a (xxx) c', 'xxxd']);
    assert.deepEqual(await become(['one two', 'x'], '"adw"aP3"ap'), ['one one one one two', 'x']);
    assert.deepEqual(await become(['a.b', 'c.b'], '/b<CR>r!n.'), ['a.!', 'c.!']);
    assert.deepEqual(await become(['one', 'two'], 'xxu'), ['ne', 'two']);
    assert.deepEqual(await become(['x=1', 'y=2'], 'A;<Esc>yypk<C-a>guiw'), ['x=2;', 'x=1;', 'y=2']);
    assert.deepEqual(await become(['é'], 'aü<C-k>a:<C-v>€<Esc>rß'), ['éüäß']);
    assert.deepEqual(await become(['one'], 'cw<b>bold</b> <lt>CR>'), ['<b>bold</b> <CR>']);
    assert.deepEqual(await become(['one'], 'yyi<C-r>0<C-r>0'), ['one', 'one', 'one']);
    assert.deepEqual(await become(['one'], 'o\ttab\nline'), ['one', '\ttab', 'line']);
  });

  it('do not run what stands in a register as if it were typed', async () => {
    const buffer = await opened(['x\x1b:w! evil\rZZ']);
    assert.equal((await keys(buffer, 'yyo<C-r>"<Esc>')).isError, false);
    assert.equal((await at.vim.lines(buffer))[1], 'x\x1b:w! evil\rZZ');
  });

  it('take no part in mappings unless asked', async () => {
    assert.deepEqual(await become(['one two', 'three'], 'jiajk<Esc>'), ['one two', 'ajkthree']);
    assert.deepEqual(await become(['one two', 'three'], 'kiajk"_x', true), ['one two', 'three']);
    assert.deepEqual(await become(['one two', 'three'], 'wY0P', true), ['twoone two', 'three']);
    for (const cut of [' x', ' d']) assert.deepEqual(await become(['one', 'two'], cut, true), ['two']);
    assert.deepEqual(await become(['one two'], 'wves', true), ['one (two)']);
  });

  it('are refused where a mapping would do more', async () => {
    const buffer = await opened(['one']);
    for (const [written, effect] of [
      [' w', 'write'],
      [' c', 'run an Ex command'],
      [' e', 'evaluate an expression of a mapping'],
      [' l', 'never end'],
      ['<C-Left>', 'write and quit'],
    ] as const) {
      const result = await keys(buffer, written, true);
      assert.deepEqual(effectsOf(result), [{ keys: written, effect }], result.text);
    }
    await at.vim.ex('nnoremap <buffer> Q ZZ');
    assert.deepEqual(effectsOf(await keys(buffer, 'xQ', true)), [{ keys: 'Q', effect: 'write and quit' }]);
    assert.deepEqual(await at.vim.lines(buffer), ['one']);
    assert.equal(await at.vim.eval("get(g:, 'seen', '')"), '');
  });

  it('are done whole or not at all', async () => {
    const buffer = await opened(['one', 'two']);
    const undo = await at.vim.eval('undotree()');
    for (const [written, told] of [
      ['xjfqx', /Vim stopped before fqx: the command failed/],
      ['x/nothing<CR>', /E486: Pattern not found: nothing/],
      ['xd', /the last command is not complete/],
      ['x"a', /the last command is not complete/],
      ['x/tw', /the last command is not complete/],
      ['xu5', /the last command is not complete/],
      ['x\x1b', /keys holds a control character.*<Esc>/s],
      ['x\0', /NUL/],
    ] as const) {
      const { isError, text } = await keys(buffer, written);
      assert.equal(isError, true, written);
      assert.match(text, told);
    }
    assert.deepEqual(await at.vim.lines(buffer), ['one', 'two']);
    assert.deepEqual(await at.vim.eval('undotree()'), undo);
  });

  it('lead nowhere, whatever they are', async () => {
    const random = new Random(60);
    const control = [...'abcdefghijklmnopqrstuvwxyz]^_'].map((letter) => `<C-${letter}>`);
    const named = ['<Esc>', '<CR>', '<Tab>', '<BS>', '<Del>', '<Up>', '<F1>', '<Cmd>', '<lt>', 'é'];
    const typed = Array.from({ length: 95 }, (_, code) => String.fromCharCode(32 + code)).filter((key) => key !== '<');
    const likely = [...'hjklwbe0$xdcyvVpoarfgz\'`"mn/.u'];
    const buffer = await opened(['The quick (brown) fox', '\tjumps "over"', '', 'path/in/file 17']);
    const look = '[winlayout(), tabpagenr("$"), bufnr("$"), getcwd(), mode(1), getreginfo()]';
    const before = await at.vim.eval(look);
    const files = await readdir(at.home.path, { recursive: true });
    const kinds = new Set<string>();
    for (let round = 0; round < 150; round += 1) {
      const length = 1 + random.below(12);
      const written = Array.from({ length }, () => random.pick(random.pick([likely, likely, typed, control, named])));
      const { isError, text } = await keys(buffer, written.join(''));
      kinds.add(isError ? String((JSON.parse(text.split('\n').at(-1) ?? '') as { error: unknown }).error) : 'played');
    }
    assert.deepEqual([...kinds].sort(), ['invalid', 'played', 'unsupported']);
    assert.deepEqual(await at.vim.eval(look), before);
    assert.deepEqual(await readdir(at.home.path, { recursive: true }), files);
    assert.equal(await at.vim.eval("get(g:, 'seen', '')"), '');
  });

  it('that take too long are ended', async () => {
    const buffer = await opened(['a'.repeat(60)]);
    const { isError, text } = await keys(buffer, '/\\%#=1\\(a\\+\\)\\+[bc]<CR>x');
    assert.equal(isError, true);
    assert.match(text, /nothing was done: the keys took longer than 5 s/);
    assert.equal((await keys(buffer, 'x')).isError, false);
  });

  it('are not for terminals and what is not modifiable', async () => {
    await at.vim.buffer(['x']);
    const buffer = await opened(['fixed']);
    await at.vim.ex('setlocal nomodifiable');
    assert.equal((await keys(buffer, 'll')).isError, false);
    assert.match((await keys(buffer, 'x')).text, /'modifiable' off/);
    const terminal = await at.vim.eval<number>("term_start('cat', {'hidden': 1, 'term_kill': 'kill'})");
    assert.match(
      (await at.broker.call('view-open', { buffer: terminal })).text,
      /not followed: its 'buftype' is terminal/,
    );
  });
});

describe('permission for keys', () => {
  const at = stage();

  it('is asked with the change that they make, and not for moving', async () => {
    const { broker, buffer, keys } = await begun([]);
    assert.equal((await keys('jl')).isError, false);
    assert.deepEqual(broker.questions, []);
    broker.answer = DENY;
    assert.match((await keys('x')).text, /denied/);
    assert.match(broker.questions[0] ?? '', /change buffer \d+/);
    assert.match(broker.questions[0] ?? '', /-two\n\+to/);
    broker.answer = ALLOW;
    const { value } = await keys('x');
    assert.deepEqual(value['cursor'], { line: 2, column: 2 });
    assert.equal((await broker.call('read-lines', { buffer })).text.includes('to'), true);
  });

  it('is not given by --auto-deny, and views are open to read only', async () => {
    const denied = await begun(['--auto-deny', 'write']);
    assert.match((await denied.keys('j')).text, /denied by --auto-deny/);
    await denied.broker.close();
    const reader = at.own(await Broker.start(at.home, ['--read-only', '--name', 'reader']));
    const names = (await reader.client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(
      ['view-open', 'view-close', 'keys', 'stop-editor'].map((name) => names.includes(name)),
      [true, true, false, false],
    );
  });

  async function begun(args: readonly string[]) {
    const broker = at.own(await Broker.start(at.home, args));
    const path = join(at.home.path, 'text');
    await writeFile(path, 'one\ntwo\n');
    broker.answer = ALLOW;
    const { value } = await broker.call('start-editor', { path });
    broker.questions.length = 0;
    const { target, buffer, changedtick: expected_changedtick } = value;
    assert.equal((await broker.call('view-open', { target, buffer })).isError, false);
    const keys = (written: string): Promise<Result> =>
      broker.call('keys', { target, buffer, expected_changedtick, keys: written });
    return { broker, buffer, keys };
  }
});
