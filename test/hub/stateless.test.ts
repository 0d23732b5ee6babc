/** Requests of 2026-07-28 as they stand on the wire: what they need, what they are given, and what is refused. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { End, Message } from '../kit/end.js';
import { answerNext, Inside } from '../kit/inside.js';

const KEY = 'io.modelcontextprotocol';
const ENVELOPE = {
  [`${KEY}/protocolVersion`]: '2026-07-28',
  [`${KEY}/clientInfo`]: { name: 'raw', version: '1' },
  [`${KEY}/clientCapabilities`]: { elicitation: { form: {} } },
};

let next = 0;

/** Sends a request with its envelope; its id. */
function ask(client: End, method: string, params: Message = {}, meta: Message = {}): number {
  next += 1;
  client.send({ id: next, method, params: { _meta: { ...ENVELOPE, ...meta }, ...params } });
  return next;
}

async function refused(client: End, id: number, code: number): Promise<Message> {
  const { error } = await client.next({ id, error: { code } });
  return error as Message;
}

/** A hub with a child of sessions, and a client that has said nothing. */
async function met(): Promise<{ readonly client: End; readonly child: End; readonly inside: Inside }> {
  const inside = new Inside();
  inside.hub.children.offer({ elicitation: {} });
  const client = inside.silentClient();
  const child = await inside.child('c', [{ name: 'do', inputSchema: { type: 'object' } }]);
  return { client, child, inside };
}

const ELICIT = { message: 'sure?', requestedSchema: { type: 'object', properties: {} } };

/** Makes a call in the course of which the child asks; the ticket that the client is given. */
async function asked(
  client: End,
  child: End,
  params: Message,
): Promise<{ readonly ticket: string; readonly callId: unknown }> {
  const id = ask(client, 'tools/call', params);
  const call = await child.next({ method: 'tools/call', params: { name: 'do' } });
  child.send({ id: 'q', method: 'elicitation/create', params: ELICIT });
  const { result } = await client.next({ id, result: { resultType: 'input_required' } });
  const { inputRequests, requestState } = result as { inputRequests: Message; requestState: string };
  assert.deepEqual(inputRequests, {
    'question-1': { method: 'elicitation/create', params: { ...ELICIT, message: 'c: sure?' } },
  });
  return { ticket: requestState, callId: call['id'] };
}

const DO = { name: 'c.do', arguments: { b: 1, a: [{ x: 1 }] } };
const YES = { 'question-1': { action: 'accept', content: {} } };

describe('a client without a session', () => {
  it('asks what there is and what may be listed, and is told that it may change', async () => {
    const { client } = await met();
    const found = await client.next({ id: ask(client, 'server/discover'), result: { resultType: 'complete' } });
    const { supportedVersions, capabilities, _meta, ttlMs } = found['result'] as Message;
    assert.equal((supportedVersions as string[])[0], '2026-07-28');
    assert.ok('tools' in (capabilities as Message));
    assert.equal(((_meta as Message)[`${KEY}/serverInfo`] as Message)['name'], 'mcp-multibroker');
    assert.equal(ttlMs, 0);
    await client.next({
      id: ask(client, 'tools/list'),
      result: {
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
        tools: [{ name: 'c.do', inputSchema: { type: 'object' } }],
      },
    });
  });

  it('is given results with what the revision wants of them, and the rest as it came', async () => {
    const { client, child } = await met();
    const id = ask(client, 'tools/call', DO);
    const call = await child.next({ method: 'tools/call' });
    child.sendText(
      `{"jsonrpc":"2.0","id":${String(call['id'])},"result":{ "content": [], "n": 12345678901234567890 }}`,
    );
    await client.next({ id, result: { resultType: 'complete', content: [] } });
    const empty = ask(client, 'tools/call', DO);
    await answerNext(child, 'tools/call', {});
    await client.next({ id: empty, result: { resultType: 'complete' } });
  });

  it('is not spoken of to a child of sessions, which gets the rest of what a call bears', async () => {
    const { client, child } = await met();
    const sent = async (members: string): Promise<string> => {
      next += 1;
      const params = `{"name":"c.do","_meta":{${members}}}`;
      client.sendText(`{"jsonrpc":"2.0","id":${next},"method":"tools/call","params":${params}}`);
      const bytes = await child.nextBytes();
      const { id, params: own } = JSON.parse(bytes.toString()) as { id: number; params: Message };
      child.send({ id, result: {} });
      await client.next({ id: next });
      return JSON.stringify(own['_meta']).replace(`:${id}`, ':ID');
    };
    const [revision, info, capabilities] = Object.entries(ENVELOPE).map(
      ([name, value]) => `${JSON.stringify(name)} : ${JSON.stringify(value)}`,
    );
    const level = `"${KEY}/logLevel":"error"`;
    assert.equal(await sent(` ${revision}, ${info} ,${capabilities} `), '{}');
    assert.equal(await sent(`${level},"a":1,${revision},"b":[2] ,${info},${capabilities}`), '{"a":1,"b":[2]}');
    assert.equal(
      await sent(`"progressToken":"mine",${revision},${capabilities} , "traceparent":"00"`),
      '{"progressToken":ID,"traceparent":"00"}',
    );
  });

  it('is refused what belongs to sessions, and what says not enough of itself', async () => {
    const { client } = await met();
    for (const method of ['logging/setLevel', 'resources/subscribe', 'ping', 'nonsense'])
      await refused(client, ask(client, method), -32601);
    client.send({ id: 'x', method: 'tools/list', params: { _meta: { [`${KEY}/protocolVersion`]: '2026-07-28' } } });
    await client.next({ id: 'x', error: { code: -32602, message: /clientCapabilities/ } });
    const { data } = await refused(
      client,
      ask(client, 'tools/list', {}, { [`${KEY}/protocolVersion`]: '2031-01-01' }),
      -32022,
    );
    assert.equal((data as Message)['requested'], '2031-01-01');
    assert.ok(((data as Message)['supported'] as string[]).includes('2026-07-28'));
    await refused(client, ask(client, 'tools/list', {}, { [`${KEY}/logLevel`]: 'loud' }), -32602);
  });

  it('gets log messages of its calls from the level on that each asks for', async () => {
    const { client, child } = await met();
    const call = async (meta: Message): Promise<number> => {
      const id = ask(client, 'tools/call', DO, meta);
      const { id: there } = await child.next({ method: 'tools/call' });
      for (const level of ['info', 'error'])
        child.send({ method: 'notifications/message', params: { level, data: level } });
      child.send({ id: there, result: { content: [] } });
      return id;
    };
    await client.next({ id: await call({}), result: {} });
    const loud = await call({ [`${KEY}/logLevel`]: 'warning' });
    await client.next({ method: 'notifications/message', params: { level: 'error' } });
    await client.next({ id: loud });
  });
});

describe('a question to a client without a session', () => {
  it('comes as the answer, and the call goes on when it is made again with the answers', async () => {
    const { client, child } = await met();
    const { ticket, callId } = await asked(client, child, DO);
    // Members in another order are the same call.
    const again = { name: 'c.do', arguments: { a: [{ x: 1 }], b: 1 } };
    const id = ask(client, 'tools/call', { ...again, inputResponses: YES, requestState: ticket });
    await child.next({ id: 'q', result: { action: 'accept' } });
    child.send({ id: callId, result: { content: [], isError: false } });
    await client.next({ id, result: { resultType: 'complete', isError: false } });
  });

  it('is put again when it was not answered', async () => {
    const { client, child } = await met();
    const { ticket, callId } = await asked(client, child, DO);
    const id = ask(client, 'tools/call', {
      ...DO,
      inputResponses: { other: {}, 'question-1': 'yes' },
      requestState: ticket,
    });
    const { result } = await client.next({ id, result: { resultType: 'input_required' } });
    const { requestState } = result as { requestState: string };
    const last = ask(client, 'tools/call', { ...DO, inputResponses: YES, requestState });
    await child.next({ id: 'q', result: { action: 'accept' } });
    child.send({ id: callId, result: {} });
    await client.next({ id: last, result: { resultType: 'complete' } });
  });

  it('is answered once, by the call it belongs to, with the very ticket', async () => {
    const { client, child } = await met();
    const { ticket, callId } = await asked(client, child, DO);
    const wrong: Message[] = [
      { ...DO, requestState: `${ticket}x` },
      { ...DO, requestState: `x${ticket}` },
      { ...DO, requestState: 'nonsense' },
      { ...DO, requestState: '' },
      { ...DO, requestState: 7 },
      { ...DO, requestState: `${ticket.split('.')[0]}.` },
      { ...DO, arguments: { a: [{ x: 2 }], b: 1 }, requestState: ticket },
      { ...DO, name: 'c.other', requestState: ticket },
    ];
    for (const params of wrong)
      await refused(client, ask(client, 'tools/call', { ...params, inputResponses: YES }), -32602);
    const id = ask(client, 'tools/call', { ...DO, inputResponses: YES, requestState: ticket });
    await child.next({ id: 'q', result: { action: 'accept' } });
    const { message } = await refused(
      client,
      ask(client, 'tools/call', { ...DO, inputResponses: YES, requestState: ticket }),
      -32602,
    );
    assert.match(String(message), /used before/);
    child.send({ id: callId, result: {} });
    await client.next({ id, result: { resultType: 'complete' } });
  });

  it('that it says it cannot answer is declined for it', async () => {
    const { client, child } = await met();
    const id = ask(client, 'tools/call', DO, { [`${KEY}/clientCapabilities`]: {} });
    const { id: callId } = await child.next({ method: 'tools/call' });
    child.send({ id: 'q', method: 'elicitation/create', params: ELICIT });
    await child.next({ id: 'q', result: { action: 'decline' } });
    child.send({ id: callId, result: {} });
    await client.next({ id, result: { resultType: 'complete' } });
  });

  it('is over when the client cancels or goes away, and the child knows', async () => {
    const { client, child } = await met();
    const id = ask(client, 'tools/call', DO);
    const { id: first } = await child.next({ method: 'tools/call' });
    client.send({ method: 'notifications/cancelled', params: { requestId: id } });
    await child.next({ method: 'notifications/cancelled', params: { requestId: first } });
    const { callId } = await asked(client, child, DO);
    client.close();
    await child.next({ method: 'notifications/cancelled', params: { requestId: callId } });
  });

  it('is not lost when the child answers before the client does', async () => {
    const { client, child } = await met();
    const { ticket, callId } = await asked(client, child, DO);
    child.send({ method: 'notifications/cancelled', params: { requestId: 'q' } });
    child.send({ id: callId, result: { content: [], late: true } });
    const id = ask(client, 'tools/call', { ...DO, inputResponses: YES, requestState: ticket });
    await client.next({ id, result: { resultType: 'complete', late: true } });
  });
});

describe('what a client without a session listens to', () => {
  it('is confirmed, and then told until it listens no more', async () => {
    const { client, inside } = await met();
    const id = ask(client, 'subscriptions/listen', { notifications: { toolsListChanged: true, other: true } });
    const known = { _meta: { [`${KEY}/subscriptionId`]: id } };
    await client.next({
      method: 'notifications/subscriptions/acknowledged',
      params: { ...known, notifications: { toolsListChanged: true } },
    });
    await inside.child('d', [{ name: 'x' }]);
    await client.next({ method: 'notifications/tools/list_changed', params: known });
    client.send({ method: 'notifications/cancelled', params: { requestId: id } });
    await inside.child('e', [{ name: 'x' }]);
    await client.next({ id: ask(client, 'tools/list'), result: {} });
  });

  it('has to be said', async () => {
    const { client } = await met();
    await refused(client, ask(client, 'subscriptions/listen'), -32602);
  });
});

/** A child of 2026-07-28 that dials in. */
async function modernChild(inside: Inside): Promise<End> {
  const child = inside.dial('m');
  const hello = await child.next({ method: 'initialize' });
  child.send({ id: hello['id'], error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } } });
  await answerNext(child, 'server/discover', { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
  await answerNext(child, 'tools/list', { resultType: 'complete', tools: [{ name: 'do' }] });
  return child;
}

describe('a question of a child without sessions', () => {
  const asks = (state?: string): Message => ({
    resultType: 'input_required',
    inputRequests: { k: { method: 'elicitation/create', params: ELICIT } },
    ...(state === undefined ? {} : { requestState: state }),
  });

  it('passes to a client without a session, its state in a ticket for this child alone', async () => {
    const { client, inside } = await met();
    const [m, n] = [await modernChild(inside), inside.dial('n')];
    assert.ok(n);
    const id = ask(client, 'tools/call', { name: 'm.do' });
    await answerNext(m, 'tools/call', asks('its "st\u00e4te"'), { name: 'do', _meta: ENVELOPE });
    const { result } = await client.next({ id, result: { resultType: 'input_required' } });
    const { inputRequests, requestState } = result as { inputRequests: { k: Message }; requestState: string };
    assert.equal((inputRequests.k['params'] as Message)['message'], 'm: sure?');
    assert.ok(!requestState.includes('its'));
    const responses = { k: { action: 'accept' } };
    const again = ask(client, 'tools/call', { name: 'm.do', inputResponses: responses, requestState });
    await answerNext(
      m,
      'tools/call',
      { resultType: 'complete', content: [] },
      {
        inputResponses: responses,
        requestState: 'its "st\u00e4te"',
      },
    );
    await client.next({ id: again, result: { resultType: 'complete' } });
  });

  it('is put to a client with a session as a request, and answered with the call made again', async () => {
    const inside = new Inside();
    const client = await inside.client({ elicitation: {} });
    const m = await modernChild(inside);
    await client.next({ method: 'notifications/tools/list_changed' });
    client.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'm.do', arguments: { big: 1 }, _meta: { progressToken: 'p' } },
    });
    await answerNext(m, 'tools/call', asks('S'), {
      name: 'do',
      _meta: { [`${KEY}/protocolVersion`]: '2026-07-28', [`${KEY}/clientCapabilities`]: { elicitation: {} } },
    });
    const question = await client.next({ method: 'elicitation/create', params: { message: 'm: sure?' } });
    client.sendText(
      `{"jsonrpc":"2.0","id":${JSON.stringify(question['id'])},"result":{"action":"accept","n":12345678901234567890}}`,
    );
    const retry = await m.next({
      method: 'tools/call',
      params: { name: 'do', arguments: { big: 1 }, inputResponses: { k: { action: 'accept' } }, requestState: 'S' },
    });
    m.send({ id: retry['id'], result: { resultType: 'complete', content: [] } });
    await client.next({ id: 1, result: { content: [] } });
  });

  it('is withdrawn when the client cancels the call', async () => {
    const inside = new Inside();
    const client = await inside.client({ elicitation: {} });
    const m = await modernChild(inside);
    await client.next({ method: 'notifications/tools/list_changed' });
    client.send({ id: 1, method: 'tools/call', params: { name: 'm.do' } });
    await answerNext(m, 'tools/call', asks());
    const { id } = await client.next({ method: 'elicitation/create' });
    client.send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
    await client.next({ method: 'notifications/cancelled', params: { requestId: id, reason: 'enough' } });
    client.send({ id, result: { action: 'accept' } });
    await client.fence();
  });

  it('that makes no sense fails the call with what is wrong', async () => {
    const inside = new Inside();
    const client = await inside.client({ elicitation: {} });
    const m = await modernChild(inside);
    await client.next({ method: 'notifications/tools/list_changed' });
    for (const inputRequests of [{ k: {} }, { k: { method: 'x', id: 1 } }, { k: { jsonrpc: '2.0', method: 'x' } }]) {
      client.send({ id: 2, method: 'tools/call', params: { name: 'm.do' } });
      await answerNext(m, 'tools/call', { resultType: 'input_required', inputRequests });
      await client.next({ id: 2, error: {} });
    }
  });
});

describe('what an older child says in the words of its revision', () => {
  it('is said to a client without a session in those of the later one', async () => {
    const { client, child } = await met();
    const id = ask(client, 'tools/call', DO);
    const { id: there } = await child.next({ method: 'tools/call' });
    child.send({ id: there, error: { code: -32002, message: 'no such resource', data: { uri: 'x:y' } } });
    await client.next({ id, error: { code: -32602, message: 'no such resource', data: { uri: 'x:y' } } });
  });

  it('sends the person to a page, and then the call is made anew', async () => {
    const { client, child } = await met();
    const capabilities = { [`${KEY}/clientCapabilities`]: { elicitation: { form: {}, url: {} } } };
    const id = ask(client, 'tools/call', DO, capabilities);
    const { id: first } = await child.next({ method: 'tools/call' });
    const page = { mode: 'url', elicitationId: 'e', url: 'https://example.org/', message: 'log in' };
    child.send({ id: first, error: { code: -32042, message: 'log in first', data: { elicitations: [page] } } });
    const { result } = await client.next({ id, result: { resultType: 'input_required' } });
    const { inputRequests, requestState } = result as { inputRequests: Message; requestState: string };
    assert.deepEqual(inputRequests['question-1'], {
      method: 'elicitation/create',
      params: { ...page, message: 'c: log in' },
    });
    // In another order than before, as any client may write it.
    const again = ask(client, 'tools/call', { inputResponses: YES, requestState, ...DO }, capabilities);
    const second = await child.next({ method: 'tools/call', params: { name: 'do', arguments: DO.arguments } });
    assert.deepEqual(Object.keys(second['params'] as Message).sort(), ['_meta', 'arguments', 'name']);
    child.send({ id: second['id'], result: { content: [] } });
    await client.next({ id: again, result: { resultType: 'complete', content: [] } });
  });
});
