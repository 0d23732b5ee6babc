import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Result } from './broker.js';
import { pair } from './fixture.js';

interface Match {
  buffer: number;
  line: number;
  column: number;
  text: string;
  cut?: boolean;
}

describe('grep', () => {
  const at = pair({ vimrc: 'set ignorecase smartcase nomagic\n' });

  async function grep(args: Record<string, unknown>): Promise<Result['value'] & { matches: Match[] }> {
    const { isError, text, value } = await at.broker.call('grep', args);
    assert.equal(isError, false, text);
    return value as Result['value'] & { matches: Match[] };
  }

  /** Line and column of each match. */
  function places({ matches }: { matches: readonly Match[] }): number[][] {
    return matches.map(({ line, column }) => [line, column]);
  }

  it('finds unsaved text in one buffer, in characters', async () => {
    const buffer = await at.vim.buffer(['foo bar', 'ünï 🙂 foo foo', 'e\u0301foo']);
    const value = await grep({ pattern: 'fo\\+', buffer });
    assert.deepEqual(value, {
      target: 'ed',
      matches: [
        { buffer, line: 1, column: 1, text: 'foo bar' },
        { buffer, line: 2, column: 7, text: 'ünï 🙂 foo foo' },
        { buffer, line: 2, column: 11, text: 'ünï 🙂 foo foo' },
        { buffer, line: 3, column: 2, text: 'e\u0301foo' },
      ],
      buffers: [{ buffer, filename: '', changedtick: await at.vim.tick(buffer) }],
      searched: 1,
      total: 4,
    });
  });

  for (const [what, args, expected] of [
    ['case counts, whatever the options', { pattern: 'foo' }, '1:1'],
    ['case does not count if told so', { pattern: 'foo', ignore_case: true }, '1:1 2:1'],
    ['a literal text with signs', { pattern: 'a.*[\\b', literal: true }, '3:2'],
    ['a literal text of two lines', { pattern: 'foo\nFoo', literal: true }, '1:1'],
    ['a pattern of two lines', { pattern: 'Foo\\_s\\+(a' }, '2:1'],
    ['very magic', { pattern: '\\v^(f|F)oo$' }, '1:1 2:1'],
    ['a chosen engine', { pattern: '\\%#=1fo*' }, '1:1'],
    ['repeated, without overlap', { pattern: 'aa' }, '4:1 4:3'],
    ['what stands after something', { pattern: 'x\\zsy' }, '5:2 5:4'],
    ['the ends of lines', { pattern: '$', first: 4, last: 6 }, '4:6 5:5 6:1'],
    ['empty lines', { pattern: '^$' }, '6:1'],
    ['a range', { pattern: 'oo', first: 2, last: 3 }, '2:2'],
    ['nothing', { pattern: 'nowhere' }, ''],
    ['beyond the end', { pattern: 'foo', first: 100 }, ''],
  ] as const) {
    it(`takes the pattern as told: ${what}`, async () => {
      const buffer = await at.vim.buffer(['foo', 'Foo', '(a.*[\\b', 'aaaaa', 'xyxy', '']);
      const value = await grep({ ...args, buffer });
      const found = places(value);
      assert.equal(found.map((place) => place.join(':')).join(' '), expected);
      assert.equal(value['total'], found.length);
    });
  }

  it('searches all listed and loaded buffers, and others only when they are named', async () => {
    await at.vim.ex('%bwipeout!');
    const one = await at.vim.buffer(['needle here']);
    await at.vim.ex('file one.txt');
    const two = await at.vim.buffer(['and a needle', 'no']);
    const unlisted = await at.vim.buffer(['needle']);
    await at.vim.ex('setlocal nobuflisted bufhidden=hide');
    const unloaded = await at.vim.eval<number>("bufadd('needle.txt')");
    await at.vim.eval(`writefile(['a needle on disk'], 'needle.txt') + setbufvar(${unloaded}, '&buflisted', 1)`);
    await at.vim.ex('terminal');
    const terminal = await at.vim.eval<number>('bufnr()');
    const value = await grep({ pattern: 'needle' });
    assert.deepEqual(
      value.matches.map((match) => match.buffer),
      [one, two],
    );
    assert.deepEqual(
      (value['buffers'] as { filename: string }[]).map(({ filename }) => filename),
      [`${at.home.path}/one.txt`, ''],
    );
    assert.equal(await at.vim.eval(`bufloaded(${unloaded})`), 0);
    for (const buffer of [unlisted, unloaded]) assert.equal((await grep({ pattern: 'needle', buffer }))['total'], 1);
    const refused = await at.broker.call('grep', { pattern: 'needle', buffer: terminal });
    assert.match(refused.text, /is a terminal.*"unsupported"/s);
    await at.vim.ex('bwipeout!');
  });

  it('goes on where the limit ended it', async () => {
    const buffer = await at.vim.buffer(Array.from({ length: 25 }, (_, index) => `${index} x x`));
    const found: number[][] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const value = await grep({ pattern: 'x', buffer, offset, limit: 20 });
      assert.equal(value['total'], 50);
      found.push(...places(value));
      offset = value['next'] as number | undefined;
    }
    assert.equal(found.length, 50);
    assert.deepEqual(new Set(found.map(String)).size, 50);
  });

  it('cuts long lines around the match, and counts a hundred matches of one', async () => {
    const text = 'ü世'.repeat(5000);
    const buffer = await at.vim.buffer(['']);
    await at.vim.eval("setline(1, repeat('ü世', 5000) .. 'needle' .. repeat('ü世', 5000))");
    const { matches } = await grep({ pattern: 'needle', buffer });
    const [match] = matches;
    assert.deepEqual([match?.column, match?.cut], [text.length + 1, true]);
    assert.match(match?.text ?? '', /^…[ü世]+needle[ü世]+…$/);
    assert.ok(Buffer.byteLength(match?.text ?? '') < 450);
    assert.equal((await grep({ pattern: 'ü', buffer, limit: 5 }))['total'], 100);
  });

  it('shows a NUL as it is', async () => {
    const buffer = await at.vim.buffer(['']);
    await at.vim.eval('setline(1, "nul\\nhere")');
    assert.equal((await grep({ pattern: 'here', buffer })).matches[0]?.text, 'nul\0here');
  });

  for (const [what, pattern, message] of [
    ['an open group', '\\(', /E54.*"invalid"/s],
    ['counts that need all memory', '\\(\\(a\\{400}\\)\\{400}\\)\\{400}', /counts of the pattern.*"invalid"/s],
    ['too much memory', '\\(\\(a*\\)*\\)*\\2b', /E363.*"invalid"/s],
    ['too much time', '\\%#=1\\(a\\+\\)\\+b', /takes too long in line 1 of buffer.*"invalid"/s],
  ] as const) {
    it(`refuses ${what}, and Vim goes on`, async () => {
      const buffer = await at.vim.buffer(['a'.repeat(40)]);
      const result = await at.broker.call('grep', { pattern, buffer });
      assert.equal(result.isError, true);
      assert.match(result.text, message);
      assert.equal(await at.vim.eval('mode(1)'), 'n');
    });
  }

  it("moves nothing of the person's, in any mode", async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`);
    const buffer = await at.vim.buffer(lines);
    await at.vim.ex('setlocal bufhidden=wipe | let g:fired = 0');
    const EVENTS = 'OptionSet,BufEnter,BufLeave,BufWinEnter,BufWinLeave,BufHidden,WinEnter,WinLeave,WinNew';
    await at.vim.ex(`autocmd ${EVENTS} * let g:fired += 1`);
    at.vim.type('/line 7\r50Gma60Gzt');
    await at.vim.until("[line('.'), line('w0')]", [60, 60]);
    const STATE =
      "[mode(1), winsaveview(), getpos(\"'<\"), getjumplist(), getreg('/'), histnr('/'), bufnr('#'), winlayout(), &l:bufhidden, v:searchforward, v:hlsearch, g:fired]";
    for (const keys of ['', 'Vj', ':echo', 'i', 'd']) {
      at.vim.type(keys);
      await at.vim.until('mode(1)', { '': 'n', Vj: 'V', ':echo': 'c', i: 'i', d: 'no' }[keys]);
      const before = await at.vim.eval(STATE);
      assert.deepEqual((await grep({ pattern: 'line 1$', buffer }))['total'], 1);
      assert.deepEqual(await at.vim.eval(STATE), before);
      at.vim.type(keys === '' ? '' : '\x1b');
      await at.vim.until('mode(1)', 'n');
    }
  });

  it('takes a million lines, and tells when they change meanwhile', async () => {
    const buffer = await at.vim.buffer(['']);
    await at.vim.eval("setline(1, range(1, 1000000)->map({_, n -> 'line ' .. n}))");
    const value = await grep({ pattern: '99999\\d*$', buffer });
    assert.deepEqual([value['total'], places(value).at(-1)], [19, [999_999, 6]]);
    const uncounted = await grep({ pattern: '.', buffer, limit: 1 });
    assert.deepEqual([places(uncounted), uncounted['total'], uncounted['next']], [[[1, 1]], undefined, 1]);
    const last = await at.broker.call('read-lines', { buffer, first: -1 });
    assert.equal(last.value['text'], 'line 1000000\n');
    const middle = await at.broker.call('read-lines', { buffer, first: 500_000 });
    assert.match(String(middle.value['text']), /^line 500000\nline 500001\n/);
    await at.vim.ex(
      "let g:grown = 0 | call timer_start(100, {-> setline(1, 'changed') + execute('let g:grown += 1')})",
    );
    const changed = await grep({ pattern: 'line 1000000', buffer });
    assert.equal(await at.vim.eval('g:grown'), 1);
    const [facts] = changed['buffers'] as { changed?: boolean; changedtick: number }[];
    assert.deepEqual([facts?.changed, facts?.changedtick], [true, (await at.vim.tick(buffer)) - 1]);
  });
});
