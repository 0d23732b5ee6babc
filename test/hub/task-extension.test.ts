/** Tasks of 2026-07-28, an extension of the protocol, as they stand on the wire on both sides of the hub. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { post } from '../kit/by-hand.js';
import type { End, Message } from '../kit/end.js';
import { answerJson, posted, serveHttp } from '../kit/http-server.js';
import { hubUrl } from '../kit/hub.js';
import { answerNext, Inside } from '../kit/inside.js';

const KEY = 'io.modelcontextprotocol';
const EXTENSIONS = { extensions: { [`${KEY}/tasks`]: {} } };
const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'];
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

let next = 0;

function envelope(capabilities: Message): Message {
  return {
    [`${KEY}/protocolVersion`]: '2026-07-28',
    [`${KEY}/clientInfo`]: { name: 'raw', version: '1' },
    [`${KEY}/clientCapabilities`]: capabilities,
  };
}

/** Sends a request with its envelope; its id. */
function ask(client: End, method: string, params: Message = {}, capabilities: Message = EXTENSIONS): number {
  next += 1;
  client.send({ id: next, method, params: { _meta: envelope(capabilities), ...params } });
  return next;
}

/** A child without sessions that dials in, with a tool `do`. */
async function taskChild(inside: Inside, alias: string): Promise<End> {
  const child = inside.dial(alias);
  const hello = await child.next({ method: 'initialize' });
  child.send({ id: hello['id'], error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } } });
  await answerNext(child, 'server/discover', {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {}, ...EXTENSIONS },
  });
  await answerNext(child, 'tools/list', { resultType: 'complete', tools: [{ name: 'do' }] });
  return child;
}

async function met(): Promise<{ client: End; inside: Inside; m: End }> {
  const inside = new Inside();
  inside.hub.children.offer({});
  const client = inside.silentClient();
  return { client, inside, m: await taskChild(inside, 'm') };
}

const task = (taskId: string, status = 'working'): Message => ({ taskId, status, ttlMs: 600_000 });

/** Makes a call that becomes a task; its id as the client sees it. */
async function begun(client: End, child: End, id: string): Promise<string> {
  const call = ask(client, 'tools/call', { name: `${child.name}.do` });
  await answerNext(child, 'tools/call', { resultType: 'task', ...task(id) }, { name: 'do' });
  const { result } = await client.next({ id: call, result: { resultType: 'task', status: 'working', ttlMs: 600_000 } });
  return String((result as Message)['taskId']);
}

async function refused(client: End, id: number, code: number): Promise<Message> {
  const { error } = await client.next({ id, error: { code } });
  return error as Message;
}

describe('a task of a child without sessions', () => {
  it('is asked for at the child that has it, tells what it wants to know, and is done', async () => {
    const { client, inside, m } = await met();
    const discovered = await client.next({ id: ask(client, 'server/discover') });
    assert.deepEqual(
      (discovered['result'] as { capabilities: Message }).capabilities['extensions'],
      EXTENSIONS.extensions,
    );
    const n = await taskChild(inside, 'n');
    const [mine, other] = [await begun(client, m, 'a.1'), await begun(client, n, 'a.1')];
    assert.notEqual(mine, other);

    const asking = ask(client, 'tasks/get', { taskId: mine });
    const inputRequests = { k: { method: 'elicitation/create', params: { message: 'sure?' } } };
    const wants = { resultType: 'complete', ...task('a.1', 'input_required'), inputRequests };
    await answerNext(m, 'tasks/get', wants, { taskId: 'a.1' });
    await client.next({
      id: asking,
      result: { taskId: mine, inputRequests: { k: { params: { message: 'm: sure?' } } } },
    });
    const inputResponses = { k: { action: 'accept' } };
    const update = ask(client, 'tasks/update', { taskId: mine, inputResponses });
    await answerNext(m, 'tasks/update', { resultType: 'complete' }, { taskId: 'a.1', inputResponses });
    await client.next({ id: update, result: { resultType: 'complete' } });
    const done = ask(client, 'tasks/get', { taskId: mine });
    const result = { content: [{ type: 'text', text: 'a.1' }] };
    await answerNext(m, 'tasks/get', { resultType: 'complete', ...task('a.1', 'completed'), result });
    await client.next({ id: done, result: { taskId: mine, status: 'completed', result } });

    const cancel = ask(client, 'tasks/cancel', { taskId: other });
    await answerNext(n, 'tasks/cancel', { resultType: 'complete' }, { taskId: 'a.1' });
    await client.next({ id: cancel, result: { resultType: 'complete' } });
  });

  it('is reached by its whole id alone, and by who knows tasks', async () => {
    const { client, inside, m } = await met();
    const id = await begun(client, m, '1');
    const forged = [id.replace(/1$/, '2'), 'm.1', '1', `${id}1`, id.replace('m.', 'n.'), '', null];
    for (const taskId of forged)
      for (const method of METHODS) await refused(client, ask(client, method, { taskId }), -32602);
    for (const method of METHODS) {
      const { data } = await refused(client, ask(client, method, { taskId: id }, {}), -32021);
      assert.deepEqual((data as Message)['requiredCapabilities'], EXTENSIONS);
    }
    for (const method of ['tasks/list', 'tasks/result'])
      await refused(client, ask(client, method, { taskId: id }), -32601);
    const session = await inside.client();
    session.send({ id: 's', method: 'tasks/get', params: { taskId: id } });
    await session.next({ id: 's', error: { code: -32602, message: /there is no task/ } });
    await m.fence();
  });

  it('is told of on a stream for it, once its child has agreed to that', async () => {
    const { client, inside, m } = await met();
    const [a, b] = [await begun(client, m, 'a'), await begun(client, m, 'b')];
    await refused(client, ask(client, 'subscriptions/listen', { notifications: { taskIds: [a] } }, {}), -32021);
    const stream = ask(client, 'subscriptions/listen', { notifications: { taskIds: [a, b, 'm.x.c'] } });
    const { id } = await m.next({
      method: 'subscriptions/listen',
      params: { notifications: { taskIds: ['a', 'b'] }, _meta: { [`${KEY}/clientCapabilities`]: EXTENSIONS } },
    });
    const _meta = { [`${KEY}/subscriptionId`]: id };
    m.send({ method: 'notifications/tasks', params: { ...task('a'), statusMessage: 'early', _meta } });
    m.send({ method: ACKNOWLEDGED, params: { notifications: { taskIds: ['a'] }, _meta } });
    const own = { [`${KEY}/subscriptionId`]: stream };
    await client.next({ method: ACKNOWLEDGED, params: { notifications: { taskIds: [a] }, _meta: own } });
    await client.next({
      method: 'notifications/tasks',
      params: { taskId: a, status: 'working', statusMessage: 'early', _meta: own },
    });
    const session = await inside.client();
    m.send({ method: 'notifications/tasks', params: { ...task('a', 'completed'), result: {}, _meta } });
    await client.next({ method: 'notifications/tasks', params: { taskId: a, status: 'completed', _meta: own } });
    await session.fence();
    client.send({ method: 'notifications/cancelled', params: { requestId: stream } });
    await m.next({ method: 'notifications/cancelled', params: { requestId: id } });
  });

  it('is not offered to who has a session, whose call is done without it', async () => {
    const { inside, m } = await met();
    const session = await inside.client({ ...EXTENSIONS, tasks: {} });
    session.send({ id: 1, method: 'tools/call', params: { name: 'm.do' } });
    const { id, params } = await m.next({ method: 'tools/call' });
    const offered = (params as { _meta: Message })._meta[`${KEY}/clientCapabilities`];
    assert.deepEqual(offered, { extensions: {} });
    m.send({ id, result: { resultType: 'complete', content: [] } });
    await session.next({ id: 1, result: { content: [] } });
  });
});

describe('a task over HTTP', () => {
  /** A server of 2026-07-28 with one task; the names that its requests bore in their header. */
  async function served(t: TestContext): Promise<{ url: string; names: string[] }> {
    const names: string[] = [];
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { id, method = '', params = {} } = await posted(request);
      if (method.startsWith('tasks/')) names.push(`${method} ${String(request.headers['mcp-name'])}`);
      const known: Readonly<Record<string, Message>> = {
        'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {}, ...EXTENSIONS } },
        'tools/list': { resultType: 'complete', tools: [{ name: 'do', inputSchema: { type: 'object' } }] },
        'tools/call': { resultType: 'task', ...task('t/1') },
        'tasks/get': {
          resultType: 'complete',
          ...task(String(params['taskId']), 'completed'),
          result: { content: [] },
        },
      };
      answerJson(response, id, known[method] ?? {});
    };
    const url = await serveHttp(t, (request, response) => void serve(request, response));
    return { url, names };
  }

  async function asked(url: string, method: string, name: string, params: Message): Promise<Message> {
    next += 1;
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name };
    const body = { jsonrpc: '2.0', id: next, method, params: { ...params, _meta: envelope(EXTENSIONS) } };
    return (await (await post(url, body, headers)).json()) as Message;
  }

  for (const [where, front] of [
    ['', (server: string) => ['c', server, '--eager']],
    [', through two hubs', undefined],
  ] as const)
    it(`bears the header that says which it is${where}`, async (t) => {
      const { url: server, names } = await served(t);
      const own = ['c', server, '--eager'];
      const url = await hubUrl(t, front?.(server) ?? ['b', await hubUrl(t, own), '--eager']);
      const tool = front === undefined ? 'b.c.do' : 'c.do';
      const { result } = await asked(url, 'tools/call', tool, { name: tool, arguments: {} });
      const { taskId } = result as { taskId: string };
      const got = await asked(url, 'tasks/get', taskId, { taskId });
      assert.equal((got['result'] as Message)['taskId'], taskId);
      assert.equal((got['result'] as Message)['status'], 'completed');
      assert.deepEqual(names, ['tasks/get t/1']);
      const { error } = await asked(url, 'tasks/get', 'another', { taskId });
      assert.equal((error as Message)['code'], -32020);
    });
});
