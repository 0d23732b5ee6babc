/** Questions that are put by a program on this machine. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { after, afterEach, before, describe, it } from 'node:test';
import { type Home, makeHome } from '../kit/home.js';
import { soon } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, change, type Result } from './broker.js';
import { stage } from './fixture.js';
import { Helper } from './helper.js';

const ALLOW = { decision: 'allow' };
const DENY = { decision: 'deny' };

describe('a question to the person at this machine', () => {
  let home: Home;
  let helper: Helper;
  let broker: Broker;
  let vim: Vim;
  const rules = (): string => `${home.path}/config/mcp-multibroker/rules/vim-default.ini`;

  before(async () => {
    home = await makeHome();
    helper = await Helper.make(home);
    home.env['SOME_SECRET'] = 'x';
    broker = await Broker.start(home, ['--ask', 'helper', '--helper', helper.path]);
    vim = await Vim.start(home);
    await broker.join(vim, 'Mcp ed');
  });
  after(async () => {
    await vim?.close();
    await broker?.close();
    await home?.remove();
  });
  afterEach(() => rm(rules(), { force: true }));

  async function edit(buffer: number, from = 'one', to = 'two', signal?: AbortSignal): Promise<Result> {
    const args = { buffer, expected_changedtick: await vim.tick(buffer), diff: change(1, from, to) };
    return await broker.call('apply-diff', args, signal);
  }

  it('says who asks, what for, where, and all of the change with its length', async () => {
    const buffer = await vim.buffer(['one']);
    const done = edit(buffer, 'one', 'a\u202eb\u0007');
    const { prompt, answer } = await helper.next();
    assert.deepEqual(prompt, {
      from: 'mcp-vim default',
      message: `Allow in the editor ed: change buffer ${buffer} (no name)?`,
      details: '@@ -1,1 +1,1 @@\n-one\n+a\\u{202e}b\\u{7}\n\n(27 characters)',
      action: 'write',
      subject: 'target:ed',
      scopes: ['write in the editor ed, all its files', 'write in all editors, also later ones'],
      terminal: false,
    });
    await answer(ALLOW);
    assert.equal((await done).isError, false);
    assert.deepEqual(await vim.lines(buffer), ['a\u202eb\u0007']);
    assert.deepEqual(broker.questions, [], 'the client is not asked as well');
  });

  it('is put by a program that gets what it needs to show it, and none of our secrets', async () => {
    const done = edit(await vim.buffer(['one']));
    const { environment, answer } = await helper.next();
    await answer(DENY);
    await done;
    assert.ok(environment.includes('HOME') && environment.includes('XDG_RUNTIME_DIR'), environment.join());
    assert.ok(!environment.some((name) => name.includes('SECRET')), environment.join());
  });

  it('is answered with a reason, which the model gets', async () => {
    const buffer = await vim.buffer(['one']);
    const done = edit(buffer);
    await (await helper.next()).answer({ ...DENY, reason: ' Not this paragraph. ' });
    const { isError, text } = await done;
    assert.equal(isError, true);
    assert.match(text, /did not allow it \(write in target:ed\); they say: “Not this paragraph\.”\. /);
    assert.match(text, /"reason":"Not this paragraph\."/);
    assert.deepEqual(await vim.lines(buffer), ['one']);
  });

  for (const [what, line] of [
    ['nothing', ''],
    ['no JSON', 'yes'],
    ['an empty object', '{}'],
    ['another word', '{"decision":"Allow"}'],
    ['a list', '["allow"]'],
    ['a scope that was not offered', '{"decision":"allow","scope":2}'],
    ['half a scope', '{"decision":"allow","scope":0.5}'],
    ['a reason that is no text', '{"decision":"allow","reason":1}'],
    ['an error', '{"error":"no display"}'],
  ] as const)
    it(`is a no if the answer is ${what}`, async () => {
      const buffer = await vim.buffer(['one']);
      const done = edit(buffer);
      await (await helper.next()).answer(line);
      const { isError, text } = await done;
      assert.equal(isError, true);
      assert.match(
        text,
        /the person could not be asked: (helper (gave no proper|ended without an) answer|no display)\. /,
      );
      assert.deepEqual(await vim.lines(buffer), ['one']);
    });

  it('is a no when the helper is killed', async () => {
    const done = edit(await vim.buffer(['one']));
    process.kill((await helper.next()).pid, 'SIGKILL');
    assert.match((await done).text, /helper ended without an answer/);
  });

  it('is asked no more when it was allowed for ever, and the rule is in the file', async () => {
    const buffer = await vim.buffer(['one']);
    const first = edit(buffer);
    await (await helper.next()).answer({ ...ALLOW, scope: 0 });
    assert.equal((await first).isError, false);
    assert.equal((await edit(buffer, 'two', 'three')).isError, false);
    assert.equal(
      await readFile(rules(), 'utf8'),
      '[rule]\ndecision=allow\naction=write\nsubject=target:ed\nsandbox-grants=\n',
    );
    const saved = broker.call('save', { buffer, expected_changedtick: await vim.tick(buffer) });
    await (await helper.next()).answer({ ...DENY, scope: 1 });
    assert.match((await saved).text, /did not allow it, now and from now on \(save in target:ed\)/);
    const again = await broker.call('save', { buffer, expected_changedtick: await vim.tick(buffer) });
    assert.match(again.text, /save is denied by the rule at .*vim-default\.ini:7/);
  });

  it('about a command offers the exact one, all in the editor, and all anywhere', async () => {
    const command = 'let g:x = "a|b;#" . \'\\\' | let g:y = 1\n" comment';
    const run = (): Promise<Result> => broker.call('ex', { command });
    const first = run();
    const { prompt, answer } = await helper.next();
    assert.deepEqual(prompt.scopes, [
      'exactly this Ex command in the editor ed',
      'every Ex command in the editor ed',
      'every Ex command in all editors, also later ones',
    ]);
    assert.ok(prompt.details?.startsWith(command));
    await answer({ ...ALLOW, scope: 0 });
    assert.equal((await first).isError, false, (await first).text);
    assert.equal((await run()).isError, false);
    const other = broker.call('ex', { command: `${command} ` });
    await (await helper.next()).answer({ ...ALLOW, scope: 1 });
    await other;
    assert.equal((await broker.call('ex', { command: 'let g:z = 2' })).isError, false);
    const expression = broker.call('eval', { expression: '1' });
    await (await helper.next()).answer(DENY);
    assert.equal((await expression).isError, true, 'an expression is no Ex command');
  });

  it('waits for its turn, and need not be asked if the one before it settles it', async () => {
    const [one, two, three] = [await vim.buffer(['one']), await vim.buffer(['one']), await vim.buffer(['one'])];
    const done = [edit(one), edit(two), edit(three)];
    const first = await helper.next();
    const before = await helper.asked();
    await first.answer({ ...ALLOW, scope: 0 });
    for (const { isError, text } of await Promise.all(done)) assert.equal(isError, false, text);
    assert.deepEqual(await helper.asked(), before);
  });

  it('is asked once for calls that are the same', async () => {
    const run = (): Promise<Result> => broker.call('ex', { command: 'let g:count = get(g:, "count") + 1' });
    const done = [run(), run(), run()];
    const { answer } = await helper.next();
    // A later call, which answers, shows that the others have come in.
    await broker.call('targets');
    await answer(ALLOW);
    for (const { isError, text } of await Promise.all(done)) assert.equal(isError, false, text);
    assert.equal(await vim.eval('g:count'), 3);
  });

  it('goes away with the call', async () => {
    const buffer = await vim.buffer(['one']);
    const stop = new AbortController();
    const done = edit(buffer, 'one', 'two', stop.signal);
    const next = edit(await vim.buffer(['one']));
    const first = await helper.next();
    stop.abort('no more');
    await assert.rejects(done);
    await first.gone();
    await (await helper.next()).answer(ALLOW);
    assert.equal((await next).isError, false);
    assert.deepEqual(await vim.lines(buffer), ['one']);
  });

  it('is put a second time while one of two calls still waits', async () => {
    const stop = new AbortController();
    const command = 'let g:twice = 1';
    const one = broker.call('ex', { command }, stop.signal);
    const { answer } = await helper.next();
    const two = broker.call('ex', { command });
    await broker.call('targets');
    stop.abort();
    await assert.rejects(one);
    await answer(ALLOW);
    assert.equal((await soon('answer', two)).isError, false);
  });

  it('is decided again in Vim: what changed meanwhile is not overwritten', async () => {
    const buffer = await vim.buffer(['one']);
    const done = edit(buffer);
    const { answer } = await helper.next();
    await vim.eval(`setbufline(${buffer}, 1, 'meanwhile')`);
    await answer(ALLOW);
    assert.match((await done).text, /changed since tick/);
  });

  it('is not put about a text that nobody would look through', async () => {
    const buffer = await vim.buffer(['one']);
    const { text } = await edit(buffer, 'one', 'x'.repeat(8_400_000));
    assert.match(text, /the person cannot be shown 84000\d\d characters, and is not asked/);
  });
});

describe('where nobody can be asked', () => {
  const at = stage();

  for (const way of ['helper', 'tty', 'dialog', 'yad'] as const)
    it(`--ask ${way} means no`, async () => {
      const broker = at.own(await Broker.start(at.home, ['--ask', way]));
      const vim = at.own(await Vim.start(at.home));
      await broker.join(vim, 'Mcp ed');
      const { text } = await broker.call('ex', { command: 'let g:x = 1' });
      assert.match(
        text,
        /the person could not be asked: (there is no display|the question cannot be put in a terminal)/,
      );
      assert.deepEqual([await vim.eval("exists('g:x')"), broker.questions], [0, []]);
    });

  it('is the case in a client without forms, with --ask mcp', async () => {
    const broker = at.own(await Broker.start(at.home, ['--ask', 'mcp'], { elicitation: false }));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    assert.match((await broker.call('ex', { command: 'quit' })).text, /this client cannot ask for it/);
  });

  it('--ask auto asks the helper for a client without forms, and only the client where that has them', async () => {
    const helper = await Helper.make(at.home);
    at.home.env['PERL_ANYEVENT_MCP_PERMISSION_ASK'] = 'auto';
    at.home.env['MCP_MULTIBROKER_PERMISSION_HELPER'] = helper.path;
    const formless = at.own(await Broker.start(at.home, [], { elicitation: false }));
    const vim = at.own(await Vim.start(at.home));
    await formless.join(vim, 'Mcp ed');
    const done = formless.call('ex', { command: 'let g:x = 1' });
    await (await helper.next()).answer(ALLOW);
    assert.equal((await done).isError, false);
    const other = at.own(await Broker.start(at.home));
    other.answer = { action: 'decline' };
    assert.match((await other.call('ex', { command: 'let g:x = 2' })).text, /did not allow it/);
    assert.deepEqual([other.questions.length, (await helper.asked()).length, await vim.eval('g:x')], [1, 1, 1]);
  });

  it('the environment says how to ask, and is refused if it says nothing that is one', async () => {
    at.home.env['MCP_MULTIBROKER_PERMISSION_ASK'] = 'nicely';
    await assert.rejects(Broker.start(at.home));
  });
});
