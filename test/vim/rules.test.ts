/** Rules in their file, and what they do to calls. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, change, PROGRAM, type Result } from './broker.js';
import { pair, stage } from './fixture.js';

const rule = (...lines: readonly string[]): string => `[rule]\n${lines.join('\n')}\n`;

/** Writes the rules of a broker, in place or as another file. */
async function rules(home: { path: string }, text: string, how: 'place' | 'replace' = 'replace'): Promise<string> {
  const path = join(home.path, 'config/mcp-multibroker/rules/vim-default.ini');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = how === 'place' ? path : `${path}.draft`;
  await writeFile(draft, text, { mode: 0o600 });
  if (how === 'replace') await rename(draft, path);
  return path;
}

describe('a rule', () => {
  const at = pair({ args: ['--auto-allow', 'save'] });

  afterEach(() => rules(at.home, ''));

  async function edit(buffer: number, from: string, to: string): Promise<Result> {
    const args = { buffer, expected_changedtick: await at.vim.tick(buffer), diff: change(1, from, to) };
    return await at.broker.call('apply-diff', args);
  }

  it('allows without a question, from the next call on, and no more when it is gone', async () => {
    const buffer = await at.vim.buffer(['a']);
    await edit(buffer, 'a', 'b');
    const allow = rule('decision=allow', 'action=write', 'subject=target:ed', 'sandbox-grants=');
    await rules(at.home, allow);
    await edit(buffer, 'b', 'c');
    await rules(at.home, allow.replace('target:ed', 'target:no'), 'place');
    await edit(buffer, 'c', 'd');
    await rules(at.home, allow, 'place');
    await edit(buffer, 'd', 'e');
    await rm(await rules(at.home, allow));
    await edit(buffer, 'e', 'f');
    assert.deepEqual([at.broker.questions.length, await at.vim.lines(buffer)], [3, ['f']]);
  });

  it('denies without a question, naming itself, also what the command line allows or needs no question', async () => {
    const buffer = await at.vim.buffer(['a']);
    const path = await rules(at.home, `\n${rule('decision=deny', 'action=*', 'subject=target:ed')}`);
    for (const [name, args] of [
      ['read-lines', { buffer }],
      ['save', { buffer, expected_changedtick: await at.vim.tick(buffer) }],
      ['set-cursor', { buffer, line: 1 }],
    ] as const)
      assert.match((await at.broker.call(name, args)).text, new RegExp(`is denied by the rule at ${path}:2\\n`));
    assert.deepEqual(await at.broker.targets(), ['ed'], 'the list of editors is another subject');
    assert.deepEqual(at.broker.questions, []);
  });

  it('may want a question where there was none', async () => {
    const buffer = await at.vim.buffer(['a']);
    await rules(at.home, rule('decision=ask', 'action=read', 'subject-prefix=target:'));
    assert.equal((await at.broker.call('read-lines', { buffer })).isError, false);
    assert.deepEqual(at.broker.questions, [`Allow in the editor ed: read buffer ${buffer}?`]);
  });

  it('for a command is for that one only', async () => {
    await rules(at.home, rule('decision=allow', 'action=exec', 'subject=ex:"ed":"let g:x = \\"a\\""'));
    assert.equal((await at.broker.call('ex', { command: 'let g:x = "a"' })).isError, false);
    assert.deepEqual(at.broker.questions, []);
    await at.broker.call('ex', { command: 'let g:x = "a" ' });
    assert.equal(at.broker.questions.length, 1);
  });

  it('that is broken denies everything, with file and line, until it is corrected', async () => {
    const good = rule('decision=allow', 'action=write');
    const path = await rules(at.home, `${good}\n${rule('decision=deny', 'action=wirte')}`);
    for (const [name, args] of [
      ['targets', {}],
      ['ex', { command: 'quit' }],
    ] as const) {
      const { isError, text } = await at.broker.call(name, args);
      assert.equal(isError, true);
      assert.ok(text.startsWith(`${path}:5: the rule that begins here is broken: action is one of read, `), text);
      assert.match(text, /Nothing is allowed until the person has corrected that file/);
    }
    await rules(at.home, good);
    assert.deepEqual(await at.broker.targets(), ['ed']);
    assert.deepEqual(at.broker.questions, []);
  });

  it('is told of by capabilities', async () => {
    const permissions = async (): Promise<Record<string, string>> => {
      const { tools } = (await at.broker.call('capabilities')).value as {
        tools: { action: string; permission: string }[];
      };
      return Object.fromEntries(tools.map(({ action, permission }) => [action, permission]));
    };
    await rules(at.home, rule('decision=deny', 'action=exec') + rule('decision=allow', 'action=write', 'path=/x/'));
    const { read, write, save, exec, open } = await permissions();
    assert.deepEqual([read, write, save, exec, open], ['allow', 'rules', 'allow', 'deny', 'ask']);
  });
});

describe('a rule with a path', () => {
  const at = pair({ args: ['--auto-allow', 'write,open,notify'] });
  let project = '';
  let secret = 0;
  let plain = 0;

  before(async () => {
    project = join(at.home.path, 'project');
    await mkdir(join(project, 'private'), { recursive: true });
    await mkdir(join(project, 'notes'));
    await writeFile(join(project, 'private/key'), 'the secret text\n');
    await writeFile(join(project, 'notes/list'), 'a plain text\n');
    await symlink('../private/key', join(project, 'notes/way'));
    await at.vim.ex(`cd ${project}`);
    secret = (await at.broker.call('open', { path: 'private/key' })).value['buffer'] as number;
    plain = (await at.broker.call('open', { path: 'notes/list' })).value['buffer'] as number;
  });

  beforeEach(() =>
    rules(
      at.home,
      rule('decision=deny', 'action=*', `path=${project}/private/`) +
        rule('decision=allow', 'action=read', 'path=/**') +
        rule('decision=ask', 'action=open'),
    ),
  );

  it('keeps the text of a file from all tools, their errors included', async () => {
    const tick = await at.vim.tick(secret);
    const guard = { buffer: secret, expected_changedtick: tick };
    for (const [name, args] of [
      ['read-lines', { buffer: secret }],
      ['grep', { pattern: 'text', buffer: secret }],
      ['grep', { pattern: 'text' }],
      ['screen', {}],
      ['watch', { buffer: secret, since: 1, timeout_ms: 0 }],
      ['watch', { timeout_ms: 0 }],
      ['trace', {}],
      ['start-editor', { path: join(project, 'notes/way') }],
      ['view-open', { buffer: secret }],
      ['keys', { ...guard, keys: '/secret text<CR>' }],
      ['edit', { ...guard, operations: [{ kind: 'replace', old: 'the secret', new: 'x' }] }],
      ['edit', { ...guard, operations: [{ kind: 'replace', old: 'the sacret text', new: 'x' }] }],
      ['apply-diff', { ...guard, diff: change(1, 'wrong', 'x') }],
      ['substitute', { ...guard, pattern: 'secret', replacement: 'x', expected_count: 7 }],
      ['undo', guard],
      ['save', guard],
    ] as const) {
      const { isError, text } = await at.broker.call(name, args);
      assert.equal(isError, true, name);
      assert.match(text, /is denied by the rule at .*vim-default\.ini:1\n/, name);
      assert.doesNotMatch(text, /secret text/);
    }
    await at.vim.ex(`buffer ${secret} | normal! VV`);
    assert.match((await at.broker.call('selection')).text, /read is denied by/);
    const uri = `vim://ed/${secret}`;
    await assert.rejects(at.broker.client.readResource({ uri }), /read is denied by/);
    await assert.rejects(at.broker.client.subscribeResource({ uri }), /read is denied by/);
  });

  it('keeps it from the refusal of a change that comes too late', async () => {
    const edit = async (tick: number): Promise<string> => {
      const operations = [{ kind: 'insert-lines', after: 0, text: 'late' }];
      return (await at.broker.call('edit', { buffer: secret, expected_changedtick: tick, operations })).text;
    };
    await rules(at.home, '');
    await at.vim.ex(`buffer ${secret}`);
    await at.broker.call('read-lines', { buffer: secret });
    await eventually('the buffer is followed', async () => (await edit(1)).includes('changed_by'));
    const tick = await at.vim.tick(secret);
    await at.vim.typed('Ax\x1b');
    assert.match(await edit(tick), /"changed_by":\["person"\],"diff":/);
    await rules(at.home, rule('decision=deny', 'action=read', `path=${project}/private/`));
    const refused = await edit(tick);
    assert.match(refused, /"error":"stale".*"applies":true/);
    assert.doesNotMatch(refused, /changed_by|diff|secret/);
  });

  it('lets the others be read and written', async () => {
    await at.vim.ex(`buffer ${plain}`);
    assert.equal((await at.broker.call('read-lines', { buffer: plain })).value['text'], 'a plain text\n');
    assert.equal((await at.broker.call('grep', { pattern: 'plain', buffer: plain })).isError, false);
    assert.equal((await at.broker.call('selection')).isError, false);
    const guard = { buffer: plain, expected_changedtick: await at.vim.tick(plain) };
    assert.equal(
      (await at.broker.call('apply-diff', { ...guard, diff: change(1, 'a plain text', 'b') })).isError,
      false,
    );
    const unnamed = await at.vim.buffer(['no file']);
    assert.equal((await at.broker.call('read-lines', { buffer: unnamed })).isError, false);
  });

  for (const path of [
    'private/key',
    'private/new',
    'notes/way',
    'notes/../private/key',
    './private/./key',
    'private',
    '~/project/private/key',
  ])
    it(`is not got round by open with ${path}`, async () => {
      const { text } = await at.broker.call('open', { path });
      if (path === 'private') assert.match(text, /is a directory/);
      else assert.match(text, /open is denied by the rule at .*:1\n/);
    });

  it('opens what it looked at', async () => {
    const { value } = await at.broker.call('open', { path: 'notes/../notes/list' });
    assert.equal(value['filename'], join(project, 'notes/list'));
    assert.deepEqual(at.broker.questions, ['Allow in the editor ed: open the file notes/../notes/list?']);
  });
});

describe('mcp-vim --read-only', () => {
  const at = stage();

  it('is helped with the tools that are left', () => {
    const help = (...args: string[]): string =>
      execFileSync(process.execPath, [PROGRAM, '--tool-help', ...args], { env: at.home.env, encoding: 'utf8' });
    const actions = (text: string): Set<string> => new Set(text.match(/(?<=^[\w-]+ )\(\w+\)$/gm));
    assert.deepEqual([...actions(help('--read-only'))], ['(read)']);
    assert.ok(actions(help()).has('(exec)'));
  });

  it('neither lists nor runs what writes', async () => {
    const broker = at.own(await Broker.start(at.home, ['--read-only', '--auto-allow', 'write,exec']));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    const { tools } = await broker.client.listTools();
    const others = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    assert.deepEqual([others, tools.length > 5], [[], true]);
    await assert.rejects(broker.call('ex', { command: 'let g:x = 1' }), /ex/);
    const { value } = await broker.call('capabilities');
    assert.deepEqual(
      (value['tools'] as { action: string }[]).map(({ action }) => action),
      ['read'],
    );
    assert.equal(await vim.eval("exists('g:x')"), 0);
  });
});
