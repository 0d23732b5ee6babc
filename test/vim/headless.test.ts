import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { ALLOW, Broker, DENY } from './broker.js';
import { stage } from './fixture.js';

describe('an editor that a client starts', () => {
  const at = stage();

  const isGone = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };

  async function pidOf(broker: Broker, target: unknown): Promise<number> {
    const { value } = await broker.call('targets');
    const found = (value['targets'] as { target: string; pid: number }[]).find((each) => each.target === target);
    return found?.pid ?? 0;
  }

  it('is a target of its own, in which a file is edited and saved', async () => {
    const broker = at.own(await Broker.start(at.home));
    const path = join(at.home.path, "it's | a file");
    await writeFile(path, 'one\ntwo\n');
    const started = await broker.call('start-editor', { path });
    assert.equal(started.isError, false, started.text);
    const { target, buffer, changedtick, filename } = started.value;
    assert.deepEqual([target, filename], ['headless', path]);
    assert.match(
      broker.questions[0] ?? '',
      /^Start a Vim without a screen, as the editor headless on .*it's \| a file\?/,
    );
    const operations = [{ kind: 'replace', old: 'two', new: 'zwei' }];
    const edited = await broker.call('edit', { target, buffer, expected_changedtick: changedtick, operations });
    assert.equal(edited.isError, false, edited.text);
    const saved = await broker.call('save', { target, buffer, expected_changedtick: edited.value['changedtick'] });
    assert.equal(saved.isError, false, saved.text);
    assert.equal(await readFile(path, 'utf8'), 'one\nzwei\n');
    assert.equal((await broker.call('start-editor')).value['target'], 'headless#2');
  });

  it('ends with the broker, also when that is killed', async () => {
    const broker = at.own(await Broker.start(at.home));
    const { value } = await broker.call('start-editor', { name: 'aside' });
    assert.equal(value['target'], 'headless-aside');
    const pid = await pidOf(broker, 'headless-aside');
    process.kill(broker.pid, 'SIGKILL');
    await eventually('its Vim has ended', () => isGone(pid));
    const next = await Broker.start(at.home);
    await next.call('start-editor', { name: 'aside' });
    const other = await pidOf(next, 'headless-aside');
    assert.notEqual(other, 0);
    await next.close();
    await eventually('its Vim has ended', () => isGone(other));
  });

  it('is ended by stop-editor, which loses nothing unless told to, and its name is free then', async () => {
    const broker = at.own(await Broker.start(at.home));
    const { value } = await broker.call('start-editor');
    const { target, buffer, changedtick } = value;
    const pid = await pidOf(broker, target);
    const operations = [{ kind: 'document', text: 'draft\n' }];
    await broker.call('edit', { target, buffer, expected_changedtick: changedtick, operations });
    const refused = await broker.call('stop-editor', { target });
    assert.match(refused.text, /headless has unsaved changes in buffer 1 \(no name\).*discard/s);
    broker.answer = DENY;
    assert.match((await broker.call('stop-editor', { target, discard: true })).text, /denied/);
    assert.equal(
      broker.questions.at(-1),
      'Allow in the editor headless: end this editor and lose what is unsaved in buffer 1 (no name)?',
    );
    assert.equal(isGone(pid), false);
    broker.answer = ALLOW;
    assert.equal((await broker.call('stop-editor', { target, discard: true })).isError, false);
    assert.equal(isGone(pid), true);
    assert.deepEqual(await broker.targets(), []);
    assert.equal((await broker.call('start-editor')).value['target'], 'headless');
    assert.equal((await broker.call('stop-editor', { target })).isError, false);
  });

  it('is the only kind that stop-editor ends', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    assert.match((await broker.call('stop-editor', { target: 'ed' })).text, /ed was not started by start-editor/);
    assert.match((await broker.call('stop-editor', { target: 'nobody' })).text, /no editor is named "nobody"/);
    assert.equal(isGone(vim.pid), false);
    assert.deepEqual(broker.questions, []);
  });

  it('knows none of our variables but those that an editor needs', async () => {
    const env = { ...at.home.env, API_KEY: 'a-secret', MCP_MULTIBROKER_CONNECT: '' };
    const broker = at.own(await Broker.start({ ...at.home, env }, ['--auto-allow', 'open,exec']));
    const { value } = await broker.call('start-editor');
    const evaluated = await broker.call('eval', { target: value['target'], expression: 'keys(environ())' });
    const names = evaluated.value['value'] as string[];
    assert.ok(names.includes('PATH') && names.includes('HOME'), evaluated.text);
    assert.deepEqual(
      names.filter((name) => /API_KEY|MULTIBROKER/.test(name)),
      [],
    );
  });

  it('is not started on what is no file', async () => {
    const broker = at.own(await Broker.start(at.home));
    assert.match((await broker.call('start-editor', { path: at.home.path })).text, /is not a regular file/);
    assert.match((await broker.call('start-editor', { path: 'x' })).text, /absolute/);
    assert.deepEqual(broker.questions, []);
  });
});
