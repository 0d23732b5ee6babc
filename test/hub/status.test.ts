/** The hub's own tools. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { folder } from '../kit/home.js';
import { child, HubProcess } from '../kit/hub.js';
import { isAlive, processesOf } from '../kit/processes.js';
import { eventually } from '../kit/until.js';

interface Server {
  readonly server: string;
  readonly state: string;
  readonly pid?: number;
  readonly memory_mb?: number;
  readonly name?: string;
  readonly calls: number;
  readonly last_error?: string;
  readonly failures_in_a_row?: number;
  readonly unreadable_messages?: number;
  readonly open_calls?: number;
  readonly stderr?: readonly string[];
}

async function servers({ client }: HubProcess, server?: string): Promise<Server[]> {
  const { message } = await client.call('hub.servers', server === undefined ? {} : { server });
  const { structuredContent } = message['result'] as { structuredContent: { servers: Server[] } };
  return structuredContent.servers;
}

describe("the hub's own tools", () => {
  it('tell how each server is, and why one is not there', async (t) => {
    const dying = child('bad', 'plain', '--exit', '4');
    const hub = await HubProcess.greeted(t, ['--status', ...child('c', 'plain'), '--eager', ...dying]);
    const pid = Number((await hub.client.call('c.pid')).text);
    await hub.client.call('bad.echo');
    const [c, bad, ...others] = await servers(hub);
    assert.deepEqual([c?.server, c?.state, c?.pid, c?.name], ['c', 'running', pid, 'plain']);
    assert.ok((c?.memory_mb ?? 0) > 1 && (c?.calls ?? 0) > 0, JSON.stringify(c));
    assert.deepEqual([bad?.server, bad?.pid], ['bad', undefined]);
    assert.match(bad?.last_error ?? '', /bad exited with code 4/);
    assert.deepEqual(others, []);
  });

  it('restart a server, whose open calls fail and say so', async (t) => {
    const hub = await HubProcess.greeted(t, ['--status', ...child('c', 'plain'), '--eager']);
    const before = (await hub.client.call('c.pid')).text;
    const slow = hub.client.call('c.slow');
    await eventually('it has begun', async () => (await hub.client.call('c.begun')).text === '1');
    const { text } = await hub.client.call('hub.restart', { server: 'c' });
    assert.deepEqual(JSON.parse(text), { server: 'c', state: 'running' });
    assert.match((await slow).error?.message ?? '', /c is restarted/);
    assert.notEqual((await hub.client.call('c.pid')).text, before);
    const unknown = await hub.client.call('hub.restart', { server: 'nobody' });
    assert.match(unknown.text, /there is no server "nobody".*There are: c\./);
  });

  it('show what a server said last on standard error: no secret, nothing that can deceive, nothing without end', async (t) => {
    const key = ['--env', 'API_TOKEN=very-private', '--env', 'COLOUR=ultramarine'];
    const hub = await HubProcess.greeted(t, ['--status', ...child('c', 'plain'), ...key]);
    const { client } = hub;
    await client.call('c.say', { text: 'key very-private, ultramarine\n\u001b[2J\u202eecivda\rnothing' });
    const [, shown] =
      (await servers(hub))[0]?.stderr ?? (await eventually('it is read', async () => (await servers(hub))[0]?.stderr));
    assert.equal(shown, '\\u{1b}[2J\\u{202e}ecivda\\u{d}nothing');
    assert.equal((await servers(hub))[0]?.stderr?.[0], 'key [token], ultramarine');
    await client.call('c.shout', { lines: 5000 });
    const few = await eventually('the last is read', async () => {
      const [c] = await servers(hub);
      return c?.stderr?.every((line) => line.startsWith('aaa')) === true ? c.stderr : undefined;
    });
    assert.equal(few.length, 3);
    const all = (await servers(hub, 'c'))[0]?.stderr ?? [];
    assert.ok(all.length > 3 && all.length < 100, String(all.length));
    assert.ok(all.every((line) => line.length <= 501));
  });

  it('show it also of a server that has ended', async (t) => {
    const hub = await HubProcess.greeted(t, ['--status', ...child('c', 'plain')]);
    await hub.client.call('c.die');
    await hub.client.call('c.pid');
    assert.deepEqual((await servers(hub))[0]?.stderr, ['these are my last words']);
  });

  it('count what a server writes that is no message', async (t) => {
    const hub = await HubProcess.greeted(t, ['--status', ...child('c', 'plain', '--junk'), ...child('d', 'plain')]);
    await hub.client.call('c.echo');
    await hub.client.call('d.echo');
    const [c, d] = await servers(hub);
    assert.ok((c?.unreadable_messages ?? 0) >= 4, JSON.stringify(c));
    assert.equal(d?.unreadable_messages, undefined);
  });

  it('stop a server until it is restarted: its calls fail and say so, whatever else goes on', async (t) => {
    const file = join(await folder(t), 'started');
    const one = child('c', 'plain', '--started', file);
    const hub = await HubProcess.greeted(t, ['--status', ...one, '--eager', ...child('d', 'plain')]);
    const { client } = hub;
    const names = await client.toolNames();
    const pid = Number((await client.call('c.pid')).text);
    const slow = client.call('c.slow');
    await eventually('it has begun', async () => (await client.call('c.begun')).text === '1');
    assert.match((await client.call('hub.stop', { server: 'c' })).text, /"state":"stopped until it is restarted"/);
    assert.ok(!isAlive(pid));
    for (const { error } of [await slow, await client.call('c.echo'), await client.call('c.echo')]) {
      assert.equal(error?.code, 4410);
      assert.match(error?.message ?? '', /c was stopped by hub\.stop\. It stays so until hub\.restart/);
    }
    assert.deepEqual(await client.toolNames(), names);
    assert.equal((await client.call('d.echo', { a: 1 })).text, '{"a":1}');
    assert.equal((await servers(hub))[0]?.state, 'stopped until it is restarted');
    assert.equal((await readFile(file, 'utf8')).trim().split('\n').length, 1);
    await client.call('hub.restart', { server: 'c' });
    assert.equal((await client.call('c.echo', { a: 1 })).text, '{"a":1}');
    assert.match(
      (await client.call('hub.stop', { server: 'hub' })).text,
      /there is no server "hub"\. There are: c, d\./,
    );
  });

  it('stop a server also while it starts', async (t) => {
    const late = child('c', 'plain', '--greet-after', '60000');
    const hub = await HubProcess.greeted(t, ['--status', ...late]);
    const call = hub.client.call('c.echo');
    const pid = await eventually('it starts', async () =>
      (await processesOf(hub.env)).find((each) => each !== hub.pid),
    );
    await hub.client.call('hub.stop', { server: 'c' });
    assert.match((await call).error?.message ?? '', /c was stopped by hub\.stop/);
    assert.ok(!isAlive(pid));
  });

  it('give the instructions of servers', async (t) => {
    const one = child('c', 'plain', '--instructions', 'Say please.');
    const hub = await HubProcess.greeted(t, ['--status', ...one, ...child('d', 'plain')]);
    await hub.client.toolNames();
    assert.equal((await hub.client.call('hub.instructions')).text, '## c\n\nSay please.');
    assert.equal((await hub.client.call('hub.instructions', { server: 'd' })).text, 'd: no instructions.');
  });

  it('show an answer that is owed for long, and leave it be', async (t) => {
    const hub = await HubProcess.greeted(t, ['--status', ...child('c', 'plain'), ...child('d', 'plain')]);
    const { client } = hub;
    client.send({ id: 'owed', method: 'tools/call', params: { name: 'c.slow' } });
    await eventually('it has begun', async () => (await client.call('c.begun')).text === '1');
    assert.ok((await client.toolNames()).includes('c.echo'));
    assert.equal((await client.call('c.echo', { a: 1 })).text, '{"a":1}');
    assert.equal((await client.call('d.echo', { a: 2 })).text, '{"a":2}');
    assert.equal((await servers(hub))[0]?.open_calls, 1);
    client.send({ method: 'notifications/cancelled', params: { requestId: 'owed' } });
    await eventually('it is owed no more', async () => (await servers(hub))[0]?.open_calls === 0);
  });

  it('restart a server once, however often they are asked meanwhile', async (t) => {
    const file = join(await folder(t), 'started');
    const args = child('c', 'plain', '--started', file);
    const hub = await HubProcess.greeted(t, ['--status', ...args, '--eager']);
    await hub.client.toolNames();
    await Promise.all([1, 2, 3].map(() => hub.client.call('hub.restart', { server: 'c' })));
    assert.equal((await hub.client.call('c.echo', { a: 1 })).text, '{"a":1}');
    assert.equal((await readFile(file, 'utf8')).trim().split('\n').length, 2);
  });

  it('are offered only where that was asked for', async (t) => {
    const { client } = await HubProcess.greeted(t, [...child('c', 'plain'), '--eager']);
    assert.ok(!(await client.toolNames()).some((name) => name.startsWith('hub.')));
    const asked = await HubProcess.greeted(t, ['--status', ...child('c', 'plain'), '--eager']);
    const names = await asked.client.toolNames();
    assert.deepEqual(names.slice(-4), ['hub.servers', 'hub.restart', 'hub.stop', 'hub.instructions']);
  });
});
