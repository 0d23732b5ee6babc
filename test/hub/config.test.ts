/** A configuration file, and its changes while the hub runs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { folder, freshHome } from '../kit/home.js';
import { child, childCommand, HubProcess, PROGRAM, run } from '../kit/hub.js';
import { allGone, isAlive } from '../kit/processes.js';
import { eventually, soon } from '../kit/until.js';

type Servers = Record<string, Record<string, unknown>>;

const LIST_CHANGED = 'notifications/tools/list_changed';
const MESSAGE = 'notifications/message';

/** The entry of a child of ours. */
function plain(...args: readonly string[]): { command: string; args: string[] } {
  const [command = '', ...words] = childCommand('plain', ...args);
  return { command, args: words };
}

const written = (servers: Servers): string => JSON.stringify({ mcpServers: servers });

interface Following {
  readonly hub: HubProcess;
  readonly file: string;
  readonly pid: (alias: string) => Promise<number>;
  /** Writes the file anew and waits until the client is told of it. */
  readonly edit: (servers: Servers) => Promise<void>;
}

/** A greeted hub that follows a file, which lies in a folder of its own. */
async function following(t: TestContext, servers: Servers): Promise<Following> {
  const file = join(await folder(t), 'servers.json');
  await writeFile(file, written(servers));
  const hub = await HubProcess.greeted(t, ['--config', file]);
  const { client } = hub;
  const pid = async (alias: string): Promise<number> => Number((await client.call(`${alias}.pid`)).text);
  const edit = async (next: Servers): Promise<void> => {
    const from = client.notifications.length;
    await writeFile(file, written(next));
    await client.notification(LIST_CHANGED, '', from);
  };
  return { hub, file, pid, edit };
}

const aliases = (names: readonly string[]): string[] => [...new Set(names.map((name) => name.split('.')[0] ?? ''))];

describe('a configuration file', () => {
  it('is what clients have: comments, trailing commas, variables, and options of the hub beside them', async (t) => {
    const file = join(await folder(t), 'mcp.json');
    const { command, args } = plain('--started', '${STARTS:-/dev/null}');
    await writeFile(
      file,
      `\uFEFF// Pasted.
      {"servers": {
        "my server": {"type": "stdio", "command": ${JSON.stringify(command)}, "args": ${JSON.stringify(args)},
          "cwd": ".", "eager": true,
          "env": {"SPACED": "two words = one", "KEY": "\${env:API_KEY}", "NUMBER": 1, "NONE": null,},},
        "zed": {"source": "extension", "settings": {}}, /* of Zed */
        "off": {"command": "no-such-program", "disabled": true},
      }, "inputs": [],}`,
    );
    const env = { ...(await freshHome(t)), API_KEY: 'a "b" \\${HOME}' };
    const hub = await HubProcess.greeted(t, [...child('own', 'plain'), '--config', file], env);
    assert.deepEqual(aliases(await hub.client.toolNames()), ['own', 'my-server']);
    const seen = JSON.parse((await hub.client.call('my-server.env')).text) as Record<string, string>;
    assert.equal(seen['SPACED'], 'two words = one');
    assert.equal(seen['KEY'], env.API_KEY);
    assert.deepEqual([seen['NUMBER'], seen['NONE']], ['1', undefined]);
    await hub.close();
    assert.match(hub.stderr, /server "my server" has the alias my-server/);
    assert.match(hub.stderr, /server "zed" is left out: it has no "command"/);
  });

  for (const [what, text, args, message] of [
    ['is no JSON', '{"mcpServers": {"a" 1}}', [], /servers\.json:1:21 is no JSON: colon expected/],
    ['has a mistake', '{"mcpServers": {"a": {"command": 3}}}', [], /server "a": command must be a text/],
    ['needs a variable that is not set', written({ a: { command: '${NO_SUCH}' } }), [], /"a": command: .*NO_SUCH/],
    [
      'has an alias of the command line',
      written({ a: plain() }),
      ['a', 'stdio:x'],
      /the alias a is given by the command line and by \S+servers\.json/,
    ],
  ] as const) {
    it(`that ${what} ends the hub at its start`, async (t) => {
      const file = join(await folder(t), 'servers.json');
      await writeFile(file, text);
      const { code, stderr } = await run(['--stdio', '--config', file, ...args], await freshHome(t));
      assert.equal(code, 2);
      assert.match(stderr, /^mcp-multibroker: error: [^\n]+\n$/);
      assert.match(stderr, message);
    });
  }

  it('that is not there ends the hub at its start', async (t) => {
    const { code, stderr } = await run(['--stdio', '--config', '/no/such/file'], await freshHome(t));
    assert.equal(code, 1);
    assert.match(stderr, /error: \/no\/such\/file cannot be read/);
  });

  it('that starts the hub with this very file does not start it again', async (t) => {
    const { hub } = await following(t, { a: plain() });
    await hub.close();
    const file = join(await folder(t), 'mcp.json');
    await writeFile(file, written({ a: plain(), tools: { command: 'mcp-multibroker', args: ['--config', file] } }));
    const itself = await HubProcess.greeted(t, ['--config', file]);
    assert.deepEqual(aliases(await itself.client.toolNames()), ['a']);
  });
});

describe('an edit of the file', () => {
  it('starts, stops and restarts what it concerns; all else goes on, and clients are told once', async (t) => {
    const { hub, file, pid } = await following(t, { keep: plain(), drop: plain(), change: plain() });
    const { client } = hub;
    await client.toolNames();
    const [kept, dropped, changed] = await Promise.all([pid('keep'), pid('drop'), pid('change')]);
    const [held, lost, cut] = [client.call('keep.hold'), client.call('drop.slow'), client.call('change.slow')];
    const from = client.notifications.length;
    await writeFile(file, written({ fresh: plain(), keep: plain(), change: { ...plain(), env: { A: '1' } } }));

    assert.match((await lost).error?.message ?? '', /^drop was stopped: it is no longer in the configuration/);
    const { error } = await cut;
    assert.equal(error?.code, 4410);
    assert.match(error?.message ?? '', /^change was stopped because its configuration has changed\. The next call/);
    await client.notification(LIST_CHANGED, '', from);
    assert.deepEqual(aliases(await client.toolNames()), ['fresh', 'keep', 'change']);
    await client.call('keep.release');
    assert.equal((await held).text, 'held');
    assert.equal(await pid('keep'), kept);
    assert.notEqual(await pid('change'), changed);
    assert.equal(JSON.parse((await client.call('change.env')).text).A, '1');
    await eventually('the others have ended', () => !isAlive(dropped) && !isAlive(changed));
    assert.match((await client.call('drop.pid')).error?.message ?? '', /the servers are: fresh, keep, change/);
    assert.equal(client.notifications.slice(from).filter(({ method }) => method === LIST_CHANGED).length, 1);
  });

  it('that is broken changes nothing and is told, and the next one counts', async (t) => {
    const { hub, file, pid, edit } = await following(t, { a: plain() });
    const before = await pid('a');
    await writeFile(file, '{"mcpServers": {"a": ');
    const { params } = await hub.client.notification(MESSAGE, 'the configuration stays as it was');
    assert.match(JSON.stringify(params), /"level":"error".*servers\.json:1:\d+ is no JSON/);
    assert.equal(await pid('a'), before);
    await edit({ a: plain(), b: plain() });
    assert.ok((await pid('b')) > 0);
    assert.equal(await pid('a'), before);
    await hub.close();
    assert.match(hub.stderr, /error: the configuration stays as it was: \S+ is no JSON/);
  });

  it('may put another file in its place, time and again', async (t) => {
    const { hub, file, pid } = await following(t, { a: plain() });
    for (const alias of ['b', 'c']) {
      const from = hub.client.notifications.length;
      await writeFile(`${file}~`, written({ [alias]: plain() }));
      await rename(`${file}~`, file);
      await hub.client.notification(LIST_CHANGED, '', from);
      assert.ok((await pid(alias)) > 0);
    }
  });

  it('may be made where a link leads, and lead the link elsewhere', async (t) => {
    const [here, there] = [await folder(t), await folder(t)];
    const [file, target] = [join(here, 'link.json'), join(there, 'servers.json')];
    await writeFile(target, written({ a: plain() }));
    await symlink(target, file);
    const hub = await HubProcess.greeted(t, ['--config', file]);
    await writeFile(target, written({ b: plain() }));
    await hub.client.notification(LIST_CHANGED);
    assert.deepEqual(aliases(await hub.client.toolNames()), ['b']);
    const from = hub.client.notifications.length;
    await writeFile(`${target}.other`, written({ c: plain() }));
    await rm(file);
    await symlink(`${target}.other`, file);
    await hub.client.notification(LIST_CHANGED, '', from);
    assert.deepEqual(aliases(await hub.client.toolNames()), ['c']);
  });

  it('stops one server when it is disabled', async (t) => {
    const { hub, pid, edit } = await following(t, { a: plain(), b: plain() });
    const [a, b] = [await pid('a'), await pid('b')];
    await edit({ a: plain(), b: { ...plain(), disabled: true } });
    await eventually('it has ended', () => !isAlive(b));
    assert.equal(await pid('a'), a);
    assert.match((await hub.client.call('b.pid')).error?.message ?? '', /no server has "b\.pid"/);
  });

  it('starts a server in its new way only when the process before has ended', async (t) => {
    const [command = '', ...args] = childCommand('stubborn');
    const { pid, edit } = await following(t, { a: { command, args } });
    const before = await pid('a');
    await edit({ a: { command, args: [...args, '--instructions', 'new'] }, b: plain() });
    assert.notEqual(await pid('a'), before);
    assert.ok(!isAlive(before));
  });

  it('starts at once what becomes eager, and restarts nothing for that', async (t) => {
    const started = join(await folder(t), 'started');
    const [busy, lazy] = [plain(), plain('--started', started)];
    const { pid, edit } = await following(t, { busy, lazy });
    const before = await pid('busy');
    await edit({ busy: { ...busy, eager: true }, lazy: { ...lazy, eager: true } });
    await eventually('it is started', async () => (await readFile(started, 'utf8')) !== '');
    assert.equal(await pid('busy'), before);
  });
});

describe('SIGHUP', () => {
  it('has the file read again, and leaves alone what has not changed', async (t) => {
    const { hub, pid } = await following(t, { a: plain() });
    const before = await pid('a');
    hub.kill('SIGHUP');
    await eventually('it says so', () => /read again: nothing has changed/.test(hub.stderr));
    assert.equal(await pid('a'), before);
    hub.client.end();
    assert.deepEqual(await soon('end', hub.exited), { code: 0, signal: null });
  });

  it('ends the hub when it says that the terminal was closed', async (t) => {
    const [env, place] = [await freshHome(t), await folder(t)];
    const [file, started] = [join(place, 'servers.json'), join(place, 'started')];
    await writeFile(file, written({ a: { ...plain('--started', started), eager: true } }));
    const command = `exec '${process.execPath}' '${PROGRAM}' --config '${file}'`;
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
    await eventually('it has started the child', async () => (await readFile(started, 'utf8')) !== '');
    terminal.kill('SIGKILL');
    await allGone(env, 5000);
  });
});
