import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { change, type Result } from './broker.js';
import { pair } from './fixture.js';

interface Row {
  readonly what: string;
  /** The file as bytes, one for each character. */
  readonly bytes: string;
  /** How its lines are read. */
  readonly lines: readonly string[];
  /** What state says that is not ordinary. */
  readonly facts?: Record<string, unknown>;
  readonly lossy?: readonly number[];
  /** Options of the person. */
  readonly options?: string;
  /** How the person opens it, if not the tool does. */
  readonly edit?: string;
  /** The line that is changed to `CHANGED`; the second by default. */
  readonly line?: number;
  /** The file after that. */
  readonly saved: string;
}

/** UTF-8 text as bytes. */
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

const BOM = '\xef\xbb\xbf';

const ROWS: readonly Row[] = [
  { what: 'ASCII', bytes: 'one\ntwo\n', lines: ['one', 'two'], saved: 'one\nCHANGED\n' },
  {
    what: 'wide and composed characters',
    bytes: utf8('世界 🙂\ne\u0301 two\n'),
    lines: ['世界 🙂', 'e\u0301 two'],
    saved: utf8('世界 🙂\nCHANGED\n'),
  },
  {
    what: 'latin1',
    bytes: 'caf\xe9\ntwo\n',
    lines: ['café', 'two'],
    facts: { fileencoding: 'latin1' },
    saved: 'caf\xe9\nCHANGED\n',
  },
  {
    what: 'UTF-16 with a mark',
    bytes: '\xff\xfeo\0n\0e\0\n\0\xe9\0\n\0',
    lines: ['one', 'é'],
    facts: { fileencoding: 'utf-16le', bomb: true },
    line: 1,
    saved: '\xff\xfeC\0H\0A\0N\0G\0E\0D\0\n\0\xe9\0\n\0',
  },
  {
    what: 'UTF-8 with a mark',
    bytes: `${BOM}one\ntwo\n`,
    lines: ['one', 'two'],
    facts: { bomb: true },
    saved: `${BOM}one\nCHANGED\n`,
  },
  {
    what: 'lines that end in CR LF',
    bytes: 'one\r\ntwo\r\n',
    lines: ['one', 'two'],
    facts: { fileformat: 'dos' },
    saved: 'one\r\nCHANGED\r\n',
  },
  {
    what: 'lines of which some end in CR LF',
    bytes: 'one\r\ntwo\nthree\r\n',
    lines: ['one\r', 'two', 'three\r'],
    saved: 'one\r\nCHANGED\nthree\r\n',
  },
  {
    what: 'lines that end in CR',
    bytes: 'one\rtwo\r',
    lines: ['one', 'two'],
    facts: { fileformat: 'mac' },
    options: 'fileformats=unix,dos,mac',
    saved: 'one\rCHANGED\r',
  },
  {
    what: 'CR where Vim does not look for them',
    bytes: 'one\rtwo\nthree\n',
    lines: ['one\rtwo', 'three'],
    saved: 'one\rtwo\nCHANGED\n',
  },
  {
    what: 'no end of the last line',
    bytes: 'one\ntwo\nthree',
    lines: ['one', 'two', 'three'],
    facts: { endofline: false },
    options: 'nofixendofline',
    saved: 'one\nCHANGED\nthree',
  },
  {
    what: 'no end of the last line, which Vim puts right',
    bytes: 'one\ntwo\nthree',
    lines: ['one', 'two', 'three'],
    facts: { endofline: false },
    saved: 'one\nCHANGED\nthree\n',
  },
  {
    what: 'tabs and other control characters',
    bytes: '\tone\x01\x1b[m\x7f\ntwo\n',
    lines: ['\tone\x01\x1b[m\x7f', 'two'],
    saved: '\tone\x01\x1b[m\x7f\nCHANGED\n',
  },
  { what: 'NUL', bytes: 'o\0ne\ntwo\n\0\n', lines: ['o\0ne', 'two', '\0'], saved: 'o\0ne\nCHANGED\n\0\n' },
  {
    what: 'bytes that are no UTF-8, taken for latin1',
    bytes: 'bad\xff\xc3\ntwo\n',
    lines: ['badÿÃ', 'two'],
    facts: { fileencoding: 'latin1' },
    saved: 'bad\xff\xc3\nCHANGED\n',
  },
  ...(
    [
      ['bytes that are no UTF-8', '\xff'],
      ['a cut character', '\xe4\xb8'],
      ['a surrogate', '\xed\xa0\x80'],
      ['an overlong form', '\xc0\x80'],
      ['a character beyond Unicode', '\xf4\x90\x80\x80'],
    ] as const
  ).map(([what, bad]) => ({
    what: `${what} in UTF-8`,
    bytes: `bad${bad}x\ntwo\n`,
    lines: [`bad${'\ufffd'.repeat(bad.length)}x`, 'two'],
    lossy: [1],
    edit: 'edit ++enc=utf-8 ++bad=keep',
    saved: `bad${bad}x\nCHANGED\n`,
  })),
];

/** What Vim makes of the several bytes of one bad character, U+FFFD once or more often, is not told apart. */
const squeezed = (text: unknown): string => String(text).replace(/\ufffd+/g, '\ufffd');

describe('a file', () => {
  const at = pair({ vimrc: 'set fileencodings=ucs-bom,utf-8,latin1\n' });

  async function call(tool: string, args: Record<string, unknown>): Promise<Result['value']> {
    const { isError, text, value } = await at.broker.call(tool, args);
    assert.equal(isError, false, text);
    return value;
  }

  for (const [index, row] of ROWS.entries()) {
    it(`is read, and changed in nothing but one line: ${row.what}`, async () => {
      const path = join(at.home.path, `file${index}.txt`);
      await writeFile(path, row.bytes, 'latin1');
      await at.vim.ex('set fileformats& fileencodings=ucs-bom,utf-8,latin1 fixendofline');
      await at.vim.ex(`set ${row.options ?? ''}`);
      if (row.edit !== undefined) await at.vim.ex(`${row.edit} ${path}`);
      const { buffer } = await call('open', { path });
      const read = await call('read-lines', { buffer });
      assert.equal(squeezed(read['text']), squeezed(row.lines.map((line) => `${line}\n`).join('')));
      assert.deepEqual(read['lossy'], row.lossy);
      const [facts] = (await call('state', { buffer }))['buffers'] as Record<string, unknown>[];
      const { fileencoding, fileformat, bomb, endofline } = facts ?? {};
      const told = Object.entries({ fileencoding, fileformat, bomb, endofline });
      assert.deepEqual(Object.fromEntries(told.filter(([, value]) => value !== undefined)), row.facts ?? {});
      const line = row.line ?? 2;
      const diff = change(line, row.lines[line - 1] ?? '', 'CHANGED');
      const edited = await call('apply-diff', { buffer, expected_changedtick: read['changedtick'], diff });
      await call('save', { buffer, expected_changedtick: edited['changedtick'] });
      assert.equal(await readFile(path, 'latin1'), row.saved);
    });
  }

  it('of which Vim replaced bytes as it read it is not written', async () => {
    const path = join(at.home.path, 'replaced.txt');
    await writeFile(path, 'bad\xff\ntwo\n', 'latin1');
    await at.vim.ex('set fileencodings=utf-8');
    const { buffer, changedtick } = await call('open', { path });
    assert.equal((await call('read-lines', { buffer }))['text'], 'bad?\ntwo\n');
    const diff = change(2, 'two', 'CHANGED');
    const edited = await call('apply-diff', { buffer, expected_changedtick: changedtick, diff });
    const saved = await at.broker.call('save', { buffer, expected_changedtick: edited['changedtick'] });
    assert.match(saved.text, /E45/);
    assert.equal(await readFile(path, 'latin1'), 'bad\xff\ntwo\n');
  });

  it('is not written where its encoding lacks a character of the text', async () => {
    await at.vim.ex('set fileencodings=ucs-bom,utf-8,latin1');
    for (const [encoding, good, bad] of [
      ['latin1', 'é¿', '€'],
      ['ucs-2le', '世€', '🙂'],
      ['euc-jp', '世', 'é🙂'],
    ] as const) {
      const path = join(at.home.path, `lacking-${encoding}.txt`);
      await at.vim.ex('enew!');
      await at.vim.eval(`setline(1, ['one', '${good}'])`);
      await at.vim.ex(`write ++enc=${encoding} ${path}`);
      const before = await readFile(path);
      await at.vim.ex(`edit ++enc=${encoding} ${path}`);
      const buffer = await at.vim.eval<number>('bufnr()');
      assert.deepEqual(await at.vim.lines(buffer), ['one', good]);
      const change2 = async (from: string, to: string): Promise<unknown> => {
        const tick = await at.vim.tick(buffer);
        return (await call('apply-diff', { buffer, expected_changedtick: tick, diff: change(2, from, to) }))[
          'changedtick'
        ];
      };
      const refused = await at.broker.call('save', { buffer, expected_changedtick: await change2(good, bad) });
      assert.match(refused.text, new RegExp(`^line 2 of .*'fileencoding' ${encoding} lacks; nothing was written`));
      assert.deepEqual(await readFile(path), before);
      const saved = await call('save', { buffer, expected_changedtick: await change2(bad, `${good}${good}`) });
      assert.deepEqual([saved['written'], saved['modified']], [true, false]);
    }
  });

  it('with a line that is too long for one answer is read piece by piece, and changed beside it and in it', async () => {
    const path = join(at.home.path, 'long.txt');
    const long = `${'ü世e\u0301x'.repeat(90_000)}end`;
    await writeFile(path, `one\n${long}\nthree\n`);
    const { buffer } = await call('open', { path });
    let text = '';
    let pieces = 0;
    let from: Record<string, unknown> = { next: 1 };
    while (from['next'] !== undefined) {
      from = await call('read-lines', { buffer, first: from['next'], column: from['next_column'] });
      assert.ok(Buffer.byteLength(String(from['text'])) <= 129 * 1024);
      text += String(from['text']);
      pieces += 1;
    }
    assert.ok(text === `one\n${long}\nthree\n` && pieces > 5, `${pieces} pieces`);
    const only = await call('read-lines', { buffer, first: 2, last: 2, column: 360_000 });
    assert.deepEqual([only['text'], only['next'], only['next_column']], ['xend\n', undefined, undefined]);
    const diff = `@@ -1,3 +1,3 @@\n one\n-${long}\n+short\n three\n`;
    const edited = await call('apply-diff', { buffer, expected_changedtick: from['changedtick'], diff });
    await call('save', { buffer, expected_changedtick: edited['changedtick'] });
    assert.equal(await readFile(path, 'utf8'), 'one\nshort\nthree\n');
  });
});

describe('read-lines', () => {
  const at = pair();

  it('counts from the end, and gives nothing beyond it', async () => {
    const buffer = await at.vim.buffer(['1', '2', '3']);
    for (const [first, text, from] of [
      [-1, '3\n', 3],
      [-2, '2\n3\n', 2],
      [-9, '1\n2\n3\n', 1],
      [4, '', 4],
    ] as const) {
      const { value } = await at.broker.call('read-lines', { buffer, first });
      assert.deepEqual([value['text'], value['first'], value['next']], [text, from, undefined]);
    }
    assert.equal((await at.broker.call('read-lines', { buffer, first: 0 })).isError, true);
  });

  it('ends an answer where the buffer changes meanwhile, unless a tick is given', async () => {
    const buffer = await at.vim.buffer(Array.from({ length: 2000 }, (_, index) => `${index} ${'x'.repeat(50)}`));
    const lines = await at.vim.lines(buffer);
    await at.vim.ex('autocmd SafeStateAgain * call setline(2000, reltimestr(reltime()))');
    const { value } = await at.broker.call('read-lines', { buffer });
    const next = value['next'] as number;
    assert.ok(next > 400 && next < 700, `the next line is ${next}`);
    assert.equal(
      value['text'],
      lines
        .slice(0, next - 1)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const guarded = await at.broker.call('read-lines', { buffer, expected_changedtick: value['changedtick'] });
    assert.match(guarded.text, /"stale"/);
    await at.vim.ex('autocmd! SafeStateAgain');
    const whole = await at.broker.call('read-lines', { buffer });
    assert.deepEqual([whole.value['last'], whole.value['next']], [2000, undefined]);
  });

  it('reads nothing of a buffer that changed, where a tick is given', async () => {
    const buffer = await at.vim.buffer(['1']);
    const tick = await at.vim.tick(buffer);
    const same = await at.broker.call('read-lines', { buffer, expected_changedtick: tick });
    assert.equal(same.value['text'], '1\n');
    await at.vim.eval('setline(1, "2")');
    const stale = await at.broker.call('read-lines', { buffer, expected_changedtick: tick });
    assert.equal(stale.isError, true);
    assert.match(stale.text, new RegExp(`changed since tick ${tick}.*"changedtick":${tick + 1}`, 's'));
  });
});
