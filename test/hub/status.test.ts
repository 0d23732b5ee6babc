/** The hub's own tools. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { folder } from '../kit/home.js';
import { child, HubProcess } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

interface Server {
  readonly server: string;
  readonly state: string;
  readonly pid?: number;
  readonly memory_mb?: number;
  readonly name?: string;
  readonly calls: number;
  readonly error?: string;
}

async function servers({ client }: HubProcess): Promise<Server[]> {
  const { message } = await client.call('hub.servers');
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
    assert.match(bad?.error ?? bad?.state ?? '', /bad exited with code 4|starting/);
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
    assert.deepEqual(names.slice(-2), ['hub.servers', 'hub.restart']);
  });
});
