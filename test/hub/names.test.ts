/** Under which names clients see what the children offer, and by which they may call it. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { cleanup } from '../kit/cleanup.js';
import { freshHome } from '../kit/home.js';
import { child, HubProcess, PROGRAM } from '../kit/hub.js';

/** 100 characters. */
const LONG = 'synchronize_all_customer_data_across_multiple_systems_and_regions'.padEnd(100, '_and_more');

/** A client of the SDK that calls itself so. */
async function named(t: TestContext, name: string, args: readonly string[]): Promise<Client> {
  const env = await freshHome(t);
  const client = new Client({ name, version: '1' });
  cleanup(t, () => client.close());
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, '--stdio', ...args], env, stderr: 'ignore' }),
  );
  return client;
}

const odd = [...child('c', 'plain', '--tool', LONG, '--tool', 'a/b', '--tool', 'x.y')];

describe('names', () => {
  for (const [client, limit, pattern] of [
    ['cursor', 60, /^c__[a-zA-Z0-9_-]+$/],
    ['claude-code', 64, /^c__[a-zA-Z0-9_-]+$/],
    ['claude-ai', 64, /^c__[a-zA-Z0-9_-]+$/],
    ['anybody', 64, /^c\.[a-zA-Z0-9_.-]+$/],
  ] as const) {
    it(`are such that ${client} takes them, and each can be called`, async (t) => {
      const sdk = await named(t, client, odd);
      const names = (await sdk.listTools()).tools.map(({ name }) => name);
      for (const name of names) {
        assert.match(name, pattern);
        assert.ok(name.length <= limit, name);
      }
      assert.equal(new Set(names).size, names.length);
      const texts: unknown[] = [];
      for (const name of names.slice(-3)) {
        const { content } = await sdk.callTool({ name });
        texts.push((content as { text: string }[])[0]?.text);
      }
      assert.deepEqual(texts, [`this is ${LONG}`, 'this is a/b', 'this is x.y']);
    });
  }

  it('are taken in a call in every form, also before any list was asked for', async (t) => {
    const hub = await HubProcess.start(t, odd);
    await hub.client.greet({}, 'cursor');
    const [long, slash] = (await hub.client.toolNames()).slice(-3);
    for (const name of [long, `c.${LONG}`, `c__${LONG}`] as string[]) {
      assert.equal((await hub.client.call(name)).text, `this is ${LONG}`, name);
    }
    await hub.close();
    const fresh = await HubProcess.greeted(t, odd);
    assert.equal((await fresh.client.call(String(slash))).text, 'this is a/b');
  });

  it('have the separator that was asked for', async (t) => {
    const hub = await HubProcess.start(t, ['--separator', '/', ...odd]);
    const { instructions } = await hub.client.greet({}, 'cursor');
    assert.match(String(instructions), /before the first \/ names the server/);
    const names = await hub.client.toolNames();
    assert.ok(names.includes('c/echo'), names.join());
    for (const name of ['c/echo', 'c.echo', 'c__echo']) {
      assert.equal((await hub.client.call(name, { a: 1 })).text, '{"a":1}', name);
    }
  });

  it('that only look cut are those of the child', async (t) => {
    const { client } = await HubProcess.greeted(t, child('c', 'plain', '--tool', 'report_20261130'));
    assert.equal((await client.call('c.report_20261130')).text, 'this is report_20261130');
    assert.equal((await client.call('c.hidden_20261130')).text, 'this is hidden_20261130');
  });

  it('are listed in the order in which the children are configured', async (t) => {
    const { client } = await HubProcess.greeted(t, [
      ...child('z', 'plain', '--tool', 'b', '--tool', 'a'),
      ...['--allow', '?'],
      ...child('a', 'plain', '--tool', 'x'),
      ...['--allow', '?'],
    ]);
    assert.deepEqual(await client.toolNames(), ['z.b', 'z.a', 'a.x']);
  });
});

describe('a child without a prefix', () => {
  const bare = (alias: string, ...tools: readonly string[]): string[] => [
    ...child(alias, 'plain', ...tools.flatMap((tool) => ['--tool', tool])),
    ...['--no-prefix', '--deny', 'echo'],
  ];

  it('has its own names, and can be called by them before they are listed', async (t) => {
    const hub = await HubProcess.greeted(t, [...child('a', 'plain'), ...bare('b', 'mine', 'b.own', LONG)]);
    assert.equal((await hub.client.call('mine')).text, 'this is mine');
    const names = await hub.client.toolNames();
    assert.ok(names.includes('mine') && names.includes('a.echo') && names.includes('b.own'), names.join());
    assert.equal((await hub.client.call('b.mine')).text, 'this is mine');
    assert.equal((await hub.client.call('b.own')).text, 'this is b.own');
    const cut = names.find((name) => name.startsWith('synchronize_')) ?? '';
    assert.equal(cut.length, 64);
    assert.equal((await hub.client.call(cut)).text, `this is ${LONG}`);
    assert.match((await hub.client.call('echo')).error?.message ?? '', /no server has "echo"/);
  });

  it('yields its names to the child before it, and to the alias of any other, with a warning', async (t) => {
    const hub = await HubProcess.greeted(t, [
      ...bare('a', 'same', 'c.fake'),
      ...bare('b', 'same', 'other'),
      ...child('c', 'plain'),
    ]);
    const names = await hub.client.toolNames();
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.includes('same') && names.includes('other') && !names.includes('c.fake'), names.join());
    const pids = new Set<string>();
    for (const name of ['pid', 'a.pid', 'b.pid']) pids.add((await hub.client.call(name)).text);
    assert.equal(pids.size, 2);
    assert.equal((await hub.client.call('c.pid')).text.length > 0, true);
    await hub.close();
    assert.match(hub.stderr, /warning: "same" of b is left out of the tools: "same" of a is same already\n/);
    assert.match(hub.stderr, /warning: "c.fake" of a is left out of the tools: "fake" of c is c.fake already\n/);
    assert.equal(hub.stderr.match(/"same" of b is left out/g)?.length, 1);
  });
});
