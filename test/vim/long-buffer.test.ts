import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Home, makeHome } from '../kit/home.js';
import { eventually } from '../kit/until.js';
import { Broker, printedUrl } from './broker.js';
import { FakeVim, Refusal } from './fake-vim.js';

describe('editing a buffer of a million lines', () => {
  const TOKEN = 'a-token-for-tests';
  const facts = { buffer: 1, filename: '/x', changedtick: 7, line_count: 1_000_000, modified: false };
  let home: Home;
  let broker: Broker;
  let vim: FakeVim;
  /** What was read, and what of it is answered. */
  let read: [first: number, last: number][] = [];
  let page = (first: number, last: number): object => ({ lines: [`line ${first}`].slice(0, last - first + 1) });
  let edits: unknown[] = [];
  /** Lines below this one are refused, since the buffer has changed. */
  let changedBelow = Number.POSITIVE_INFINITY;

  before(async () => {
    home = await makeHome();
    broker = await Broker.start(home, ['--token', TOKEN, '--auto-allow', '*']);
    vim = await FakeVim.connect(printedUrl(home, '--token', TOKEN), {
      read: ({ first, last, tick }) => {
        if (tick !== undefined && Number(first) > changedBelow) {
          return new Refusal('stale', 'buffer 1 (/x) changed since tick 7; it is now at 8', { changedtick: 8 });
        }
        read.push([Number(first), Number(last)]);
        return { ...facts, first, lossy: [], cut: 0, ...page(Number(first), Number(last)) };
      },
      edit: (params) => {
        edits.push(params['ops']);
        return facts;
      },
    });
    vim.send(['mcp-vim', TOKEN, 1, 0, 'ed', 'i']);
    await eventually('it is connected', async () => (await broker.targets()).includes('ed'));
  });
  after(async () => {
    vim?.close();
    await broker?.close();
    await home?.remove();
  });

  const edit = (...operations: readonly object[]): ReturnType<Broker['call']> => {
    read = [];
    edits = [];
    return broker.call('edit', { buffer: 1, expected_changedtick: 7, operations });
  };

  it('reads the lines concerned and those shown around them, and no others', async () => {
    const result = await edit(
      { kind: 'insert', at: { line: 500_000, column: 1 }, text: 'new ' },
      { kind: 'lines', first: 9, last: 9, text: 'nine' },
    );
    assert.equal(result.isError, false, result.text);
    const lines = new Set(read.map(([first]) => first));
    assert.ok(
      lines.size < 20 && [...lines].every((line) => line < 13 || Math.abs(line - 500_000) < 5),
      `${[...lines]}`,
    );
    assert.deepEqual(edits, [
      [
        [9, 9, ['nine']],
        [500_000, 500_000, ['new line 500000']],
      ],
    ]);
  });

  it('is refused when the buffer changes while it is read', async () => {
    changedBelow = 1;
    const result = await edit({ kind: 'lines', first: 5, last: 6, text: '' });
    assert.match(result.text, /changed since tick 7; it is now at 8/);
    assert.deepEqual(edits, []);
    changedBelow = Number.POSITIVE_INFINITY;
  });

  it('holds no more than it can', async () => {
    const long = 'x'.repeat(4 * 1024 * 1024);
    page = () => ({ lines: [long] });
    const result = await edit({ kind: 'replace', old: 'y', new: 'z' });
    assert.match(result.text, /more than 64 MB would have to be read.*narrow a search with first and last/s);
    assert.ok(read.length <= 20, `${read.length} pages`);
  });
});
