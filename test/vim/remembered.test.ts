import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Broker, change, DENY, printedUrl, type Result } from './broker.js';
import { FakeVim } from './fake-vim.js';
import { pair, stage } from './fixture.js';

type Operation = Readonly<Record<string, unknown>>;

describe('a change of lines that were seen just before', () => {
  const at = pair({ args: ['--auto-allow', 'write'] });

  function edit(buffer: number, tick: unknown, operations: readonly Operation[]): Promise<Result> {
    return at.broker.call('edit', { buffer, expected_changedtick: tick, operations });
  }

  async function read(buffer: number): Promise<unknown> {
    const { value } = await at.broker.call('read-lines', { buffer });
    return value['changedtick'];
  }

  it('is worked out on the text that the changes before have made', async () => {
    const buffer = await at.vim.buffer(['a', 'b', 'c', 'd']);
    let tick = await read(buffer);
    const steps: readonly (readonly [readonly Operation[], readonly string[]])[] = [
      [
        [
          { kind: 'insert-lines', after: 0, text: 'top' },
          { kind: 'lines', first: 2, last: 3, text: 'B' },
        ],
        ['top', 'a', 'B', 'd'],
      ],
      [[{ kind: 'replace', old: 'B\nd\n', new: 'one\ntwo\nthree\n' }], ['top', 'a', 'one', 'two', 'three']],
      [[{ kind: 'lines', first: 1, last: 4, text: '' }], ['three']],
      [[{ kind: 'insert-lines', after: 1, text: '\nlast' }], ['three', '', 'last']],
      [[{ kind: 'document', text: '' }], ['']],
      [[{ kind: 'document', text: 'x\n\n' }], ['x', '']],
      [[{ kind: 'range', start: 0, end: 2, text: '🙂 ' }], ['🙂 ']],
    ];
    for (const [operations, lines] of steps) {
      const result = await edit(buffer, tick, operations);
      assert.equal(result.isError, false, result.text);
      assert.deepEqual(await at.vim.lines(buffer), lines);
      tick = result.value['changedtick'];
    }
  });

  it('is refused with the new tick when the person has typed since', async () => {
    const buffer = await at.vim.buffer(['one', 'two']);
    const tick = await read(buffer);
    await at.vim.typed('x');
    const now = await at.vim.tick(buffer);
    const stale = new RegExp(`^buffer ${buffer} .*changed since tick ${String(tick)}; it is now at ${now}\\. `);
    for (const old of ['one', 'ne', 'three']) {
      assert.match((await edit(buffer, tick, [{ kind: 'replace', old, new: 'new' }])).text, stale);
    }
    const same = await edit(buffer, tick, [{ kind: 'lines', first: 1, last: 1, text: 'one' }]);
    assert.match(same.text, stale, 'also where nothing would change');
    const diff = { buffer, expected_changedtick: tick, diff: change(1, 'one', 'new') };
    assert.match((await at.broker.call('apply-diff', diff)).text, stale);
    assert.deepEqual(await at.vim.lines(buffer), ['ne', 'two']);
  });

  it('leaves alone what cannot be written back', async () => {
    const file = join(at.home.path, 'bytes');
    await writeFile(file, 'good\n');
    await appendFile(file, Buffer.from([0x62, 0xff, 0x0a, 0x61, 0x00, 0x0a]));
    await at.vim.ex(`edit! ++enc=utf-8 ++bad=keep ${file}`);
    const buffer = await at.vim.eval<number>('bufnr()');
    const first = await edit(buffer, await read(buffer), [{ kind: 'lines', first: 1, last: 1, text: 'better' }]);
    assert.equal(first.isError, false, first.text);
    const tick = first.value['changedtick'];
    assert.match((await edit(buffer, tick, [{ kind: 'lines', first: 2, last: 2, text: 'x' }])).text, /no text/);
    assert.match((await edit(buffer, tick, [{ kind: 'lines', first: 3, last: 3, text: 'x' }])).text, /holds a NUL/);
  });
});

describe('lines that were seen', () => {
  const at = stage();
  const facts = { buffer: 1, filename: '/x', changedtick: 7, line_count: 1, modified: false };

  async function connected(...args: readonly string[]): Promise<{ broker: Broker; vim: FakeVim }> {
    const broker = at.own(await Broker.start(at.home, args));
    let line = 'one';
    let changedtick = 7;
    const vim = at.own(
      await FakeVim.connect(printedUrl(at.home), {
        follow: () => facts,
        changes: () => ({ items: [], more: false }),
        read: () => ({ ...facts, changedtick, first: 1, lines: [line], lossy: [], cut: 0 }),
        edit: ({ ops }) => {
          line = (ops as [number, number, string[]][])[0]?.[2][0] ?? '';
          changedtick += 1;
          return { ...facts, changedtick };
        },
      }),
    );
    const token = new URL(printedUrl(at.home)).pathname.split('/')[1];
    vim.send(['mcp-vim', token, 1, 0, 'ed', 'i']);
    await eventually('it is connected', async () => (await broker.targets()).includes('ed'));
    return { broker, vim };
  }

  it('are not asked for again to be changed', async () => {
    const { broker, vim } = await connected('--auto-allow', 'write');
    await broker.call('read-lines', { buffer: 1 });
    await eventually('the buffer is followed', () => vim.called.includes('changes'));
    const before = vim.called.length;
    for (const [tick, from, to] of [
      [7, 'one', 'two'],
      [8, 'two', 'three'],
    ] as const) {
      const operations = [{ kind: 'replace', old: from, new: to }];
      const { isError, text } = await broker.call('edit', { buffer: 1, expected_changedtick: tick, operations });
      assert.equal(isError, false, text);
    }
    const asked = vim.called.slice(before).filter((verb) => verb !== 'pulse');
    assert.deepEqual(asked, ['edit', 'edit']);
  });

  it('are looked at again before the person is asked', async () => {
    const { broker, vim } = await connected();
    await broker.call('read-lines', { buffer: 1 });
    broker.answer = DENY;
    const operations = [{ kind: 'replace', old: 'one', new: 'two' }];
    await broker.call('edit', { buffer: 1, expected_changedtick: 7, operations });
    assert.equal(broker.questions.length, 1);
    assert.ok(vim.called.filter((verb) => verb === 'read').length > 1);
  });
});
