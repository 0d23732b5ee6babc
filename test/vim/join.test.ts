import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, change } from './broker.js';
import { stage } from './fixture.js';

describe('a second mcp-vim of the same name', () => {
  const at = stage();

  it('shares the editors of the first, and asks its own person', async () => {
    const first = at.own(await Broker.start(at.home));
    const second = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await first.join(vim, 'Mcp ed');
    const buffer = await vim.buffer(['one']);
    assert.deepEqual(await second.targets(), ['ed']);
    const tick = await vim.tick(buffer);
    const edit = { buffer, expected_changedtick: tick, diff: change(1, 'one', 'two') };
    assert.equal((await second.call('apply-diff', edit)).isError, false);
    assert.deepEqual([await vim.lines(buffer), first.questions.length, second.questions.length], [['two'], 0, 1]);
    const stale = await first.call('apply-diff', edit);
    assert.match(stale.text, /changed since tick/);
  });

  it('ends with the first, so that the next one takes the editors over', async () => {
    const first = await Broker.start(at.home);
    const second = await Broker.start(at.home);
    const vim = at.own(await Vim.start(at.home));
    await first.join(vim, 'Mcp ed');
    process.kill(first.pid, 'SIGKILL');
    await eventually('the second one has ended', () => !isRunning(second.pid));
    const third = at.own(await Broker.start(at.home));
    await eventually('Vim has come back', async () => (await third.targets()).includes('ed'));
    await first.close();
    await second.close();
  });

  it('does not join one with other permissions', async () => {
    at.own(await Broker.start(at.home, ['--auto-allow', 'write']));
    await assert.rejects(Broker.start(at.home));
  });
});

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}
