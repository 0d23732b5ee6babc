import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, type Result } from './broker.js';
import { pair, stage } from './fixture.js';

interface Change {
  readonly who: string;
  readonly buffer: number;
  readonly filename: string;
  readonly from: number;
  readonly to: number;
  readonly diff?: string;
}

interface Watched {
  readonly next: number;
  readonly timed_out: boolean;
  readonly changedtick?: number;
  readonly changes: readonly Change[];
  readonly events: readonly { readonly event: string; readonly who?: string; readonly filename: string }[];
}

function found(result: Result): Watched {
  assert.equal(result.isError, false, result.text);
  return result.value as unknown as Watched;
}

describe('the tool watch', () => {
  const at = pair();

  async function watch(args: object, signal?: AbortSignal): Promise<Watched> {
    return found(await at.broker.call('watch', { settle_ms: 200, ...args }, signal));
  }

  /** A buffer that is followed, and its tick. */
  async function followed(lines: readonly string[]): Promise<{ buffer: number; tick: number }> {
    const buffer = await at.vim.buffer(lines);
    const { changedtick = 0 } = await watch({ buffer, timeout_ms: 0 });
    assert.equal(changedtick, await at.vim.tick(buffer));
    return { buffer, tick: changedtick };
  }

  it('tells what the person typed, whole', async () => {
    const { buffer, tick } = await followed(['one', 'two', 'three']);
    const waiting = watch({ buffer, since: tick });
    await at.vim.typed('ggAx');
    await at.vim.typed('yz\x1b');
    const { changes, timed_out: isLate, changedtick } = await waiting;
    assert.equal(isLate, false);
    assert.equal(changedtick, await at.vim.tick(buffer));
    assert.deepEqual(changes, [
      {
        ...{ who: 'person', buffer, filename: '', from: tick, to: changedtick },
        diff: '@@ -1,3 +1,3 @@\n-one\n+onexyz\n two\n three\n',
      },
    ]);
  });

  it('tells at once what has changed since a tick', async () => {
    const { buffer, tick } = await followed(['one']);
    await at.vim.typed('Ax\x1b');
    const { changes } = await watch({ buffer, since: tick, settle_ms: 0 });
    assert.deepEqual(
      changes.map(({ who, diff }) => [who, diff]),
      [['person', '@@ -1,1 +1,1 @@\n-one\n+onex\n']],
    );
  });

  it('keeps what the caller did to itself unless it is asked for', async () => {
    const { buffer, tick } = await followed(['one', 'two']);
    const edit = {
      buffer,
      expected_changedtick: tick,
      operations: [{ kind: 'lines', first: 1, last: 1, text: 'ONE' }],
    };
    const edited = await at.broker.call('edit', edit);
    assert.equal(edited.isError, false, edited.text);
    await at.vim.typed('GAx\x1b');
    const { changes } = await watch({ buffer, since: tick, settle_ms: 0 });
    assert.deepEqual(
      changes.map(({ who, from, diff }) => [who, from, diff]),
      [['person', edited.value['changedtick'], '@@ -1,2 +1,2 @@\n ONE\n-two\n+twox\n']],
    );
    const all = await watch({ buffer, since: tick, include_own: true });
    assert.deepEqual(
      all.changes.map(({ who }) => who),
      ['you', 'person'],
    );
  });

  it('tells of other clients by name', async () => {
    const { buffer, tick } = await followed(['one']);
    const other = await Broker.start(at.home);
    try {
      const waiting = watch({ buffer, since: tick, settle_ms: 0 });
      const args = { buffer, expected_changedtick: tick, diff: '@@ -1,1 +1,1 @@\n-one\n+two\n' };
      const edited = await other.call('apply-diff', args);
      assert.equal(edited.isError, false, edited.text);
      assert.deepEqual(
        (await waiting).changes.map(({ who, diff }) => [who, diff]),
        [['client test', '@@ -1,1 +1,1 @@\n-one\n+two\n']],
      );
      const seen = found(await other.call('watch', { buffer, since: tick, timeout_ms: 0 }));
      assert.deepEqual([seen.timed_out, seen.changes], [true, []]);
    } finally {
      await other.close();
    }
  });

  it('tells where the person goes and what they write', async () => {
    const path = join(at.home.path, 'written');
    await writeFile(path, 'text\n');
    const { next } = await watch({ timeout_ms: 0 });
    const waiting = watch({ after: next });
    await at.vim.ex(`edit ${path} | silent write`);
    const { events, next: after } = await waiting;
    const file = await at.vim.eval<string>('expand("%:p")');
    assert.deepEqual(events.map(({ event, filename }) => [event, filename]).toSorted(), [
      ['entered', file],
      ['written', file],
    ]);
    // The buffer is followed now, since the person is there.
    const later = watch({ after, settle_ms: 0 });
    await at.vim.typed('Ax\x1b');
    assert.deepEqual(
      (await later).changes.map(({ who, filename }) => [who, filename]),
      [['person', file]],
    );
  });

  it('tells a reload from typing', async () => {
    const path = join(at.home.path, 'reloaded');
    await writeFile(path, 'old\nsame\n');
    await at.vim.ex(`edit ${path}`);
    const buffer = await at.vim.eval<number>('bufnr()');
    const { changedtick: since } = await watch({ buffer, timeout_ms: 0 });
    await writeFile(path, 'new\nsame\n');
    await at.vim.ex('edit!');
    const { changes } = await watch({ buffer, since, settle_ms: 0 });
    assert.deepEqual(
      changes.map(({ who, diff }) => [who, diff]),
      [['reload', '@@ -1,2 +1,2 @@\n-old\n+new\n same\n']],
    );
  });

  it('tells what a script does elsewhere from typing', async () => {
    const { buffer, tick } = await followed(['one']);
    await at.vim.buffer(['other']);
    await at.vim.ex(`call setbufline(${buffer}, 1, "two") | redraw`);
    const { changes } = await watch({ buffer, since: tick, settle_ms: 0 });
    assert.deepEqual(
      changes.map(({ who, diff }) => [who, diff]),
      [['editor', '@@ -1,1 +1,1 @@\n-one\n+two\n']],
    );
  });

  it('tells whether the terminal has the focus', async () => {
    const { next } = await watch({ timeout_ms: 0 });
    await at.vim.typed('\x1b[O');
    const { events, next: after } = await watch({ after: next, settle_ms: 0 });
    await at.vim.typed('\x1b[I');
    const back = await watch({ after, settle_ms: 0 });
    assert.deepEqual(
      [...events, ...back.events].map(({ event }) => event),
      ['unfocused', 'focused'],
    );
  });

  it('keeps ticks without a change, and what happens elsewhere, to itself unless it is asked for', async () => {
    const path = join(at.home.path, 'noise');
    await writeFile(path, 'text\n');
    await at.vim.ex(`edit ${path}`);
    const elsewhere = await at.vim.eval<number>('bufnr()');
    const { buffer, tick } = await followed(['one']);
    const { next } = await watch({ buffer, timeout_ms: 0 });
    await at.vim.ex(`let b:n = 1 | undojoin | call setline(1, "one") | buffer ${elsewhere} | silent write`);
    const quiet = await watch({ buffer, since: tick, timeout_ms: 0 });
    const all = await watch({ buffer, after: next, include_noise: true, settle_ms: 0 });
    assert.deepEqual([quiet.events, quiet.changes], [[], []]);
    assert.deepEqual(all.events.map(({ event }) => event).toSorted(), ['entered', 'written']);
    const { changes } = await watch({ buffer, since: tick, include_noise: true, settle_ms: 0 });
    assert.deepEqual(
      changes.map(({ from, to, diff }) => [from, to, diff]),
      [[tick, await at.vim.tick(buffer), '']],
    );
  });

  it('tells a client that asks for progress that it still waits', async () => {
    const { buffer, tick } = await followed(['one']);
    const told: (string | undefined)[] = [];
    const waiting = at.broker.client.callTool(
      { name: 'watch', arguments: { buffer, since: tick, timeout_ms: 600_000 } },
      { onprogress: ({ message }) => void told.push(message), timeout: 600_000 },
    );
    await eventually('there is a word', () => told.length > 0, 60_000);
    assert.equal(told[0], `waiting for changes in buffer ${buffer}`);
    await at.vim.typed('Ax\x1b');
    await waiting;
  });

  it('returns when nothing happens in time', async () => {
    const { buffer, tick } = await followed(['one']);
    const { timed_out: isLate, changes, events } = await watch({ buffer, since: tick, timeout_ms: 50 });
    assert.deepEqual([isLate, changes, events], [true, [], []]);
  });

  it('lets many wait at once, and a cancelled one go', async () => {
    const { buffer, tick } = await followed(['one']);
    const stop = new AbortController();
    const cancelled = assert.rejects(watch({ buffer, since: tick, timeout_ms: 60_000 }, stop.signal));
    const waiting = Array.from({ length: 30 }, () => watch({ buffer, since: tick, timeout_ms: 60_000 }));
    stop.abort();
    await cancelled;
    await at.vim.typed('Ax\x1b');
    for (const { changes } of await Promise.all(waiting)) assert.equal(changes.length, 1);
  });

  it('says what it needs', async () => {
    const result = await at.broker.call('watch', { since: 3 });
    assert.match(result.text, /since needs buffer/);
    const gone = await at.broker.call('watch', { buffer: 4711 });
    assert.match(gone.text, /there is no buffer 4711/);
  });
});

describe('a watched Vim that quits', () => {
  const at = stage();

  it('ends the watch', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim);
    const waiting = broker.call('watch', { timeout_ms: 60_000 });
    // Vim answers in order: the watch has begun when this is answered.
    await broker.call('state');
    await vim.close();
    const { events } = found(await waiting);
    assert.equal(events.at(-1)?.event, 'left');
  });
});
