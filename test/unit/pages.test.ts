/** Lists in pages: those of children as the hub reads them, and those of the hub as clients do. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PAGE } from '../../hub/pages.js';
import type { End, Message } from '../kit/end.js';
import { answerNext, Inside, tool } from '../kit/inside.js';

const CHANGED = { method: 'notifications/tools/list_changed' };

interface Page {
  readonly tools: { readonly name: string }[];
  readonly nextCursor?: string;
}

/** A page of the hub's tools, and its bytes. */
async function page(client: End, params: Message = {}): Promise<Page & { readonly bytes: number }> {
  client.send({ id: 'page', method: 'tools/list', params });
  const bytes = await client.nextBytes({ id: 'page' });
  const { result } = JSON.parse(bytes.toString()) as { result: Page };
  return { ...result, bytes: bytes.length };
}

async function names(client: End): Promise<string[]> {
  return (await page(client)).tools.map(({ name }) => name);
}

/** Greets a child that has tools, up to where its list is asked for. */
async function greeted(inside: Inside, alias: string): Promise<End> {
  const child = inside.dial(alias);
  await answerNext(child, 'initialize', { protocolVersion: '2025-11-25', capabilities: { tools: {} } });
  await child.next({ method: 'notifications/initialized' });
  return child;
}

describe("a child's list", () => {
  it('is read in as many pages as it has, and the empty cursor is one', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await greeted(inside, 'c');
    for (let at = 0; at < 50; at += 1) {
      const { id, params } = await child.next({ method: 'tools/list' });
      assert.deepEqual(params, at === 0 ? {} : { cursor: at === 1 ? '' : `p${at}` });
      const nextCursor = at === 0 ? '' : `p${at + 1}`;
      child.send({ id, result: { tools: [tool(`t${at}`)], ...(at < 49 ? { nextCursor } : {}) } });
    }
    await client.next(CHANGED);
    assert.deepEqual(
      await names(client),
      Array.from({ length: 50 }, (_, at) => `c.t${at}`),
    );
  });

  it('is cut where a cursor comes again, and each entry is listed once', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await greeted(inside, 'c');
    await answerNext(child, 'tools/list', { tools: [tool('one')], nextCursor: '' });
    await answerNext(child, 'tools/list', { tools: [tool('one'), tool('two')], nextCursor: '' }, { cursor: '' });
    await client.next(CHANGED);
    await child.fence();
    assert.deepEqual(await names(client), ['c.one', 'c.two']);
  });

  it('is cut where it has a new cursor for ever', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await greeted(inside, 'c');
    let asked = 0;
    for (let next = await child.next(); next['method'] === 'tools/list'; next = await child.next()) {
      asked += 1;
      child.send({ id: next['id'], result: { tools: [tool('one')], nextCursor: `p${asked}` } });
      if (asked > 1000) break;
    }
    await client.next(CHANGED);
    await child.fence();
    assert.deepEqual(await names(client), ['c.one']);
  });

  it('counts as far as it came where a later page fails', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await greeted(inside, 'c');
    await answerNext(child, 'tools/list', { tools: [tool('one')], nextCursor: 'more' });
    const { id } = await child.next({ method: 'tools/list', params: { cursor: 'more' } });
    child.send({ id, error: { code: -32602, message: 'no such cursor' } });
    await client.next(CHANGED);
    assert.deepEqual(await names(client), ['c.one']);
  });

  it('is read again once more, however often it is said to have changed meanwhile', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await greeted(inside, 'c');
    await answerNext(child, 'tools/list', { tools: [tool('one')] });
    await client.next(CHANGED);
    child.send({ method: 'notifications/tools/list_changed' });
    const { id } = await child.next({ method: 'tools/list' });
    for (let times = 0; times < 1000; times += 1) child.send({ method: 'notifications/tools/list_changed' });
    child.send({ id, result: { tools: [tool('one')] } });
    await answerNext(child, 'tools/list', { tools: [tool('one'), tool('two')] });
    await client.next(CHANGED);
    await child.fence();
    await client.fence();
  });

  it('is taken without what has no name of its own, or a member twice', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const child = await greeted(inside, 'c');
    const { id } = await child.next({ method: 'tools/list' });
    const entries = ['{"name":"a"}', '{"name":""}', '{"name":1}', '7', '{}', '{"name":"b","name":"c"}', '{"name":"d"}'];
    child.sendText(`{"jsonrpc":"2.0","id":${String(id)},"result":{"tools":[${entries.join()}]}}`);
    await client.next(CHANGED);
    assert.deepEqual(await names(client), ['c.a', 'c.d']);
  });
});

describe("the hub's list", () => {
  const large = (count: number, bytes: number, prefix = 't'): Message[] =>
    Array.from({ length: count }, (_, at) => ({ ...tool(`${prefix}${at}`), description: 'x'.repeat(bytes) }));

  it('comes in one page as long as it is not larger than anybody can use', async () => {
    const inside = new Inside();
    const client = await inside.client();
    await inside.child('c', large(100, PAGE / 110));
    await client.next(CHANGED);
    const { tools, nextCursor } = await page(client);
    assert.deepEqual([tools.length, nextCursor], [100, undefined]);
  });

  it('comes whole in pages of a bounded size beyond that, each again by its cursor', async () => {
    const inside = new Inside();
    const client = await inside.client();
    await inside.child('a', large(50, PAGE / 20));
    await client.next(CHANGED);
    await inside.child('b', [...large(3, 10), ...large(2, PAGE + 1, 'huge'), ...large(3, 10, 'last')]);
    await client.next(CHANGED);
    const all: string[] = [];
    let next: string | undefined;
    do {
      const params = next === undefined ? {} : { cursor: next };
      const { tools, nextCursor, bytes } = await page(client, params);
      assert.ok(tools.length === 1 || bytes < PAGE + 1000, `${bytes} bytes`);
      assert.deepEqual((await page(client, params)).nextCursor, nextCursor);
      all.push(...tools.map(({ name }) => name));
      next = nextCursor;
    } while (next !== undefined);
    const expected = [
      ...Array.from({ length: 50 }, (_, at) => `a.t${at}`),
      ...['t0', 't1', 't2', 'huge0', 'huge1', 'last0', 'last1', 'last2'].map((name) => `b.${name}`),
    ];
    assert.deepEqual(all, expected);
  });

  it('refuses a cursor that is none, and one of a list that has changed', async () => {
    const inside = new Inside();
    const client = await inside.client();
    await inside.child('a', large(30, PAGE / 20));
    await client.next(CHANGED);
    const { nextCursor = '' } = await page(client);
    for (const cursor of ['', 'x', nextCursor.replace('1', '0'), nextCursor.replace('1', '9'), 7]) {
      client.send({ id: 1, method: 'tools/list', params: { cursor } });
      await client.next({ id: 1, error: { code: -32602, message: /cursor/ } });
    }
    client.send({ id: 2, method: 'prompts/list', params: { cursor: nextCursor } });
    await client.next({ id: 2, error: { code: -32602 } });
    await inside.child('b', [tool('x')]);
    await client.next(CHANGED);
    client.send({ id: 3, method: 'tools/list', params: { cursor: nextCursor } });
    await client.next({ id: 3, error: { code: -32602, message: /Ask for the list from its beginning|as it is now/ } });
  });
});

it('many children that come and go at once are few changes for a client', async ({ mock }) => {
  const inside = new Inside();
  const client = await inside.client();
  mock.timers.enable({ apis: ['setTimeout'] });
  await inside.child('first', [tool('x')]);
  await client.next(CHANGED);
  for (let at = 0; at < 20; at += 1) await inside.child(`c${at}`, [tool('x')]);
  await client.fence();
  mock.timers.tick(100);
  await client.next(CHANGED);
  mock.timers.tick(1000);
  const passing = await inside.child('second', [tool('x')]);
  await client.next(CHANGED);
  for (const alias of ['third', 'fourth']) {
    const child = await inside.child(alias, [tool('x')]);
    child.close();
    await client.next({ method: 'notifications/message' });
  }
  mock.timers.tick(1000);
  await passing.fence();
  await client.fence();
});
