import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { Home } from '../kit/home.js';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, change, printedUrl } from './broker.js';
import { FakeVim } from './fake-vim.js';
import { stage } from './fixture.js';

const PLUGIN = resolve(import.meta.dirname, '../../../vim');
const TOKEN = 'a-token-for-tests';

/** Vims without a terminal, each with one line of text and its number as its wanted name. */
class Herd {
  readonly #vims: ChildProcess[];

  private constructor(vims: ChildProcess[]) {
    this.#vims = vims;
  }

  static async start(home: Home, count: number): Promise<Herd> {
    const rc = join(home.path, 'herd.vim');
    await writeFile(
      rc,
      `set nocompatible encoding=utf-8 noswapfile\nset rtp^=${PLUGIN}\nruntime plugin/mcp.vim\n` +
        "call setline(1, 'text of ' .. $NUMBER)\nautocmd VimEnter * execute 'Mcp' $NUMBER\n",
    );
    const start = (_: unknown, number: number): ChildProcess =>
      spawn('vim', ['-u', rc, '-i', 'NONE', '--not-a-term', '-T', 'dumb'], {
        cwd: home.path,
        env: { ...home.env, NUMBER: `vim-${number}` },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
    return new Herd(Array.from({ length: count }, start));
  }

  async close(): Promise<void> {
    const running = this.#vims.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = running.map((vim) => once(vim, 'exit'));
    for (const vim of running) vim.kill('SIGKILL');
    await Promise.all(ended);
  }
}

describe('one broker and fifty Vims', () => {
  const at = stage();
  const COUNT = 50;
  const names = Array.from({ length: COUNT }, (_, number) => `vim-${number}`).sort();

  it('serves each under its name, and under the same one after the broker was killed', async () => {
    let broker = at.own(await Broker.start(at.home));
    at.own(await Herd.start(at.home, COUNT));
    for (const round of ['first', 'second']) {
      await eventually(
        `all are there for the ${round} time`,
        async () => (await broker.targets()).sort().join() === names.join(),
        40_000,
      );
      const texts = names.map(async (target) => {
        const { value } = await broker.call('state', { target });
        const [{ buffer } = { buffer: 0 }] = value['buffers'] as { buffer: number }[];
        assert.equal(value['target'], target);
        return (await broker.call('read-lines', { target, buffer })).value['text'];
      });
      assert.deepEqual(
        await Promise.all(texts),
        names.map((name) => `text of ${name}\n`),
      );
      if (round === 'second') break;
      process.kill(broker.pid, 'SIGKILL');
      broker = at.own(await Broker.start(at.home));
    }
  });
});

describe('an editor that does not answer', () => {
  const at = stage();

  async function two(...args: string[]): Promise<{ broker: Broker; one: Vim; other: Vim; buffer: number }> {
    const broker = at.own(await Broker.start(at.home, ['--auto-allow', '*', ...args]));
    const one = at.own(await Vim.start(at.home));
    const other = at.own(await Vim.start(at.home));
    await broker.join(one, 'Mcp one');
    await broker.join(other, 'Mcp other');
    return { broker, one, other, buffer: await one.buffer(['text']) };
  }

  it('because it is stopped fails its calls in time, and goes on when it is continued', async () => {
    const { broker, one, buffer } = await two('--patience', '1');
    const edit = {
      target: 'one',
      buffer,
      expected_changedtick: await one.tick(buffer),
      diff: change(1, 'text', 'new'),
    };
    process.kill(one.pid, 'SIGSTOP');
    const reads = [1, 2, 3].map(() => broker.call('read-lines', { target: 'one', buffer }));
    const pending = [broker.call('state', { target: 'one' }), broker.call('apply-diff', edit), ...reads];
    assert.equal((await broker.call('state', { target: 'other' })).isError, false);
    for (const { text } of await Promise.all(pending)) assert.match(text, /it may be stopped|did not finish/);
    assert.equal((await broker.call('state', { target: 'other' })).isError, false);
    process.kill(one.pid, 'SIGCONT');
    await eventually('it answers', async () => !(await broker.call('state', { target: 'one' })).isError);
    const [now] = await one.lines(buffer);
    const again = { ...edit, expected_changedtick: await one.tick(buffer), diff: change(1, now ?? '', 'newer') };
    const { isError, text } = await broker.call('apply-diff', again);
    assert.equal(isError, false, text);
    assert.equal((await broker.call('read-lines', { target: 'one', buffer })).value['text'], 'newer\n');
    assert.doesNotMatch(broker.log, /could not be read/);
  });

  it('because it runs a shell command is waited for, and keeps no other waiting', async () => {
    const { broker, one, buffer } = await two();
    const fifo = join(at.home.path, 'fifo');
    execFileSync('mkfifo', [fifo]);
    one.type(`:silent !cat ${fifo}\r`);
    // Opened as soon as the command reads it.
    const held = await open(fifo, 'w');
    const pending = broker.call('read-lines', { target: 'one', buffer });
    assert.equal((await broker.call('state', { target: 'other' })).isError, false);
    await held.close();
    assert.equal((await pending).value['text'], 'text\n');
  });

  it('because it quits fails what waits for it, and that only', async () => {
    const { broker, one, other, buffer } = await two();
    one.type('V');
    await one.until('mode()', 'V');
    const edit = {
      target: 'one',
      buffer,
      expected_changedtick: await one.tick(buffer),
      diff: change(1, 'text', 'new'),
    };
    const pending = broker.call('apply-diff', edit);
    await one.until("exists('#mcp_gate#SafeState')", 1);
    void one.ex('qa!').catch(() => undefined);
    assert.match((await pending).text, /one went away/);
    assert.deepEqual(await broker.targets(), ['other']);
    assert.deepEqual(await other.lines(1), ['']);
  });
});

describe('calls to one editor', () => {
  const at = stage();
  const FACTS = { buffer: 1, filename: '/x', changedtick: 7, line_count: 2, modified: false };
  const READ = { ...FACTS, first: 1, lines: ['x'], lossy: [], cut: 0 };
  const edit = { buffer: 1, expected_changedtick: 7, diff: change(1, 'x', 'y') };

  async function fake(answers: Record<string, () => unknown>): Promise<{ broker: Broker; vim: FakeVim }> {
    const broker = at.own(await Broker.start(at.home, ['--token', TOKEN, '--auto-allow', '*']));
    const vim = at.own(await FakeVim.connect(printedUrl(at.home), { read: () => READ, ...answers }));
    vim.send(['mcp-vim', TOKEN, 1, 0, 'fake', 'i']);
    await eventually('it is connected', async () => (await broker.targets()).length === 1);
    return { broker, vim };
  }

  it('are changes one at a time, and a cancelled one is never sent', async () => {
    const { broker, vim } = await fake({ edit: () => undefined });
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const calls = [first, second, third].map(({ signal }) => broker.call('apply-diff', edit, signal));
    await eventually('all have read', () => vim.called.filter((verb) => verb === 'read').length >= calls.length);
    await eventually('one is changed', () => vim.called.includes('edit'));
    second.abort();
    await assert.rejects(calls[1] ?? Promise.resolve());
    first.abort();
    await assert.rejects(calls[0] ?? Promise.resolve());
    await eventually('the third has its turn', () => vim.called.filter((verb) => verb === 'edit').length === 2);
    third.abort();
    await assert.rejects(calls[2] ?? Promise.resolve());
    assert.equal((await broker.call('read-lines', { buffer: 1 })).isError, false);
    assert.equal(vim.called.filter((verb) => verb === 'edit').length, 2);
    assert.doesNotMatch(broker.log, /error/);
  });

  it('are refused when too many wait', async () => {
    const { broker, vim } = await fake({ edit: () => undefined });
    const calls = Array.from({ length: 257 }, () => broker.call('apply-diff', edit));
    const { text } = await Promise.race(calls);
    assert.match(text, /256 calls wait for fake already; nothing was done.*"error":"busy"/s);
    vim.close();
    const others = (await Promise.all(calls)).filter((call) => call.text !== text);
    assert.ok(others.length > 0 && others.every((call) => /went away/.test(call.text)));
  });

  it('tell that a change may have been made when its answer was lost', async () => {
    const { broker, vim } = await fake({ edit: () => vim.close() });
    const { text } = await broker.call('apply-diff', edit);
    assert.match(text, /went away.*; the change may have been carried out\. Call state.*"error":"gone"/s);
  });
});
