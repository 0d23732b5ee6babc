import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, PROGRAM } from './broker.js';
import { stage } from './fixture.js';

interface Line {
  readonly seq: number;
  readonly type: string;
  readonly buffer?: number;
  readonly by?: readonly string[];
  readonly verified?: boolean;
  readonly tick?: number;
}

describe('a trace', () => {
  const at = stage();

  async function begin(args: readonly string[] = []): Promise<{ broker: Broker; vim: Vim }> {
    const broker = at.own(await Broker.start(at.home, ['--auto-allow', 'write', ...args]));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    return { broker, vim };
  }

  async function lines(broker: Broker): Promise<{ lines: Line[]; file: string }> {
    const { value, isError, text } = await broker.call('trace');
    assert.equal(isError, false, text);
    const [file = ''] = value['files'] as string[];
    return { lines: value['lines'] as Line[], file };
  }

  /** Edits of both in one buffer, up to a mark of its last text. */
  async function session(broker: Broker, vim: Vim): Promise<{ buffer: number; file: string }> {
    const buffer = await vim.buffer(['one', 'née 🙂', 'three', '\\u0000 no NUL']);
    await broker.call('watch', { buffer, timeout_ms: 0 });
    await vim.typed('GoA\x16\x00B\x1bggdd');
    const tick = await vim.tick(buffer);
    const operations = [{ kind: 'replace', old: 'née', new: 'neue' }];
    const edited = await broker.call('edit', { buffer, expected_changedtick: tick, operations });
    assert.equal(edited.isError, false, edited.text);
    await vim.typed('Ox\x1bu');
    const last = await vim.tick(buffer);
    const file = await eventually('a mark of the last text', async () => {
      const found = await lines(broker);
      const isThere = found.lines.some(({ type, tick, verified }) => type === 'mark' && tick === last && verified);
      return isThere ? found.file : undefined;
    });
    return { buffer, file };
  }

  function replay(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnSync(process.execPath, [PROGRAM, '--replay', ...args], { env: at.home.env, encoding: 'utf8' });
  }

  it('replays to the same text and screen', async () => {
    const { broker, vim } = await begin();
    const { buffer, file } = await session(broker, vim);
    const { stdout, stderr, status } = replay(file, '--dump-state', '-');
    assert.equal(status, 0, stderr);
    const { buffers } = JSON.parse(stdout) as { buffers: { buffer: number; tick: number; lines: string[] }[] };
    const found = buffers.find((each) => each.buffer === buffer);
    assert.deepEqual([found?.tick, found?.lines], [await vim.tick(buffer), await vim.lines(buffer)]);
    const [first = ''] = (await vim.lines(buffer)) ?? [];
    const screen = replay(file, '--snapshot', '80x24').stdout.split('\n');
    assert.deepEqual([screen.length, screen[0]], [25, first]);
    assert.deepEqual(replay(file, '--snapshot', '40x10').stdout.split('\n').length, 11);
    const dumped = join(at.home.path, 'state.json');
    assert.match(replay(file, '--dump-state', dumped).stdout, /marks hold/);
    assert.deepEqual([await readFile(dumped, 'utf8'), (await stat(dumped)).mode & 0o777], [stdout, 0o600]);
    assert.match(replay(file).stdout, /^\d+ changes replayed in 1 buffers, \d+ marks hold\n$/);
  });

  it('tells who did what, in order', async () => {
    const { broker, vim } = await begin();
    await session(broker, vim);
    const all = (await lines(broker)).lines;
    assert.deepEqual(
      all.map(({ seq }) => seq),
      all.map((_, index) => index + 1),
    );
    const told = all.filter(({ type }) => type !== 'event').map(({ type, by = [] }) => [type, ...by].join(' '));
    const order = ['trace', 'state', 'change person', 'agent', 'change client test', 'change person', 'mark'];
    assert.deepEqual([...new Set(told)].toSorted(), [...new Set(order)].toSorted());
    assert.ok(told.indexOf('agent') < told.indexOf('change client test'));
  });

  it('is the owner’s alone, and survives the end of the broker', async () => {
    const { broker, vim } = await begin();
    const { buffer, file } = await session(broker, vim);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    process.kill(broker.pid, 'SIGKILL');
    const { status, stdout } = replay(file, '--dump-state', '-');
    assert.equal(status, 0);
    const { buffers } = JSON.parse(stdout) as { buffers: { lines: string[] }[] };
    assert.deepEqual(buffers[0]?.lines, await vim.lines(buffer));
    // Killed in the middle of a line.
    await appendFile(file, '{"seq":999,"type":"cha');
    const again = replay(file);
    assert.equal(again.status, 0);
    assert.match(again.stdout, /[1-9]\d* marks hold/);
    assert.match(again.stderr, /warning: the last line of .* is cut/);
  });

  it('is not kept with --no-trace', async () => {
    const { broker, vim } = await begin(['--no-trace']);
    const buffer = await vim.buffer(['one']);
    await broker.call('watch', { buffer, timeout_ms: 0 });
    assert.match((await broker.call('trace')).text, /no trace is kept/);
    await assert.rejects(stat(join(at.home.path, 'state/mcp-multibroker/traces')));
  });

  it('that was changed does not replay', async () => {
    const { broker, vim } = await begin();
    const { file } = await session(broker, vim);
    const text = await readFile(file, 'utf8');
    const other = join(at.home.path, 'other.jsonl');
    await writeFile(other, text.replaceAll('three', 'threw').replace(/threw/, 'three'));
    const { status, stderr } = replay(other);
    assert.equal(status, 2);
    assert.match(stderr, /does not replay to what it says, \d+ times: .*(mark|another text)/);
    await writeFile(other, text.replace('"type":"change"', '"type":"cha'));
    assert.match(replay(other).stderr, /a line is no JSON/);
    assert.match(replay(join(at.home.path, 'nothing')).stderr, /cannot read/);
    assert.match(replay(other, '--snapshot', 'big').stderr, /--snapshot takes COLUMNSxROWS/);
  });
});
