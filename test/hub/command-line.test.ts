/** The program as a person meets it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { folder, freshHome } from '../kit/home.js';
import { child, HubProcess, ROOT, run } from '../kit/hub.js';
import { reachable } from '../kit/reachable.js';

describe('a wrong command line', () => {
  for (const args of [
    ['--nope'],
    ['--name'],
    ['a'],
    ['a', 'prog'],
    ['a', '---', 'x'],
    ['a.b', 'stdio:x'],
    ['--bind', 'x:y'],
    ['--eager'],
    ['a', 'stdio:x', '--env', 'K'],
  ]) {
    it(`is told in one line: ${args.join(' ')}`, async (t) => {
      const { code, stdout, stderr } = await run(args, await freshHome(t));
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^mcp-multibroker: error: [^\n]+\n$/);
    });
  }
});

describe('a secret in the wrong place of a command line', () => {
  const secret = 'sk-SECRETSECRET123';
  for (const args of [
    ['a', 'http://127.0.0.1:1/x', '--header', `Authorization Bearer ${secret}`],
    ['a', 'http://127.0.0.1:1/x', '--header', 'X-Key:', secret],
    ['a', 'http://127.0.0.1:1/x', '--header', `X-Key: ${secret}\n`],
    ['a', 'http://127.0.0.1:1/x', '--bearer', 'x', `Bearer ${secret}`],
    ['a', 'http://127.0.0.1:1/x', '--oauth-document', secret],
    ['a', `http://u:${secret}@`],
    ['a', secret],
    ['a', 'stdio:x', '--env', secret],
    ['a', 'stdio:x', '--env', `=${secret}`],
    ['--connect', `http://127.0.0.1/${secret}/a`, 'a', 'stdio:x'],
    ['--connect', `http://127.0.0.1:99999/${secret}/a`, 'a', 'stdio:x'],
    ['--token', `${secret}!`],
    [`--tokens=${secret}`],
  ]) {
    it(`is not repeated: ${args.join(' ')}`, async (t) => {
      const { code, stdout, stderr } = await run(args, await freshHome(t));
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^mcp-multibroker: error: [^\n]+\n$/);
      assert.ok(!stderr.includes(secret), stderr);
    });
  }
});

describe('tokens in a file', () => {
  const tokens = ['a-token-from-a-file', 'another-token-from-it'];

  async function file(t: TestContext, text: string, mode = 0o600): Promise<string> {
    const path = join(await folder(t), 'tokens');
    await writeFile(path, text, { mode });
    return path;
  }

  it('are accepted, all of them, and none other', async (t) => {
    const path = await file(t, `${tokens.join('\n')}\n\n`);
    const { url } = await reachable(t, '--token-file', path, '--token', 'one-of-the-command-line');
    const status = async (token: string): Promise<number> =>
      (await fetch(new URL(`/${token}/mcp`, url), { method: 'DELETE' })).status;
    for (const token of [...tokens, 'one-of-the-command-line']) assert.notEqual(await status(token), 401);
    assert.equal(await status('a-token-from-nowhere'), 401);
  });

  it('are those of mcp-vim, too', async (t) => {
    const args = ['--print-url', '--token-file', await file(t, tokens.join('\n'))];
    const printed = execFileSync(process.execPath, [join(ROOT, 'bin/mcp-vim'), ...args], { env: await freshHome(t) });
    assert.match(String(printed), new RegExp(`/${tokens[0]}/\n$`));
  });

  for (const [what, text, mode, message] of [
    ['a file that others can read', 'a-token-from-a-file', 0o640, /tokens can be read by others\. Run chmod 600/],
    ['a file without any', '\n', 0o600, /tokens has no token/],
    ['what is none', 'a-token-from-a-file\nshort-secret', 0o600, /tokens: a token is 16 or more/],
  ] as const)
    it(`are refused from ${what}`, async (t) => {
      const { code, stdout, stderr } = await run(['--token-file', await file(t, text, mode)], await freshHome(t));
      assert.ok(code !== 0 && stdout === '');
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /from-a-file|short-secret/);
    });
});

describe('the program', () => {
  it('explains itself', async (t) => {
    const { code, stdout, stderr } = await run(['--help'], await freshHome(t));
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^mcp-multibroker \[options\] ALIAS SOURCE/);
  });

  it('tells its version', async (t) => {
    assert.match((await run(['--version'], await freshHome(t))).stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it('never writes a token to standard error', async (t) => {
    const token = randomBytes(12).toString('hex');
    const env = await freshHome(t);
    const hub = await HubProcess.start(
      t,
      ['--token', token, ...child('c', 'plain', '--say', `got ${token}`), '--eager'],
      env,
    );
    await hub.client.greet();
    await hub.client.call('c.die');
    await hub.client.notification('notifications/message', 'it is started again in');
    const second = await HubProcess.greeted(t, ['--token', token, ...child('d', 'plain', '--say', token)], env);
    await second.client.toolNames();
    await Promise.all([hub.close(), second.close()]);
    assert.match(hub.stderr, /got \[token\]/);
    assert.ok(!(hub.stderr + second.stderr).includes(token));
    const bad = await run(['--token', token, '--nope', token], env);
    assert.ok(!bad.stderr.includes(token));
  });

  it('hides a given token also when the secret cannot be read', async (t) => {
    const token = randomBytes(12).toString('hex');
    const env = await freshHome(t);
    const folder = join(env['XDG_CONFIG_HOME'] ?? '', 'mcp-multibroker');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    await writeFile(join(folder, 'secret'), 'damaged', { mode: 0o600 });
    const hub = await HubProcess.greeted(t, ['--token', token, ...child('c', 'plain', '--say', token)], env);
    await hub.client.toolNames();
    await hub.close();
    assert.ok(!hub.stderr.includes(token));
  });

  it('starts as a child of another one without being told to speak on its standard input', async (t) => {
    const inner = ['mcp-multibroker', ...child('c', 'plain')];
    const args = ['hub', `stdio:${inner.map((word) => (word === '---' ? '---' : `"${word}"`)).join(' ')}`];
    const { client } = await HubProcess.greeted(t, args);
    assert.ok((await client.toolNames()).includes('hub.c.echo'));
    assert.equal((await client.call('hub.c.echo', { a: 1 })).text, '{"a":1}');
  });

  it('knows where its own Vim server is', async (t) => {
    const { client } = await HubProcess.greeted(t, ['vim', 'stdio:mcp-vim']);
    const names = await client.toolNames();
    assert.ok(names.includes('vim.targets'), names.join());
    assert.equal((await client.call('vim.targets')).error, undefined);
  });
});
