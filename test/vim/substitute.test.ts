import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ALLOW, type Result } from './broker.js';
import { pair } from './fixture.js';

describe('substitute', () => {
  const at = pair();

  async function substitute(buffer: number, args: Record<string, unknown>): Promise<Result> {
    const tick = await at.vim.tick(buffer);
    return await at.broker.call('substitute', { buffer, expected_changedtick: tick, ...args });
  }

  it('replaces as :s does, in one undo step, and says how often and where', async () => {
    const buffer = await at.vim.buffer(['one two', 'three', 'two two']);
    const result = await substitute(buffer, { pattern: '\\<\\(t\\)wo\\>', replacement: '<\\u\\1&>' });
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.lines(buffer), ['one <Ttwo>', 'three', '<Ttwo> <Ttwo>']);
    const { count, lines, touched, changedtick, modified } = result.value;
    assert.deepEqual([count, lines, touched, modified], [3, [1, 3], 2, true]);
    assert.equal(changedtick, await at.vim.tick(buffer));
    at.vim.type('u');
    await at.vim.until("getline(1, '$')", ['one two', 'three', 'two two']);
  });

  it('asks with the number, the lines and what becomes of them', async () => {
    const buffer = await at.vim.buffer(['a', 'b a a', 'c']);
    await substitute(buffer, { pattern: 'a', replacement: 'x' });
    const [question = ''] = at.broker.questions;
    assert.match(question, /replace 3 matches in 2 lines of buffer/);
    assert.ok(
      question.includes('pattern: a\nreplacement: x\nlines 1, 2\n@@ line 1 @@\n-a\n-b a a\n+x\n+b x x\n'),
      question,
    );
  });

  it('changes nothing while it asks, nor after the text has changed', async () => {
    const buffer = await at.vim.buffer(['a']);
    at.broker.answer = async () => {
      assert.deepEqual(await at.vim.lines(buffer), ['a']);
      await at.vim.eval("setline(1, 'a a')");
      return ALLOW;
    };
    const result = await substitute(buffer, { pattern: 'a', replacement: 'x' });
    assert.match(result.text, /changed since tick/);
    assert.deepEqual(await at.vim.lines(buffer), ['a a']);
  });

  const before = ['ab ab', 'AB', 'ab'];
  for (const [what, args, after] of [
    ['the first match of a line only', { all: false }, ['x ab', 'AB', 'x']],
    ['in a range', { first: 2, last: 3 }, before.with(2, 'x')],
    ['regardless of case', { ignore_case: true }, ['x x', 'x', 'x']],
    ['across lines', { pattern: 'ab\\nA', replacement: '-' }, ['ab -B', 'ab']],
    ['a newline as a line break', { pattern: 'ab\nA', replacement: '1\n2' }, ['ab 1', '2B', 'ab']],
    ['into several lines', { pattern: ' ', replacement: '\\r' }, ['ab', 'ab', 'AB', 'ab']],
    ['with a NUL for \\n', { pattern: ' ', replacement: '\\n' }, before.with(0, 'ab\nab')],
    ['from \\zs', { pattern: 'a\\zsb' }, ['ax ax', 'AB', 'ax']],
    ['at the beginning of lines', { pattern: '^', replacement: '> ' }, before.map((line) => `> ${line}`)],
    ['all lines into one', { pattern: '\\n', replacement: ',' }, ['ab ab,AB,ab,']],
  ] as const) {
    it(`replaces ${what}`, async () => {
      const buffer = await at.vim.buffer(before);
      const result = await substitute(buffer, { pattern: 'ab', replacement: 'x', ...args });
      assert.equal(result.isError, false, result.text);
      assert.deepEqual(await at.vim.lines(buffer), after);
    });
  }

  it('takes every character literally when it is told to', async () => {
    const odd = '/ & ~ \\ ^ $ . * [ ] \\1 \\= \\r \u0001 | "';
    const buffer = await at.vim.buffer([`<${odd}`, `${odd}>`, odd]);
    const result = await substitute(buffer, {
      pattern: `${odd}\n${odd}`,
      replacement: `${odd}\r\n${odd}`,
      literal: true,
    });
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.lines(buffer), [`<${odd}\r`, `${odd}>`, odd]);
    for (const [pattern, text] of [
      ['^', '^x$ \\=1'],
      ['$', '^x$ \\=1'],
    ] as const) {
      const one = await at.vim.buffer([text]);
      await substitute(one, { pattern, replacement: '\\=1', literal: true });
      assert.deepEqual(await at.vim.lines(one), [text.replace(pattern, () => '\\=1')]);
    }
  });

  it('runs no code, whatever the replacement, the pattern or the last substitution was', async () => {
    const buffer = await at.vim.buffer(['a ~', 'b']);
    const path = join(at.home.path, 'ran');
    const code = `\\=writefile([], '${path}')`;
    const refused = await substitute(buffer, { pattern: 'a', replacement: code });
    assert.match(refused.text, /begins with \\=.*literal/);
    assert.deepEqual(at.broker.questions, []);
    await at.vim.ex(`2s/b/\\=execute("let g:ran = get(g:, 'ran') + 1")/`);
    await at.vim.ex('set cpoptions+=/');
    for (const [replacement, line] of [
      ['~', '~'],
      ['%', '%'],
      ['x\u0001e | let g:ran = 2\n| let g:ran = 3', 'x\u0001e | let g:ran = 2'],
    ] as const) {
      await at.vim.eval(`setbufline(${buffer}, 1, 'a')`);
      const done = await substitute(buffer, { pattern: 'a', replacement, last: 1 });
      assert.equal(done.isError, false, done.text);
      assert.equal((await at.vim.lines(buffer))[0], line);
    }
    await at.vim.ex('set cpoptions-=/');
    const ending = await substitute(buffer, { pattern: '|', replacement: 'x\\' });
    assert.match(ending.text, /ends with a single backslash/);
    const tilde = await at.vim.buffer(['a~']);
    await substitute(tilde, { pattern: '~', replacement: '-' });
    assert.deepEqual([await at.vim.eval('g:ran'), await at.vim.lines(tilde)], [1, ['a-']]);
    assert.equal(await at.vim.eval(`filereadable('${path}')`), 0);
  });

  it('does the same whatever options the person has set', async () => {
    await at.vim.ex('set gdefault ignorecase smartcase nomagic edcompatible');
    const options = '[&gdefault, &ignorecase, &smartcase, &magic, &edcompatible, &cpoptions]';
    const set = await at.vim.eval(options);
    const buffer = await at.vim.buffer(['aa AA', 'aaa']);
    await substitute(buffer, { pattern: 'a*', replacement: '[&]', all: false });
    assert.deepEqual(await at.vim.lines(buffer), ['[aa] AA', '[aaa]']);
    await substitute(buffer, { pattern: 'a', replacement: 'b' });
    assert.deepEqual(await at.vim.lines(buffer), ['[bb] AA', '[bbb]']);
    assert.deepEqual(await at.vim.eval(options), set);
    await at.vim.ex('set nogdefault noignorecase nosmartcase magic noedcompatible');
  });

  it('refuses, unasked, what cannot be meant', async () => {
    const lines = ['a a', 'b', 'a[a\\'];
    const buffer = await at.vim.buffer(lines);
    for (const [args, text] of [
      [{ pattern: 'nothing' }, /matches nothing in lines 1 to 3 of buffer/],
      [{ pattern: '\\(a' }, /E54/],
      [{ pattern: 'a\\{' }, /E554/],
      [{ pattern: '[a', replacement: 'x]' }, /a \[ without \]/],
      [{ pattern: 'a\\' }, /ends with a backslash/],
      [{ pattern: 'a', last: 4 }, /lines 1 to 4 are not in buffer.*has 3/],
      [{ pattern: 'a', first: 3, last: 2 }, /lines 3 to 2/],
      [{ pattern: 'a\0' }, /NUL/],
      [{ pattern: 'a', expected_count: 2 }, /4 matches, not 2: in lines 1, 3\..*"lines":\[1,3\]/s],
    ] as const) {
      const result = await substitute(buffer, { replacement: 'x', ...args });
      assert.equal(result.isError, true);
      assert.match(result.text, text);
    }
    await at.vim.ex('setlocal nomodifiable');
    assert.match((await substitute(buffer, { pattern: 'a', replacement: 'x' })).text, /modifiable/);
    assert.deepEqual([await at.vim.lines(buffer), at.broker.questions], [lines, []]);
  });

  it('gives up on a pattern that takes too long', async () => {
    const buffer = await at.vim.buffer(['x'.repeat(60)]);
    const result = await substitute(buffer, { pattern: '\\%#=1\\(x\\+x\\+\\)\\+y', replacement: '' });
    assert.match(result.text, /takes too long/);
    await at.vim.eval("setline(1, repeat(['x'->repeat(100)], 11000))");
    assert.match((await substitute(buffer, { pattern: 'x\\n', replacement: '' })).text, /too much text.*take fewer/);
  });

  it('keeps bytes that are no text', async () => {
    await writeFile(join(at.home.path, 'bytes'), Buffer.from('a \xff a\n\xfe b\n', 'latin1'));
    const { value } = await at.broker.call('open', { path: 'bytes' });
    const buffer = value['buffer'] as number;
    await at.vim.ex(`buffer ${buffer} | edit ++enc=utf-8 ++bad=keep`);
    await substitute(buffer, { pattern: '[ab]', replacement: 'c' });
    const saved = await at.broker.call('save', { buffer, expected_changedtick: await at.vim.tick(buffer) });
    assert.equal(saved.isError, false, saved.text);
    assert.equal(await readFile(join(at.home.path, 'bytes'), 'latin1'), 'c \xff c\n\xfe c\n');
  });

  it('can be made while the person types, between two undo steps', async () => {
    const buffer = await at.vim.buffer(['a b', 'text', 'a']);
    at.vim.type('jAone ');
    await at.vim.until('getline(2)', 'textone ');
    const result = await substitute(buffer, { pattern: 'a\\( b\\)\\=', replacement: 'x\\ry' });
    assert.equal(result.isError, false, result.text);
    at.vim.type('two');
    await at.vim.until("getline(1, '$')", ['x', 'y', 'textone two', 'x', 'y']);
    at.vim.type('\x1bu');
    await at.vim.until("getline(1, '$')", ['x', 'y', 'textone ', 'x', 'y']);
    at.vim.type('u');
    await at.vim.until("getline(1, '$')", ['a b', 'textone ', 'a']);
    at.vim.type('u');
    await at.vim.until("getline(1, '$')", ['a b', 'text', 'a']);
  });

  it('moves nothing of the person who is in another buffer', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    const other = await at.vim.buffer(lines);
    await at.vim.ex('vsplit');
    await at.vim.buffer(lines);
    at.vim.type('30Gma50Gyy/line 7\rGiX\x1b60G10|zz/line 6/e\rVjd:s/6/six/\r40Gzt');
    await at.vim.until("[line('.'), line('$'), line('w0')]", [40, 98, 40]);
    const STATE = `[win_getid(), winsaveview(), getpos("'<"), getpos("'."), getpos("''"), getpos("'["), getpos("']"), getjumplist(), getchangelist(), getreg('"'), getreg('/'), histnr(':'), histnr('/'), bufnr('#'), bufnr('$'), winlayout(), getpos("'a"), mode(1), v:hlsearch, execute('messages')]`;
    const before = await at.vim.eval(STATE);
    const result = await substitute(other, { pattern: 'line \\(.*\\)', replacement: '\\1\\rmore' });
    assert.equal(result.isError, false, result.text);
    assert.equal((await at.vim.lines(other)).length, 200);
    const [windows, ...state] = (await at.vim.eval(STATE)) as unknown[];
    const [sameWindows, ...same] = before as unknown[];
    assert.deepEqual([windows, state], [sameWindows, same]);
    // The person's own way of repeating puts nothing of this into their text.
    at.vim.type('gg/line 1\r&');
    await at.vim.until("[line('.'), getline('.')]", [10, 'line 10']);
  });
});
