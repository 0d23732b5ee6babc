/** For how long lists hold (2026-07-28): what servers say of theirs, and what the hub makes of it for its clients. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { End, Message } from '../kit/end.js';
import { answerNext, Inside, tool } from '../kit/inside.js';
import { eventually } from '../kit/until.js';

const KEY = 'io.modelcontextprotocol';
const _meta = {
  [`${KEY}/protocolVersion`]: '2026-07-28',
  [`${KEY}/clientInfo`]: { name: 'raw', version: '1' },
  [`${KEY}/clientCapabilities`]: {},
};

interface Page {
  readonly names: readonly string[];
  readonly ttlMs?: number;
  readonly cacheScope?: string;
  readonly nextCursor?: string;
}

function answer({ names, ...hints }: Page): Message {
  return { resultType: 'complete', tools: names.map(tool), ...hints };
}

/** A child without sessions that dials in and gives its tools in these pages. */
async function modernChild(inside: Inside, alias: string, pages: readonly Page[], tools: Message = {}): Promise<End> {
  const child = inside.dial(alias);
  const hello = await child.next({ method: 'initialize' });
  child.send({ id: hello['id'], error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } } });
  await answerNext(child, 'server/discover', { supportedVersions: ['2026-07-28'], capabilities: { tools } });
  for (const page of pages) await answerNext(child, 'tools/list', answer(page));
  return child;
}

let next = 0;

function asked(client: End): number {
  next += 1;
  client.send({ id: next, method: 'tools/list', params: { _meta } });
  return next;
}

interface List {
  readonly names: readonly string[];
  readonly ttlMs: number;
  readonly cacheScope: string;
}

async function given(client: End, id = asked(client)): Promise<List> {
  const { result } = await client.next({ id, result: { resultType: 'complete' } });
  const { tools, ttlMs, cacheScope } = result as List & { tools: readonly { name: string }[] };
  return { names: tools.map(({ name }) => name), ttlMs, cacheScope };
}

function met(): { inside: Inside; client: End } {
  const inside = new Inside();
  inside.hub.children.offer({});
  return { inside, client: inside.silentClient() };
}

const LONG = 3_600_000;

describe('a list', () => {
  it('holds as long as each of its parts, every page of them, less what has gone by', async () => {
    const { inside, client } = met();
    const m = await modernChild(inside, 'm', [
      { names: ['a'], ttlMs: 3 * LONG, cacheScope: 'public', nextCursor: 'more' },
      { names: ['b'], ttlMs: 2 * LONG, cacheScope: 'public' },
    ]);
    await eventually('all is there', async () => (await given(client)).names.length === 2);
    const first = await given(client);
    assert.ok(first.ttlMs <= 2 * LONG && first.ttlMs > LONG, String(first.ttlMs));
    assert.equal(first.cacheScope, 'private');
    await eventually('time goes by', async () => (await given(client)).ttlMs < first.ttlMs);

    const n = await modernChild(inside, 'n', [{ names: ['c'], ttlMs: LONG }]);
    await eventually('all is there', async () => (await given(client)).names.length === 3);
    const { ttlMs } = await given(client);
    assert.ok(ttlMs <= LONG && ttlMs > 0, String(ttlMs));
    // Neither was asked again.
    for (const child of [m, n]) await child.fence();

    await inside.child('old', [tool('d')]);
    await eventually('all is there', async () => (await given(client)).names.length === 4);
    assert.equal((await given(client)).ttlMs, 0);
  });

  it('is asked for again when it holds no longer, and not before', async () => {
    const { inside, client } = met();
    const m = await modernChild(inside, 'm', [{ names: ['a'], ttlMs: 0 }]);
    const again = asked(client);
    await answerNext(m, 'tools/list', answer({ names: ['a', 'b'], ttlMs: LONG }));
    const { names, ttlMs } = await given(client, again);
    assert.deepEqual(names, ['m.a', 'm.b']);
    assert.ok(ttlMs > 0);
    assert.deepEqual((await given(client)).names, ['m.a', 'm.b']);
    await m.fence();
  });

  it('is asked for once for all who want it at one time', async () => {
    const { inside, client } = met();
    const m = await modernChild(inside, 'm', [{ names: ['a'] }]);
    const both = [asked(client), asked(client)];
    await answerNext(m, 'tools/list', answer({ names: ['a', 'b'], ttlMs: LONG }));
    for (const id of both) assert.deepEqual((await given(client, id)).names, ['m.a', 'm.b']);
    await m.fence();
  });

  it('is given as it was where it cannot be had again', async () => {
    const { inside, client } = met();
    const m = await modernChild(inside, 'm', [{ names: ['a'], ttlMs: 0 }]);
    const again = asked(client);
    const { id } = await m.next({ method: 'tools/list' });
    m.send({ id, error: { code: -32603, message: 'not now' } });
    assert.deepEqual(await given(client, again), { names: ['m.a'], ttlMs: 0, cacheScope: 'private' });
  });

  it('of which its server tells when it changes is asked for only then', async () => {
    const { inside, client } = met();
    const m = await modernChild(inside, 'm', [{ names: ['a'], ttlMs: 0 }], { listChanged: true });
    await m.next({ method: 'subscriptions/listen' });
    assert.deepEqual((await given(client)).names, ['m.a']);
    await m.fence();
    m.send({ method: 'notifications/tools/list_changed' });
    await answerNext(m, 'tools/list', answer({ names: ['b'], ttlMs: 0 }));
    await eventually('it has changed', async () => (await given(client)).names.includes('m.b'));
    await m.fence();
  });
});
