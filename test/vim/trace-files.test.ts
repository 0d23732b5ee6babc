/** The files of a trace: how many and how large they become, and that each can be replayed. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { replay } from '../../child-vim/replay.js';
import { Trace, type TraceLine, traceBase } from '../../child-vim/trace.js';
import { freshHome, setVariable } from '../kit/home.js';

const MB = 1024 * 1024;
const HEADER: TraceLine = { type: 'trace', version: 1, target: 'ed' };

/** What the files of a new editor's trace are called, in a home of its own. */
async function begin(t: TestContext): Promise<{ base: string; folder: string }> {
  const env = await freshHome(t);
  setVariable(t, 'XDG_STATE_HOME', env['XDG_STATE_HOME']);
  const base = await traceBase('ed');
  assert.ok(base !== undefined);
  return { base, folder: join(env['XDG_STATE_HOME'] ?? '', 'mcp-multibroker/traces') };
}

it('a long trace keeps two files of some MB for the owner only, and each replays', async (t) => {
  const { base, folder } = await begin(t);
  let [tick, text] = [1, ''];
  const state = (): TraceLine => ({ type: 'state', buffer: 1, filename: '', tick, lines: [text] });
  const trace = new Trace(base, HEADER, () => [state()]);
  const places = [];
  for (let change = 1; change <= 400; change += 1) {
    const now = `${change} ${'x'.repeat(50_000)}`;
    const changes = [{ first: 1, old: [text], now: [now] }];
    places.push(trace.add({ type: 'change', buffer: 1, from: tick, to: tick + 1, by: ['person'], changes }));
    [tick, text] = [tick + 1, now];
  }
  const sha256 = createHash('sha256').update(text).digest('hex');
  trace.add({ type: 'mark', buffer: 1, tick, lines: 1, sha256, verified: false });
  assert.deepEqual((await readdir(folder)).toSorted(), trace.paths.map((path) => basename(path)).toSorted());
  assert.equal(trace.paths.length, 2);
  for (const path of trace.paths) {
    const { size, mode } = await stat(path);
    assert.ok(size < 9 * MB, `${size} bytes`);
    assert.equal(mode & 0o777, 0o600);
    const shown = { file: path, dump: undefined, isShown: false, columns: 80, rows: 24 };
    assert.match(await replay(shown), /^\d+ changes replayed in 1 buffers, [01] marks hold\n$/);
  }
  assert.deepEqual([await places[0]?.read(), (await places.at(-1)?.read())?.length], [undefined, 1]);
  trace.close();
});

it('long texts do not begin a new file with each line', async (t) => {
  const { base } = await begin(t);
  const state: TraceLine = { type: 'state', buffer: 1, filename: '', tick: 1, lines: ['x'.repeat(10 * MB)] };
  const trace = new Trace(base, HEADER, () => [state]);
  for (let tick = 1; tick <= 20; tick += 1) trace.add({ type: 'event', event: 'written', buffer: 1, filename: '' });
  assert.deepEqual(trace.paths, [`${base}.1.jsonl`]);
  trace.close();
});

it('of editors long gone the latest files are left', async (t) => {
  const { folder } = await begin(t);
  for (let number = 1; number <= 60; number += 1) {
    const path = join(folder, `old.${number}.jsonl`);
    await writeFile(path, '');
    await utimes(path, number, number);
  }
  await traceBase('new');
  const names = (await readdir(folder)).map((name) => Number(name.split('.')[1]));
  assert.deepEqual(
    names.toSorted((a, b) => a - b),
    Array.from({ length: 40 }, (_, index) => index + 21),
  );
});
