import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually, soon } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, change, printedUrl, type Result } from './broker.js';
import { FakeVim } from './fake-vim.js';
import { pair, stage } from './fixture.js';

const LIMIT = 65_536;
const MEGABYTE = 1024 * 1024;

describe('a change of megabytes on its way to Vim', () => {
  const at = stage();
  const TOKEN = 'a-token-for-tests';
  const FACTS = { buffer: 1, filename: '/x', changedtick: 7, line_count: 1, modified: false };
  const line = '\u00e9\u{1F642}"\\\t'.repeat((4 * MEGABYTE) / 9);
  const edit = { buffer: 1, expected_changedtick: 7, diff: change(1, 'x', line) };

  /** A Vim that takes `pieces` pieces and then leaves the broker waiting, with all that it took. */
  async function taking(
    pieces: number,
  ): Promise<{ broker: Broker; vim: FakeVim; taken: { id: string; text: string }[] }> {
    const broker = at.own(await Broker.start(at.home, ['--token', TOKEN, '--auto-allow', '*']));
    const taken: { id: string; text: string }[] = [];
    const answers = {
      read: () => ({ ...FACTS, first: 1, lines: ['x'], lossy: [], cut: 0 }),
      stage: (piece: Record<string, unknown>) => {
        taken.push(piece as { id: string; text: string });
        return taken.length > pieces ? undefined : {};
      },
      unstage: () => ({}),
      staged: () => FACTS,
    };
    const vim = at.own(await FakeVim.connect(printedUrl(at.home), answers));
    vim.send(['mcp-vim', TOKEN, 1, 0, 'fake', 'i']);
    await eventually('it is connected', async () => (await broker.targets()).length === 1);
    return { broker, vim, taken };
  }

  it('is cut into frames of 64 KB, also if it is one line', async () => {
    const { broker, vim, taken } = await taking(Number.POSITIVE_INFINITY);
    const { isError, text } = await broker.call('apply-diff', edit);
    assert.equal(isError, false, text);
    assert.ok(vim.largest <= LIMIT && vim.largest > LIMIT / 4, `a frame of ${vim.largest} bytes`);
    const staged = JSON.parse(taken.map((piece) => piece.text).join('')) as { ops: unknown };
    assert.deepEqual(staged.ops, [[1, 1, [line]]]);
  });

  it('goes on only when Vim has taken a piece, and leaves nothing there when it is cancelled', async () => {
    const { broker, vim, taken } = await taking(3);
    const cancel = new AbortController();
    const call = broker.call('apply-diff', edit, cancel.signal);
    await eventually('the fourth piece is there', () => taken.length === 4);
    assert.equal((await broker.call('read-lines', { buffer: 1 })).isError, false);
    assert.equal(taken.length, 4);
    cancel.abort();
    await assert.rejects(call);
    await eventually('the pieces are dropped', () => vim.called.includes('unstage'));
    assert.equal((await broker.call('read-lines', { buffer: 1 })).isError, false);
    assert.deepEqual([taken.length, vim.called.includes('staged')], [4, false]);
  });
});

describe('large texts', () => {
  const at = pair({ args: ['--auto-allow', '*'] });

  async function apply(buffer: number, diff: string): Promise<Result> {
    return await at.broker.call('apply-diff', { buffer, expected_changedtick: await at.vim.tick(buffer), diff });
  }

  it('replace one line by megabytes in one step of undo, while the person types elsewhere', async () => {
    const buffer = await at.vim.buffer(['x']);
    await at.vim.buffer(['']);
    const lines = Array.from({ length: 40_000 }, (_, number) => `${number} ${'text '.repeat(20)}`);
    const diff = `@@ -1,1 +1,${lines.length} @@\n-x\n${lines.map((text) => `+${text}\n`).join('')}`;
    const pending = apply(buffer, diff);
    at.vim.type('ityped\x1b');
    await at.vim.until('getline(1)', 'typed');
    const result = await pending;
    assert.equal(result.isError, false, result.text.slice(0, 500));
    assert.deepEqual(
      await at.vim.eval(`sha256(join(getbufline(${buffer}, 1, '$'), "\\n"))`),
      await at.vim.eval(`sha256(range(40000)->map('v:val .. " " .. repeat("text ", 20)')->join("\\n"))`),
    );
    await at.broker.call('undo', { buffer, expected_changedtick: await at.vim.tick(buffer) });
    assert.deepEqual([await at.vim.lines(buffer), await at.vim.eval('getline(1)')], [['x'], 'typed']);
  });

  it('replace one line by one of four megabytes', async () => {
    const buffer = await at.vim.buffer(['x']);
    await at.vim.buffer(['']);
    const result = await apply(buffer, change(1, 'x', 'y'.repeat(4 * MEGABYTE)));
    assert.equal(result.isError, false, result.text.slice(0, 500));
    assert.deepEqual(await at.vim.eval(`getbufline(${buffer}, 1, '$')->map('len(v:val)')`), [4 * MEGABYTE]);
    await at.vim.ex(`bwipeout! ${buffer}`);
  });

  it('of which pieces were left by a connection that broke do not mix with those of the next', async () => {
    const buffer = await at.vim.buffer(['x']);
    await at.vim.eval("mcp#dispatch#Run('stage', #{id: '1', text: '{\"left\": '})");
    await at.vim.ex('Mcp ed');
    await at.vim.until("execute('McpStatus') =~ 'connected to'", 1);
    await eventually('it is connected', async () => (await at.broker.targets()).join() === 'ed');
    const text = 'y'.repeat(2 * LIMIT);
    const result = await apply(buffer, change(1, 'x', text));
    assert.equal(result.isError, false, result.text.slice(0, 500));
    assert.deepEqual(await at.vim.lines(buffer), [text]);
  });

  it('are read to the end of a million lines', async () => {
    const path = join(at.home.path, 'million.txt');
    await writeFile(path, Array.from({ length: 1_000_000 }, (_, number) => `line ${number + 1}\n`).join(''));
    const { buffer, line_count } = (await at.broker.call('open', { path })).value;
    assert.equal(line_count, 1_000_000);
    const { value } = await at.broker.call('read-lines', { buffer, first: 999_999 });
    assert.equal(value['text'], 'line 999999\nline 1000000\n');
    await at.vim.ex(`bwipeout! ${String(buffer)}`);
  });
});

describe('a broker that is stopped', () => {
  const at = stage();

  it('does not freeze Vim, whatever it had asked before', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    const buffer = await vim.buffer(Array.from({ length: 10_000 }, (_, number) => `line ${number} of many`));
    const fifo = join(at.home.path, 'fifo');
    execFileSync('mkfifo', [fifo]);
    vim.type(`:silent !cat ${fifo}\r`);
    const held = await open(fifo, 'w');
    const reads = Array.from({ length: 40 }, () => broker.call('read-lines', { buffer }));
    // Whatever goes to Vim at once has gone when this one is answered.
    await broker.targets();
    process.kill(broker.pid, 'SIGSTOP');
    try {
      await held.close();
      vim.type('Otyped\x1b');
      await soon('answer of Vim', vim.until('getline(1)', 'typed'));
    } finally {
      process.kill(broker.pid, 'SIGCONT');
    }
    for (const { isError, text } of await Promise.all(reads)) assert.equal(isError, false, text.slice(0, 500));
  });

  it('does not keep Vim from quitting', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    process.kill(broker.pid, 'SIGSTOP');
    try {
      vim.type(':qa!\r');
      await eventually('it has ended', () =>
        vim.eval('1').then(
          () => false,
          () => true,
        ),
      );
    } finally {
      process.kill(broker.pid, 'SIGCONT');
    }
    await eventually('its name is free', async () => (await broker.targets()).length === 0);
  });
});
