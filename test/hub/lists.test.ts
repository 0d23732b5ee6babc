/** What clients are told of the children, and when children are started for it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { folder, freshHome } from '../kit/home.js';
import { child, HubProcess, PROGRAM } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

const starts = async (file: string): Promise<number> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '').length;

describe('the hub in front of several children', () => {
  it('greets with the instructions and the tools of each under its alias', async (t) => {
    const hub = await HubProcess.start(t, [
      ...child('one', 'plain', '--instructions', 'Say please.'),
      '--eager',
      ...child('two', 'plain', '--instructions', 'Say thanks.'),
      '--eager',
    ]);
    const about = await hub.client.greet();
    assert.match(String(about['instructions']), /## one\n\nSay please\.\n\n## two\n\nSay thanks\./);
    assert.deepEqual(about['capabilities'], {
      logging: {},
      completions: {},
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    });
    const names = await hub.client.toolNames();
    assert.ok(names.includes('one.echo') && names.includes('two.echo'));
    assert.equal(new Set(names).size, names.length);
    assert.equal((await hub.client.call('two.echo', { nonce: 'n1' })).text, '{"nonce":"n1"}');
    assert.equal((await hub.client.call('one__echo', { nonce: 'n2' })).text, '{"nonce":"n2"}');
  });

  it('tells of a change only when the whole list differs', async (t) => {
    const { client } = await HubProcess.greeted(t, [...child('c', 'plain'), '--eager']);
    await client.toolNames();
    const changes = (): number =>
      client.notifications.filter(({ method }) => method === 'notifications/tools/list_changed').length;
    const [before, from] = [changes(), client.notifications.length];
    await client.call('c.same');
    await client.call('c.add', { name: 'fresh' });
    await client.notification('notifications/tools/list_changed', '', from);
    assert.equal(changes(), before + 1);
    assert.ok((await client.toolNames()).includes('c.fresh'));
    assert.equal((await client.call('c.fresh')).text, 'this is fresh');
  });
});

describe('a child', () => {
  it('that is eager is started before any call', async (t) => {
    const file = join(await folder(t), 'started');
    await HubProcess.start(t, [...child('c', 'plain', '--started', file), '--eager']);
    await eventually('it is started', async () => (await starts(file)) === 1);
  });

  it('that is lazy is started by the first list, once, and then only by its first call', async (t) => {
    const file = join(await folder(t), 'started');
    const args = child('c', 'plain', '--started', file, '--instructions', 'Say please.');
    const first = await HubProcess.greeted(t, args);
    assert.equal(await starts(file), 0);
    const names = await first.client.toolNames();
    assert.ok(names.includes('c.echo'));
    assert.equal(await starts(file), 1);
    await first.client.call('c.echo');
    assert.equal(await starts(file), 1);
    await first.close();

    const second = await HubProcess.greeted(t, args, first.env);
    assert.deepEqual(await second.client.toolNames(), names);
    assert.equal(await starts(file), 1);
    assert.equal((await second.client.call('c.echo', { a: 1 })).text, '{"a":1}');
    assert.equal(await starts(file), 2);
  });

  it('that is lazy is listed in its own words, those of its last run too', async (t) => {
    const env = await freshHome(t);
    const file = join(await folder(t), 'started');
    const entry = '{"name":"raw" , "inputSchema":{"maximum":9007199254740993, "n":[1.0,1e3,"\\u0041"]},"novel":-0}';
    const args = child('c', 'plain', '--started', file, '--entry', entry);
    for (const run of ['first', 'second']) {
      const input = [
        { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } },
        { method: 'notifications/initialized' },
        { id: 2, method: 'tools/list' },
      ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
      const { stdout } = spawnSync(process.execPath, [PROGRAM, '--stdio', ...args], {
        env,
        input: `${input.join('\n')}\n`,
      });
      assert.ok(stdout.toString().includes(entry.replace('"raw"', '"c.raw"')), `${run}: ${stdout.toString()}`);
    }
    assert.equal(await starts(file), 1);
  });

  it('that is lazy gives the instructions of its last run', async (t) => {
    const args = child('c', 'plain', '--instructions', 'Say please.');
    const first = await HubProcess.greeted(t, args);
    await first.client.toolNames();
    await first.close();
    const second = await HubProcess.start(t, args, first.env);
    assert.match(String((await second.client.greet())['instructions']), /## c\n\nSay please\./);
  });

  it('that is started in another way is not taken for the one before', async (t) => {
    const env = await freshHome(t);
    const file = join(await folder(t), 'started');
    const first = await HubProcess.greeted(t, child('c', 'plain', '--started', file), env);
    await first.client.toolNames();
    await first.close();
    const second = await HubProcess.greeted(t, child('c', 'plain', '--started', file, '--junk'), env);
    await second.client.toolNames();
    assert.equal(await starts(file), 2);
  });
});

it('a client is told nothing before its greeting is answered, however early it says that it is initialized', async (t) => {
  const env = await freshHome(t);
  const input = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ];
  const { stdout } = spawnSync(process.execPath, [PROGRAM, '--stdio', ...child('c', 'plain'), '--eager'], {
    env,
    input: `${input.map((message) => JSON.stringify(message)).join('\n')}\n`,
  });
  const [first = ''] = stdout.toString().split('\n');
  assert.equal((JSON.parse(first) as { id?: unknown }).id, 1);
});
