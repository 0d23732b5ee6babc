/** What the hub answers itself, and how it greets. What it passes on is in route.test.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChildSpec } from '../../hub/children.js';
import { EVERYTHING } from '../../hub/exposure.js';
import { REVISIONS } from '../../hub/protocol.js';
import { answerNext, Inside, tool } from '../kit/inside.js';

const listed = async (inside: Inside): Promise<string[]> => {
  const client = await inside.client();
  client.send({ id: 1, method: 'tools/list' });
  const { result } = (await client.next({ id: 1 })) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name);
};

describe('the hub', () => {
  for (const [asked, given] of [
    ...REVISIONS.map((revision) => [revision, revision]),
    ['2099-01-01', REVISIONS[0]],
    [7, REVISIONS[0]],
  ]) {
    it(`speaks protocol ${given} with a client that asks for ${asked}`, async () => {
      const client = new Inside().silentClient();
      client.send({ id: 0, method: 'initialize', params: { protocolVersion: asked, capabilities: {} } });
      await client.next({ id: 0, result: { protocolVersion: given, serverInfo: { name: 'mcp-multibroker' } } });
    });
  }

  it('answers a ping before it is greeted, and nothing else', async () => {
    const client = new Inside().silentClient();
    client.send({ id: 0, method: 'ping' });
    await client.next({ id: 0, result: {} });
    client.send({ id: 1, method: 'tools/list' });
    await client.next({ id: 1, error: { message: /before initialize/ } });
  });

  it('refuses a method that it does not offer', async () => {
    const client = await new Inside().client();
    client.send({ id: 1, method: 'no/such' });
    await client.next({ id: 1, error: { code: -32601, message: /no\/such/ } });
  });

  it('answers what is no message with the id null', async () => {
    const client = await new Inside().client();
    client.sendText('{"jsonrpc":"2.0","id":1,');
    await client.next({ id: null, error: { code: -32700 } });
    client.sendText('[]');
    await client.next({ id: null });
    await client.fence();
  });

  for (const name of ['alone', 'nobody.tool', '.tool', '__proto__.x', 7, null]) {
    it(`refuses a call to ${JSON.stringify(name)} and says which servers there are`, async () => {
      const inside = new Inside();
      const client = await inside.client();
      await inside.child('vim', []);
      client.send({ id: 1, method: 'tools/call', params: { name } });
      await client.next({ id: 1, error: { code: -32602, message: /the servers are: vim/ } });
    });
  }

  it('asks children that come later for the level, too', async () => {
    const inside = new Inside();
    const client = await inside.client();
    client.send({ id: 1, method: 'logging/setLevel', params: { level: 'error' } });
    await client.next({ id: 1, result: {} });
    const child = inside.dial('late');
    await answerNext(child, 'initialize', { protocolVersion: '2025-11-25', capabilities: { logging: {} } });
    await child.next({ method: 'notifications/initialized' });
    await answerNext(child, 'logging/setLevel', {}, { level: 'error' });
    await child.fence();
  });

  it('refuses a level that is none', async () => {
    const client = await new Inside().client();
    client.send({ id: 1, method: 'logging/setLevel', params: { level: 'loud' } });
    await client.next({ id: 1, error: { code: -32602, message: /"loud" is not a log level/ } });
    client.send({ id: 2, method: 'logging/setLevel', params: { level: 'emergency' } });
    await client.next({ id: 2, result: {} });
  });

  it('passes the level on, and keeps to itself what lies below it', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await inside.child('c', [tool('x')], { capabilities: { tools: {}, logging: {} } });
    await client.next({ method: 'notifications/tools/list_changed' });
    client.send({ id: 1, method: 'logging/setLevel', params: { level: 'error' } });
    await answerNext(child, 'logging/setLevel', {}, { level: 'error' });
    await client.next({ id: 1, result: {} });
    child.close();
    await client.next({ method: 'notifications/tools/list_changed' });
    await client.fence();
  });

  it('refuses a cursor that it did not give out', async () => {
    const client = await new Inside().client();
    client.send({ id: 1, method: 'tools/list', params: { cursor: 'page 2' } });
    await client.next({ id: 1, error: { code: -32602 } });
  });
});

describe('children that dial in', () => {
  it('are listed in the order of their aliases, with all else as it was', async () => {
    const inside = new Inside();
    const client = await inside.client();
    await inside.child('b', [{ ...tool('x'), title: 'X', novel: [1] }, tool('y')]);
    await client.next({ method: 'notifications/tools/list_changed' });
    await inside.child('a', [tool('x')]);
    await client.next({ method: 'notifications/tools/list_changed' });
    client.send({ id: 1, method: 'tools/list' });
    await client.next({
      id: 1,
      result: { tools: [tool('a.x'), { ...tool('b.x'), title: 'X', novel: [1] }, tool('b.y')] },
    });
  });

  it('give their instructions to clients under their aliases', async () => {
    const inside = new Inside();
    await (await inside.client()).fence();
    await inside.child('one', [], { instructions: 'Say please.' });
    await inside.child('two', [], { instructions: 'Say thanks.' });
    const late = inside.silentClient();
    late.send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } });
    const { result } = (await late.next({ id: 0 })) as { result: { instructions: string } };
    assert.match(result.instructions, /## one\n\nSay please\.\n\n## two\n\nSay thanks\./);
  });

  it('are greeted with what the client can do', async () => {
    const inside = new Inside();
    await inside.client({ elicitation: { form: {} }, experimental: { x: {} } });
    const child = inside.dial('c');
    const { params } = (await child.next({ method: 'initialize' })) as { params: { capabilities: unknown } };
    assert.deepEqual(params.capabilities, { elicitation: { form: {} } });
  });

  it('are read to the last page of their lists', async () => {
    const inside = new Inside();
    await inside.client();
    const child = inside.dial('c');
    await answerNext(child, 'initialize', { protocolVersion: '2024-11-05', capabilities: { tools: {} } });
    await child.next({ method: 'notifications/initialized' });
    await answerNext(child, 'tools/list', { tools: [tool('one')], nextCursor: 'a' });
    await answerNext(child, 'tools/list', { tools: [tool('two')], nextCursor: 'b' }, { cursor: 'a' });
    await answerNext(child, 'tools/list', { tools: [tool('three')], nextCursor: 'a' }, { cursor: 'b' });
    await child.fence();
    assert.deepEqual(await listed(inside), ['c.one', 'c.two', 'c.three']);
  });

  it('are read again when they say that a list has changed, also while they are greeted', async () => {
    const inside = new Inside();
    await inside.client();
    const child = inside.dial('c');
    const capabilities = { tools: {}, prompts: {} };
    await answerNext(child, 'initialize', { protocolVersion: '2025-11-25', capabilities });
    await child.next({ method: 'notifications/initialized' });
    await answerNext(child, 'tools/list', { tools: [tool('early')] });
    const { id } = await child.next({ method: 'prompts/list' });
    child.send({ method: 'notifications/tools/list_changed' });
    child.send({ id, result: { prompts: [] } });
    await answerNext(child, 'tools/list', { tools: [tool('early'), tool('late')] });
    await child.fence();
    assert.deepEqual(await listed(inside), ['c.early', 'c.late']);
  });

  it('change nothing for the client when their list is the same as before', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await inside.child('c', [tool('x')]);
    await client.next({ method: 'notifications/tools/list_changed' });
    child.send({ method: 'notifications/tools/list_changed' });
    await answerNext(child, 'tools/list', { tools: [tool('x')] });
    await child.fence();
    await client.fence();
  });

  it('leave the list when they go, a call to them says so, and they may come back', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await inside.child('c', [tool('x')]);
    await client.next({ method: 'notifications/tools/list_changed' });
    child.close();
    await client.next({
      method: 'notifications/message',
      params: { level: 'warning', data: /^c closed the connection/ },
    });
    await client.next({ method: 'notifications/tools/list_changed' });
    client.send({ id: 1, method: 'tools/call', params: { name: 'c.x' } });
    await client.next({ id: 1, error: { code: 4410, message: /c is not connected\. It dials in by itself/ } });
    await inside.child('c', [tool('x')]);
    await client.next({ method: 'notifications/tools/list_changed' });
    assert.deepEqual(await listed(inside), ['c.x']);
  });

  it('keep their alias against a second one', async () => {
    const inside = new Inside();
    await inside.client();
    const first = await inside.child('c', [tool('x')]);
    const second = inside.dial('c');
    await answerNext(first, 'ping', {});
    await second.ended();
    await first.fence();
  });

  for (const alias of ['', 'a.b', '-x', 7, undefined, '__proto__']) {
    it(`are refused with the alias ${JSON.stringify(alias)}`, async () => {
      const inside = new Inside();
      await inside.client();
      await inside.dial(alias).ended();
    });
  }

  it('are refused when they speak a protocol that is not known', async () => {
    const inside = new Inside();
    await inside.client();
    const child = inside.dial('c');
    await answerNext(child, 'initialize', { protocolVersion: '1999-01-01', capabilities: {} });
    await child.ended();
  });

  for (const [what, answer] of [
    [
      'is nested deeper than is taken',
      `{"jsonrpc":"2.0","id":$,"result":{"content":${'['.repeat(80)}${']'.repeat(80)}}}`,
    ],
    ['names its result twice', '{"jsonrpc":"2.0","id":$,"result":{},"result":{}}'],
    ['is neither result nor error', '{"jsonrpc":"2.0","id":$}'],
  ] as const) {
    it(`fail the call at once when its answer ${what}`, async () => {
      const inside = new Inside();
      const client = await inside.client();
      const child = await inside.child('c', [tool('x')]);
      await client.next({ method: 'notifications/tools/list_changed' });
      client.send({ id: 1, method: 'tools/call', params: { name: 'c.x' } });
      const { id } = await child.next({ method: 'tools/call' });
      child.sendText(answer.replace('$', String(id)));
      await client.next({ id: 1, error: {} });
    });
  }
});

describe('a question of a child', () => {
  it('is refused when several clients could be meant', async () => {
    const inside = new Inside();
    await inside.client({ elicitation: {} });
    await inside.client({ elicitation: {} });
    const child = await inside.child('c', [tool('x')]);
    child.send({ id: 'q', method: 'elicitation/create', params: { message: 'Sure?' } });
    await child.next({ id: 'q', error: {} });
  });

  it('is refused when no client is there', async () => {
    const inside = new Inside();
    const client = await inside.client({ elicitation: {} });
    const child = await inside.child('c', [tool('x')]);
    client.close();
    await child.fence();
    child.send({ id: 'q', method: 'elicitation/create', params: { message: 'Sure?' } });
    await child.next({ id: 'q', error: { message: /nobody is there to answer c/ } });
  });
});

describe('a new configuration', () => {
  const spec = (alias: string): ChildSpec => ({
    ...EVERYTHING,
    alias,
    eager: false,
    required: false,
    source: { program: '/no/such/program', args: [], env: new Map(), cwd: undefined },
  });

  it('cannot have the alias of a child that dialled in, and then changes nothing', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await inside.child('c', [tool('x')]);
    await client.next({ method: 'notifications/tools/list_changed' });
    inside.hub.configure([spec('a')]);
    assert.throws(() => inside.hub.configure([spec('b'), spec('c')]), {
      kind: 'busy',
      message: 'a child that dialled in has the alias c',
    });
    assert.deepEqual(
      [...inside.hub.children].map(({ alias }) => alias),
      ['a', 'c'],
    );
    await child.fence();
    await inside.hub.children.stop();
  });

  it('may have the alias of a child that dialled in and is away', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await inside.child('c', [tool('x')]);
    await client.next({ method: 'notifications/tools/list_changed' });
    child.close();
    await client.next({ method: 'notifications/message' });
    await client.next({ method: 'notifications/tools/list_changed' });
    assert.deepEqual(inside.hub.configure([spec('c')]).added, ['c']);
    await inside.dial('c').ended();
    await inside.hub.children.stop();
  });
});
