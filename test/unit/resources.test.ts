/** Resources, subscriptions and completion: whose they are, and what clients see of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { End, Message } from '../kit/end.js';
import { answerNext, Inside } from '../kit/inside.js';

const LISTS_CHANGED = { method: 'notifications/resources/list_changed' };

/** Connects a child with these resources and templates. */
async function child(
  inside: Inside,
  alias: string,
  uris: readonly string[],
  templates?: readonly string[],
): Promise<End> {
  const end = inside.dial(alias);
  const capabilities = { resources: { subscribe: true } };
  await answerNext(end, 'initialize', { protocolVersion: '2025-11-25', capabilities });
  await end.next({ method: 'notifications/initialized' });
  await answerNext(end, 'resources/list', { resources: uris.map((uri) => ({ uri, name: uri, novel: 1 })) });
  const { id } = await end.next({ method: 'resources/templates/list' });
  if (templates === undefined) end.send({ id, error: { code: -32601, message: 'no such method' } });
  else end.send({ id, result: { resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate, name: 't' })) } });
  await end.fence();
  return end;
}

async function list(client: End, method: string): Promise<Message> {
  client.send({ id: method, method });
  return (await client.next({ id: method }))['result'] as Message;
}

describe('resources', () => {
  it('are listed under their own URIs, but for those that several children list', async () => {
    const inside = new Inside();
    const client = await inside.client();
    await child(inside, 'a', ['file:///same', 'file:///a'], ['file:///{path}']);
    await client.next(LISTS_CHANGED);
    await child(inside, 'b', ['file:///same', 'file:///b'], ['file:///{path}', 'b://{id}']);
    await client.next(LISTS_CHANGED);
    const { resources } = (await list(client, 'resources/list')) as { resources: Message[] };
    assert.deepEqual(
      resources.map(({ uri, name, novel }) => [uri, name, novel]),
      [
        ['a+file:///same', 'file:///same', 1],
        ['file:///a', 'file:///a', 1],
        ['b+file:///same', 'file:///same', 1],
        ['file:///b', 'file:///b', 1],
      ],
    );
    const { resourceTemplates } = (await list(client, 'resources/templates/list')) as { resourceTemplates: Message[] };
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ['a+file:///{path}', 'b+file:///{path}', 'b://{id}'],
    );
  });

  for (const [what, shown, alias, own] of [
    ['a listed one', 'file:///b', 'b', 'file:///b'],
    ['one that several list, by its alias', 'b+file:///same', 'b', 'file:///same'],
    ['an unlisted one, by its alias', 'a+x:y', 'a', 'x:y'],
    ['one that begins like a template', 'b://1/2', 'b', 'b://1/2'],
    ['one whose scheme has a plus', 'git+ssh://x', 'a', 'git+ssh://x'],
  ] as const) {
    it(`are read from the child that has them: ${what}`, async () => {
      const inside = new Inside();
      const client = await inside.client();
      const children = new Map([
        ['a', await child(inside, 'a', ['file:///same', 'git+ssh://x'])],
        ['b', await child(inside, 'b', ['file:///same', 'file:///b'], ['b://{id}'])],
      ]);
      await client.next(LISTS_CHANGED);
      await client.next(LISTS_CHANGED);
      client.send({ id: 7, method: 'resources/read', params: { uri: shown, novel: [1] } });
      await answerNext(
        children.get(alias) as End,
        'resources/read',
        { contents: [{ uri: own }] },
        { uri: own, novel: [1] },
      );
      await client.next({ id: 7, result: { contents: [{ uri: own }] } });
    });
  }

  it('that nobody lists are read from the only child with resources, and refused where there are several', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const a = await child(inside, 'a', []);
    client.send({ id: 1, method: 'resources/read', params: { uri: 'x:y' } });
    await answerNext(a, 'resources/read', { contents: [] }, { uri: 'x:y' });
    await client.next({ id: 1, result: {} });
    await child(inside, 'b', []);
    client.send({ id: 2, method: 'resources/read', params: { uri: 'x:y' } });
    await client.next({ id: 2, error: { code: -32602, message: /"x:y".*ALIAS\+URI.*a, b/ } });
    client.send({ id: 3, method: 'resources/read', params: {} });
    await client.next({ id: 3, error: { code: -32602, message: /needs the URI/ } });
  });

  it('tell of a change to those who subscribed, under the URI that they gave', async () => {
    const inside = new Inside();
    const [one, two] = [await inside.client(), await inside.client()];
    const a = await child(inside, 'a', ['x:1']);
    for (const client of [one, two]) await client.next(LISTS_CHANGED);
    one.send({ id: 1, method: 'resources/subscribe', params: { uri: 'a+x:1' } });
    await answerNext(a, 'resources/subscribe', {}, { uri: 'x:1' });
    await one.next({ id: 1, result: {} });
    a.send({ method: 'notifications/resources/updated', params: { uri: 'x:1', novel: 2 } });
    await one.next({ method: 'notifications/resources/updated', params: { uri: 'a+x:1', novel: 2 } });
    await two.fence();
    one.send({ id: 2, method: 'resources/unsubscribe', params: { uri: 'x:1' } });
    await answerNext(a, 'resources/unsubscribe', {}, { uri: 'x:1' });
    await one.next({ id: 2, result: {} });
    a.send({ method: 'notifications/resources/updated', params: { uri: 'x:1' } });
    await a.fence();
    await one.fence();
  });

  it('stay subscribed at the child as long as somebody wants to hear of them', async () => {
    const inside = new Inside();
    const [one, two] = [await inside.client(), await inside.client()];
    const a = await child(inside, 'a', ['x:1']);
    for (const client of [one, two]) {
      await client.next(LISTS_CHANGED);
      client.send({ id: 1, method: 'resources/subscribe', params: { uri: 'x:1' } });
      await answerNext(a, 'resources/subscribe', {});
      await client.next({ id: 1, result: {} });
    }
    one.send({ id: 2, method: 'resources/unsubscribe', params: { uri: 'x:1' } });
    await one.next({ id: 2, result: {} });
    await a.fence();
    two.close();
    await answerNext(a, 'resources/unsubscribe', {}, { uri: 'x:1' });
  });

  it('are subscribed to anew when their child comes back', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const before = await child(inside, 'a', ['x:1']);
    await client.next(LISTS_CHANGED);
    client.send({ id: 1, method: 'resources/subscribe', params: { uri: 'x:1' } });
    await answerNext(before, 'resources/subscribe', {});
    await client.next({ id: 1, result: {} });
    before.close();
    await client.next({ method: 'notifications/message' });
    await client.next(LISTS_CHANGED);
    const after = inside.dial('a');
    await answerNext(after, 'initialize', { protocolVersion: '2025-11-25', capabilities: { resources: {} } });
    await after.next({ method: 'notifications/initialized' });
    await answerNext(after, 'resources/list', { resources: [{ uri: 'x:1', name: 'one' }] });
    await answerNext(after, 'resources/templates/list', { resourceTemplates: [] });
    await answerNext(after, 'resources/subscribe', {}, { uri: 'x:1' });
    await client.next(LISTS_CHANGED);
    after.send({ method: 'notifications/resources/updated', params: { uri: 'x:1' } });
    await client.next({ method: 'notifications/resources/updated', params: { uri: 'x:1' } });
  });
});

describe('completion', () => {
  it('is asked of the child whose prompt or template it is for', async () => {
    const inside = new Inside();
    const client = await inside.client();
    const a = await child(inside, 'a', [], ['a://{id}']);
    await client.next(LISTS_CHANGED);
    const rest = { argument: { name: 'id', value: '1' }, context: { arguments: {} } };
    client.send({
      id: 1,
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'a.p' }, ...rest },
    });
    const asked = { ref: { type: 'ref/prompt', name: 'p' }, ...rest };
    await answerNext(a, 'completion/complete', { completion: { values: ['11'] } }, asked);
    await client.next({ id: 1, result: { completion: { values: ['11'] } } });
    const ref = { type: 'ref/resource', uri: 'a+a://{id}' };
    client.send({ id: 2, method: 'completion/complete', params: { ref, ...rest } });
    const own = { ref: { type: 'ref/resource', uri: 'a://{id}' }, ...rest };
    await answerNext(a, 'completion/complete', { completion: { values: [] } }, own);
    await client.next({ id: 2, result: { completion: { values: [] } } });
  });
});
