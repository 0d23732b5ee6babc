import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { ALLOW, Broker, printedUrl, type Result, refusal } from './broker.js';
import { FakeVim, Refusal, VERBS } from './fake-vim.js';
import { pair, stage } from './fixture.js';

describe('a refusal because the text has changed', () => {
  const at = pair();

  async function seen(lines: readonly string[]): Promise<{ buffer: number; tick: number }> {
    const buffer = await at.vim.buffer(lines);
    await at.broker.call('read-lines', { buffer });
    // Until the broker follows the buffer, it tells of no change.
    await eventually('the text is known', async () => {
      const refused = refusal(await edit(buffer, 1, []));
      return 'diff' in refused || Object.hasOwn(refused, 'changed_by');
    });
    return { buffer, tick: await at.vim.tick(buffer) };
  }

  async function edit(buffer: number, tick: number, operations: readonly object[], more: object = {}): Promise<Result> {
    const all = operations.length > 0 ? operations : [{ kind: 'insert', at: 0, text: 'x' }];
    return await at.broker.call('edit', { buffer, expected_changedtick: tick, operations: all, ...more });
  }

  it('needs no write of its own before the answer to the edit that made the change', async () => {
    const { buffer, tick } = await seen(['one']);
    const log = join(at.home.path, 'channel.log');
    await at.vim.ex(`call ch_logfile('${log}', 'w')`);
    await edit(buffer, tick, []);
    await at.vim.ex("call ch_logfile('')");
    const sent = (await readFile(log, 'utf8')).split('\n').filter((line) => line.includes('changedtick'));
    assert.match(sent.join('\n'), /"events":\[\{"name":"changed"\}\]/);
    assert.doesNotMatch(await readFile(log, 'utf8'), /\["event",\{"name":"changed"\}\]/);
  });

  it('tells who changed it, what, and whether the edit could still be made', async () => {
    const { buffer, tick } = await seen(['one', 'two', 'three', 'four', 'five', 'six']);
    await at.vim.typed('5GofünfX\x1b');
    const elsewhere = refusal(await edit(buffer, tick, [{ kind: 'replace', old: 'two', new: 'TWO' }]));
    assert.deepEqual(
      { ...elsewhere, changedtick: 0 },
      {
        error: 'stale',
        changedtick: 0,
        changed_by: ['person'],
        diff: '@@ -3,4 +3,5 @@\n three\n four\n five\n+fünfX\n six\n',
        applies: true,
      },
    );
    assert.equal(elsewhere['changedtick'], await at.vim.tick(buffer));
    const there = refusal(await edit(buffer, tick, [{ kind: 'lines', first: 5, last: 6, text: 'x' }]));
    assert.equal(there['applies'], false);
  });

  it('makes a late edit all the same where none of its lines has changed, if it is asked to', async () => {
    const { buffer, tick } = await seen(['one', 'two', 'three', 'four', 'five', 'six']);
    await at.vim.typed('ggOnull\x1b5Gdd');
    const operations = [
      { kind: 'replace', old: 'two', new: 'TWO' },
      { kind: 'insert-lines', after: 5, text: 'five and a half' },
    ];
    const result = await edit(buffer, tick, operations, { rebase: true });
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.lines(buffer), ['null', 'one', 'TWO', 'three', 'five', 'five and a half', 'six']);
    assert.deepEqual(result.value['operations'], [
      { first: 3, last: 3, count: 1 },
      { first: 6, last: 6, count: 1 },
    ]);
    const late = refusal(await edit(buffer, tick, [{ kind: 'replace', old: 'four', new: 'x' }], { rebase: true }));
    assert.equal(late['applies'], false);
    assert.deepEqual(late['changed_by'], ['person', 'you']);
    at.vim.type('u');
    await at.vim.until(`getbufline(${buffer}, 3)`, ['two']);
  });

  it('does the same with a diff', async () => {
    const { buffer, tick } = await seen(['one', 'two', 'three', 'four', 'five', 'six']);
    await at.vim.typed('ggOnull\x1bGAx\x1b');
    const args = { buffer, expected_changedtick: tick, diff: '@@ -3,3 +3,3 @@\n three\n-four\n+FOUR\n five\n' };
    assert.equal(refusal(await at.broker.call('apply-diff', args))['applies'], true);
    const result = await at.broker.call('apply-diff', { ...args, rebase: true });
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(result.value['hunks'], [{ first: 5, last: 5, offset: 0, fuzz: 0 }]);
    assert.deepEqual(await at.vim.lines(buffer), ['null', 'one', 'two', 'three', 'FOUR', 'five', 'sixx']);
  });

  it('makes it anew when the person types while they are asked', async () => {
    const { buffer, tick } = await seen(['one', 'two', 'three']);
    let asked = 0;
    at.broker.answer = async () => {
      asked += 1;
      if (asked === 1) await at.vim.typed(`GA${asked}\x1b`);
      return ALLOW;
    };
    const result = await edit(buffer, tick, [{ kind: 'replace', old: 'one', new: 'ONE' }], { rebase: true });
    assert.equal(result.isError, false, result.text);
    assert.deepEqual(await at.vim.lines(buffer), ['ONE', 'two', 'three1']);
    assert.equal(asked, 2);
  });

  it('knows of a change that Vim tells no line of', async () => {
    const { buffer, tick } = await seen(['zero', 'one']);
    // The word is the only one, so the motion goes nowhere.
    await at.vim.typed('jg~*');
    assert.deepEqual(await at.vim.lines(buffer), ['zero', 'ONE']);
    assert.equal(refusal(await edit(buffer, tick, []))['diff'], '@@ -1,2 +1,2 @@\n zero\n-one\n+ONE\n');
  });

  it('knows by its trace what memory does not hold any more', async () => {
    const { buffer, tick } = await seen(['one', 'two', 'three']);
    for (let time = 1; time <= 30; time += 1) {
      await at.vim.ex(`call setline(1, repeat("x", 40000) .. ${time}) | redraw`);
      assert.equal((await at.broker.call('watch', { buffer, timeout_ms: 0 })).isError, false);
    }
    await at.vim.ex('call setline(1, "uno")');
    const old = refusal(await edit(buffer, tick, [{ kind: 'replace', old: 'one', new: 'x' }]));
    assert.deepEqual([old['diff'], old['applies']], ['@@ -1,3 +1,3 @@\n-one\n+uno\n two\n three\n', false]);
    const late = await edit(buffer, tick, [{ kind: 'replace', old: 'three', new: 'drei' }], { rebase: true });
    assert.equal(late.isError, false, late.text);
    assert.deepEqual(await at.vim.lines(buffer), ['uno', 'two', 'drei']);
  });

  it('shows no more of the difference than can be read', async () => {
    const { buffer, tick } = await seen(Array.from({ length: 3000 }, (_, line) => `line ${line}`));
    await at.vim.ex('%s/line/LINE/');
    const { diff, diff_cut: isCut, changed_by: by } = refusal(await edit(buffer, tick, []));
    assert.deepEqual([by, isCut], [['person'], true]);
    assert.match(String(diff), /^@@ -1,3000 \+1,3000 @@\n-line 0\n/);
    assert.ok(String(diff).length <= 4001);
  });
});

describe('a broker that is stopped', () => {
  const at = stage();

  it('neither freezes Vim nor misses what was typed meanwhile', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim);
    const buffer = await vim.buffer(['one', 'two']);
    const since = await vim.tick(buffer);
    await broker.call('watch', { buffer, timeout_ms: 0 });
    process.kill(broker.pid, 'SIGSTOP');
    try {
      await vim.ex('set nohidden | for n in range(300) | execute "silent new" | close | endfor');
      await vim.ex('call setline(3, repeat(["more"], 20000)) | %s/more/MORE/');
      for (let line = 0; line < 50; line += 1) await vim.typed('ggOtyped\x1b');
      assert.equal(await vim.eval("line('$')"), 20_052);
    } finally {
      process.kill(broker.pid, 'SIGCONT');
    }
    const { value, text } = await broker.call('watch', { buffer, since, settle_ms: 0 });
    const [change] = value['changes'] as { who: string; diff: string }[];
    assert.equal(change?.who, 'person', text);
    assert.match(change?.diff ?? '', /^@@ -1,2 \+1,20052 @@\n-one\n-two\n\+typed\n/);
    assert.equal(value['changedtick'], await vim.tick(buffer));
  });
});

describe('a Vim that collects its garbage', () => {
  const at = pair();

  it('has told of all changes before, drawn or not', async () => {
    const buffer = await at.vim.buffer(Array.from({ length: 2000 }, (_, line) => `line ${line}`));
    await at.broker.call('watch', { buffer, timeout_ms: 0 });
    await at.vim.ex('autocmd SafeStateAgain * call setline(2000, reltimestr(reltime()))');
    await at.broker.call('state');
    // It does when nobody types for 'updatetime'.
    for (let time = 0; time < 25; time += 1) {
      await pause(200);
      const { isError, text } = await at.broker.call('read-lines', { buffer });
      assert.equal(isError, false, text);
    }
  });
});

describe('a plugin that knows nothing of changes', () => {
  const at = stage();

  it('is served as before', async () => {
    const broker = at.own(await Broker.start(at.home));
    const verbs = VERBS.filter((verb) => !['follow', 'unfollow', 'listen', 'changes', 'hash'].includes(verb));
    const welcome = { major: 1, minor: 0, pid: 1, cwd: '/', version: '9', verbs };
    const stale = new Refusal('stale', 'buffer 1 changed since tick 1', { changedtick: 2 });
    const vim = await FakeVim.connect(printedUrl(at.home), { welcome: () => welcome, read: () => stale });
    at.own(vim);
    const token = new URL(printedUrl(at.home)).pathname.split('/')[1];
    vim.send(['mcp-vim', token, 1, 0, 'old', 'instance']);
    await eventually('it is there', async () => (await broker.targets()).includes('old'));
    const operations = [{ kind: 'insert', at: 0, text: 'x' }];
    const refused = await broker.call('edit', { buffer: 1, expected_changedtick: 1, operations });
    assert.match(refused.text, /"error":"stale","changedtick":2/);
    assert.match((await broker.call('watch')).text, /too old to be watched/);
  });
});
