/** How the hub ends, and that it takes along what it started. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { folder, freshHome } from '../kit/home.js';
import { child, childCommand, HubProcess, PROGRAM } from '../kit/hub.js';
import { ageOf, allGone, processesOf, shellsOf } from '../kit/processes.js';
import { eventually, soon } from '../kit/until.js';

const hasFiles = async (folder = ''): Promise<boolean> =>
  (await readdir(folder, { recursive: true }).catch(() => [])).some((name) => name.endsWith('.json'));

describe('the hub', () => {
  it('ends when its client has gone, without waiting for a call that nobody answers', async (t) => {
    const hub = await HubProcess.greeted(t, child('c', 'plain'));
    await hub.client.call('c.pid');
    hub.client.send({ id: 'open', method: 'tools/call', params: { name: 'c.slow' } });
    hub.client.end();
    assert.deepEqual(await soon('end', hub.exited), { code: 0, signal: null });
    await allGone(hub.env, 3000);
  });

  it('still answers what its client asked last', async (t) => {
    const hub = await HubProcess.greeted(t, child('c', 'plain'));
    await hub.client.call('c.pid');
    const last = hub.client.call('c.echo', { last: true });
    hub.client.end();
    assert.equal((await last).text, '{"last":true}');
    assert.deepEqual(await soon('end', hub.exited), { code: 0, signal: null });
  });

  it('writes its last answer to a file too', async (t) => {
    const file = join(await folder(t), 'out');
    const hub = spawn(process.execPath, [PROGRAM, '--stdio'], {
      env: await freshHome(t),
      stdio: ['pipe', openSync(file, 'w'), 'ignore'],
    });
    hub.stdin?.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    assert.deepEqual(await soon('end', once(hub, 'exit')), [0, null]);
    assert.equal(await readFile(file, 'utf8'), '{"jsonrpc":"2.0","id":1,"result":{}}\n');
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`ends in order at ${signal}`, async (t) => {
      const hub = await HubProcess.greeted(t, [...child('c', 'plain'), '--eager']);
      await eventually('it has remembered the child', () => hasFiles(hub.env['XDG_STATE_HOME']));
      hub.kill(signal);
      assert.deepEqual(await soon('end', hub.exited), { code: 0, signal: null });
      await allGone(hub.env, 3000);
    });
  }

  it('ends a child that does not want to end, and what that started', async (t) => {
    const hub = await HubProcess.greeted(t, [...child('c', 'stubborn'), '--eager']);
    assert.equal((await processesOf(hub.env)).length, 3);
    hub.client.end();
    assert.deepEqual(await soon('end', hub.exited, 10_000), { code: 0, signal: null });
    await allGone(hub.env, 500);
  });

  for (const how of ['open', 'closed'] as const) {
    it(`goes on when nobody reads what it says, with the pipe ${how}`, async (t) => {
      const hub = await HubProcess.greeted(t, child('c', 'plain'));
      await hub.client.call('c.pid');
      hub.deafen(how);
      assert.equal((await hub.client.call('c.shout', { lines: 1000 })).text, 'said');
      await hub.client.call('c.die');
      assert.equal((await hub.client.call('c.echo', { a: 1 })).text, '{"a":1}');
      hub.client.end();
      assert.deepEqual(await soon('end', hub.exited), { code: 0, signal: null });
    });
  }

  it('leaves nothing behind when it is killed', async (t) => {
    const shared = await folder(t);
    const hub = await HubProcess.greeted(t, [
      ...[...child('plain', 'plain'), '--eager'],
      ...[...child('stubborn', 'stubborn'), '--eager'],
      ...[...child('wrapped', 'wrapper', ...childCommand('plain')), '--eager'],
      ...['npx', `stdio:npx @modelcontextprotocol/server-filesystem "${shared}"`, '--eager'],
    ]);
    assert.ok((await hub.client.toolNames()).includes('npx.read_text_file'));
    assert.ok((await processesOf(hub.env)).length >= 7);
    hub.kill('SIGKILL');
    await hub.exited;
    await allGone(hub.env, 3000);
  });

  it('leaves nothing behind when the guard over its children was killed before', async (t) => {
    const hub = await HubProcess.greeted(t, [...child('stubborn', 'stubborn'), '--eager']);
    await hub.client.toolNames();
    const [guard] = await shellsOf(hub.pid);
    assert.ok(guard !== undefined);
    // One that has just begun is taken for one that cannot run.
    await eventually('the guard has run for a while', async () => (await ageOf(guard)) > 1.5);
    process.kill(guard, 'SIGKILL');
    await eventually('there is another guard', async () => {
      const [next] = await shellsOf(hub.pid);
      return next !== undefined && next !== guard;
    });
    hub.kill('SIGKILL');
    await hub.exited;
    await allGone(hub.env, 3000);
  });
});
