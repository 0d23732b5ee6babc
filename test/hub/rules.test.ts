/** `mcp-multibroker rules`, and the file that several processes write at once. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { freshHome } from '../kit/home.js';
import { run } from '../kit/hub.js';
import type { Environment } from '../kit/processes.js';

interface Person {
  readonly env: Environment;
  readonly file: string;
  /** Runs `mcp-multibroker rules`. */
  rules(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
}

async function person(t: TestContext): Promise<Person> {
  const env = await freshHome(t);
  const file = join(env['XDG_CONFIG_HOME'] ?? '', 'mcp-multibroker/rules/vim-ed.ini');
  return { env, file, rules: (...args) => run(['rules', ...args], env) };
}

const ADD = ['add', 'vim-ed', '--decision'];

describe('mcp-multibroker rules', () => {
  it('keeps rules in order in a file that only the person can read', async (t) => {
    const { rules, file } = await person(t);
    await rules(...ADD, 'allow', '--action', 'write', '--subject', 'target:notes');
    await rules(...ADD, 'deny', '--action', 'write', '--path', '/etc/**');
    const { stdout } = await rules('move', 'vim-ed', '2', '1');
    assert.equal(
      stdout,
      '1: decision=deny action=write path=/etc/**\n2: decision=allow action=write subject=target:notes\n',
    );
    assert.equal(
      await readFile(file, 'utf8'),
      '[rule]\ndecision=deny\naction=write\npath=/etc/**\n\n[rule]\ndecision=allow\naction=write\nsubject=target:notes\nsandbox-grants=\n',
    );
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual((await rules('list')).stdout, 'vim-ed\n');
    assert.equal(
      (await rules('remove', 'vim-ed', '1')).stdout,
      '1: decision=allow action=write subject=target:notes\n',
    );
    assert.equal((await rules('list', 'vim-ed')).stdout, '1: decision=allow action=write subject=target:notes\n');
    assert.equal((await rules('list', 'vim-other')).stdout, 'no rules\n');
  });

  it('keeps a command as it is, whatever is in it', async (t) => {
    const { rules } = await person(t);
    const subject = `ex:"ed":${JSON.stringify('normal! a;#"\\ \n\u202e\u0007é')}`;
    await rules(...ADD, 'allow', '--action', 'exec', '--subject', subject);
    const { stdout } = await rules('test', 'vim-ed', '--action', 'exec', '--subject', subject);
    assert.match(stdout, /this one decides \(.*vim-ed\.ini:1\): allow/);
  });

  it('says which rule decides a call, and why not those before it', async (t) => {
    const { rules, file } = await person(t);
    await rules(...ADD, 'deny', '--action', 'save');
    await rules(...ADD, 'deny', '--action', 'write', '--subject', 'target:other');
    await rules(...ADD, 'ask', '--action', '*', '--path', '/etc/**');
    await rules(...ADD, 'allow', '--action', 'write', '--subject-prefix', 'target:');
    const { stdout } = await rules('test', 'vim-ed', '--action', 'write', '--subject', 'target:a', '--path', '/tmp/x');
    assert.deepEqual(
      stdout.split('\n').map((line) => line.replace(/^(\d): .*?: /, '$1: ')),
      ['1: another action', '2: another subject', '3: another path', `4: this one decides (${file}:15): allow`, ''],
    );
    const other = await rules('test', 'vim-ed', '--action', 'write', '--subject', 'target:a', '--path', '/etc/hosts');
    assert.match(other.stdout, /3: .*this one decides .*: ask/);
    const none = await rules('test', 'vim-ed', '--action', 'notify', '--subject', 'target:a');
    assert.match(none.stdout, /no rule decides it/);
  });

  it('tells of a command as of one that may concern any file', async (t) => {
    const { rules } = await person(t);
    await rules(...ADD, 'allow', '--action', 'exec', '--path', '/srv/**');
    await rules(...ADD, 'deny', '--action', '*', '--path', '/etc/**');
    await rules(...ADD, 'allow', '--action', 'exec');
    const { stdout } = await rules('test', 'vim-ed', '--action', 'exec', '--subject', 'ex:"ed":"update"');
    assert.match(stdout, /^1: .*: another path\n2: .*: this one decides .*: deny\n$/);
  });

  it('lists no value as if it were more than one', async (t) => {
    const { rules } = await person(t);
    const { stdout } = await rules(...ADD, 'allow', '--action', 'read', '--subject', 'target:a action=write');
    assert.equal(stdout, '1: decision=allow action=read subject="target:a action=write"\n');
  });

  it('opens the file in an editor and takes up what has no mistake', async (t) => {
    const { env, file } = await person(t);
    const edited = (script: string) => run(['rules', 'edit', 'vim-ed'], { ...env, EDITOR: `sh -c '${script}' sh` });
    assert.equal(
      (await edited(`printf "[rule]\\ndecision=deny\\naction=save\\n" > "$1"`)).stdout,
      '1: decision=deny action=save\n',
    );
    const wrong = await edited(`echo "decision=x" >> "$1"`);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /rules\.ini:4: .*Nothing was changed; what you wrote is in \/.*rules\.ini/);
    assert.equal(await readFile(file, 'utf8'), '[rule]\ndecision=deny\naction=save\n');
    await writeFile(file, 'broken');
    const corrected = await edited(`printf "[rule]\\ndecision=ask\\naction=save\\n" > "$1"`);
    assert.equal(corrected.stdout, '1: decision=ask action=save\n');
    const meanwhile = await edited(`printf "" > "$1"; printf "#" > ${file}`);
    assert.match(meanwhile.stderr, /vim-ed\.ini was changed meanwhile\. Nothing was changed; what you wrote is in/);
    assert.equal(await readFile(file, 'utf8'), '#');
  });

  for (const [args, says] of [
    [[], 'rules takes one of list, add, remove, move, edit, test'],
    [['drop', 'vim-ed'], 'rules takes one of list'],
    [['add'], 'rules add needs the name of a file, as vim-default'],
    [['list', '../vim-ed'], '"../vim-ed" is no file of rules. Name it as vim-NAME'],
    [['list', 'other-ed'], '"other-ed" is no file of rules'],
    [['list', 'vim-ed', '1'], 'rules list takes 0 numbers'],
    [['list', 'vim-ed', '--at', '1'], 'rules list takes no --at'],
    [['remove', 'vim-ed', '0'], '"0" is no number of a rule'],
    [[...ADD, 'maybe', '--action', 'read'], 'decision is one of allow, deny, ask'],
    [[...ADD, 'allow', '--action', 'eat'], 'action is one of read, write'],
    [[...ADD, 'allow', '--action', 'read', '--subject', 'ed'], 'a subject is targets, target:NAME'],
    [[...ADD, 'allow', '--action', 'read', '--path', 'x'], 'a path begins with / or ~/'],
    [[...ADD, 'allow', '--action', 'read', '--subject', 'targets', '--subject-prefix', 'ex:'], 'give --subject or'],
    [['test', 'vim-ed', '--action', 'read'], '--subject is targets, target:NAME'],
    [['test', 'vim-ed', '--action', '*', '--subject', 'targets'], '--action is one of read'],
  ] as const)
    it(`refuses ${args.join(' ') || 'nothing'}`, async (t) => {
      const { rules } = await person(t);
      const { code, stdout, stderr } = await rules(...args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.ok(stderr.startsWith(`mcp-multibroker: error: ${says}`), stderr);
    });

  it('says that there is no such rule', async (t) => {
    const { rules } = await person(t);
    const { code, stderr } = await rules('remove', 'vim-ed', '3');
    assert.equal(code, 1);
    assert.match(stderr, /there is no rule 3\. There are 0\./);
  });

  it('neither follows a link nor trusts what others can write', async (t) => {
    const { rules, file } = await person(t);
    await rules(...ADD, 'deny', '--action', 'save');
    await chmod(file, 0o620);
    assert.match((await rules('list', 'vim-ed')).stderr, /has to be a file of yours that nobody else can write/);
    await symlink(file, file.replace('vim-ed', 'vim-link'));
    assert.match((await rules('list', 'vim-link')).stderr, /vim-link\.ini is a link/);
    await mkdir(file.replace('vim-ed', 'vim-folder'));
    assert.match((await rules('list', 'vim-folder')).stderr, /has to be a file of yours/);
    await writeFile(file.replace('vim-ed', 'vim-bytes'), Buffer.from([0x5b, 0xff]), { mode: 0o600 });
    assert.match((await rules('list', 'vim-bytes')).stderr, /vim-bytes\.ini: the rules cannot be read/);
  });
});

describe('a file of rules that many processes write', () => {
  const WRITER = resolve(import.meta.dirname, '../children/rule-writer.js');

  it('has every rule of all of them', async (t) => {
    const { env, rules } = await person(t);
    const writers = Array.from({ length: 12 }, (_, index) =>
      spawn(process.execPath, [WRITER, String(index), '10'], { env }),
    );
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as number));
    assert.deepEqual(
      codes,
      writers.map(() => 0),
    );
    const { stdout } = await rules('list', 'vim-ed');
    const found = stdout.split('\n').map((line) => /target:(.*)$/.exec(line)?.[1]);
    for (let writer = 0; writer < 12; writer += 1) {
      const own = found.filter((name) => name?.startsWith(`w${writer}-`) === true);
      assert.deepEqual(
        own,
        Array.from({ length: 10 }, (_, index) => `w${writer}-${index}`),
      );
    }
  });

  it('is whole at any time, and its lock free again, when writers are killed', async (t) => {
    const { env, rules, file } = await person(t);
    await rules(...ADD, 'deny', '--action', 'save');
    for (let round = 0; round < 25; round += 1) {
      const writer = spawn(process.execPath, [WRITER, String(round), '1000'], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      // It says each rule that is written: so it is in the middle of one when it is killed.
      await once(writer.stdout, 'data');
      writer.kill('SIGKILL');
      await once(writer, 'exit');
      assert.match(await readFile(file, 'utf8'), /^\[rule\]\ndecision=deny\n[\s\S]*\nsandbox-grants=\n$/);
    }
    const { code, stdout } = await rules(...ADD, 'ask', '--action', 'read');
    assert.equal(code, 0);
    assert.match(stdout, /decision=ask action=read\n$/);
    assert.deepEqual(
      (await readdir(join(file, '..'))).filter((name) => name.includes('.lock')),
      [],
    );
  });
});
