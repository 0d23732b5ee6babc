/** The program as a person meets it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freshHome } from '../kit/home.js';
import { child, HubProcess, run } from '../kit/hub.js';

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
