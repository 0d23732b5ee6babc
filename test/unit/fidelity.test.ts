/** Each message of the protocol, full of what nobody here knows: what comes in at one side goes out at the other. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as modern from '@modelcontextprotocol/core';
import * as legacy from '@modelcontextprotocol/sdk/types.js';
import { Crossing, type Places, type Request } from '../kit/crossing.js';
import { Random } from '../kit/random.js';
import { Exactly, filled, Own } from '../kit/wild.js';

const SEEDS = 25;

const TOOL = { sent: { name: '"vim.slow"' }, seen: { name: '"slow"' } };
const PROMPT = { sent: { name: '"v\\u0069m__greet"' }, seen: { name: '"greet"' } };
const name = new Own('name');
const meta = { progressToken: new Own('token') };

const CONTENT: readonly unknown[] = [
  { type: 'text', text: 'hello', annotations: { audience: ['user'], priority: new Exactly('1.0') } },
  { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
  { type: 'resource', resource: { uri: 'file:///b', blob: 'aGk=' } },
  { type: 'resource_link', uri: 'file:///c', name: 'c', size: new Exactly('9007199254740993') },
  { type: 'hologram', depth: [] },
];
const TASK = { taskId: 't-1', status: 'working', createdAt: '2025-11-25T10:30:00Z', ttl: new Exactly('1e5') };
const ELICITED = [{ action: 'accept', content: { name: 'Ada', age: new Exactly('1e2') } }, { action: 'decline' }];

const CALLS: readonly Request[] = [
  {
    method: 'tools/call',
    params: { name, arguments: { deep: { list: [1, { x: true }] } }, _meta: meta },
    ...TOOL,
    results: [
      ...CONTENT.map((each) => ({ content: [each, each] })),
      { content: [], structuredContent: { value: new Exactly('12345678901234567890') }, isError: false },
      { content: [CONTENT[0]], structuredContent: [new Exactly('1.0')], isError: true, _meta: { 'a/b': {} } },
      // Revision 2026-07-28
      { resultType: 'complete', content: [CONTENT[0]] },
      { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } }, requestState: 'opaque' },
    ],
  },
  {
    method: 'tools/call',
    params: { name, arguments: {}, inputResponses: { a: { roots: [] } }, requestState: 'opaque', _meta: meta },
    ...TOOL,
    results: [{ content: [] }],
  },
  {
    method: 'tools/call',
    params: { name, arguments: {}, task: { ttl: new Exactly('60000.0') } },
    ...TOOL,
    results: [{ task: TASK }],
  },
  {
    method: 'prompts/get',
    params: { name, arguments: { city: 'Ulm' } },
    ...PROMPT,
    results: CONTENT.map((content) => ({ description: 'd', messages: [{ role: 'user', content }] })),
  },
  {
    method: 'resources/read',
    params: { uri: 'x:1' },
    results: [
      {
        contents: [
          { uri: 'x:1', mimeType: 'text/plain', text: 'one' },
          { uri: 'x:2', blob: 'aGk=' },
        ],
      },
    ],
  },
  { method: 'resources/subscribe', params: { uri: 'x:1' }, results: [{}] },
  { method: 'resources/unsubscribe', params: { uri: 'x:1' }, results: [{}] },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name }, argument: { name: 'city', value: 'U' }, context: { arguments: {} } },
    ...PROMPT,
    results: [{ completion: { values: ['Ulm'], total: new Exactly('1.0'), hasMore: false } }],
  },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/resource', uri: 'y://{id}' }, argument: { name: 'id', value: '1' } },
    results: [{ completion: { values: [] } }],
  },
];

const QUESTIONS: readonly Request[] = [
  {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: new Own('message'),
      requestedSchema: { type: 'object', properties: { age: { type: 'integer', maximum: new Exactly('1e2') } } },
      _meta: meta,
    },
    sent: { message: '"Wh\\u006f?"' },
    seen: { message: '"vim: Wh\\u006f?"' },
    results: ELICITED,
  },
  {
    method: 'elicitation/create',
    params: { mode: 'url', message: new Own('message'), url: 'https://example.org/', elicitationId: 'e-1' },
    sent: { message: '"\u{1f600}"' },
    seen: { message: '"vim: \u{1f600}"' },
    results: ELICITED,
  },
  {
    method: 'sampling/createMessage',
    params: {
      messages: [{ role: 'user', content: CONTENT[1] }],
      maxTokens: new Exactly('1e3'),
      temperature: new Exactly('0.10'),
      tools: [{ name: 't', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'auto' },
    },
    results: [{ role: 'assistant', model: 'm', content: CONTENT[0], stopReason: 'endTurn' }],
  },
  { method: 'roots/list', results: [{ roots: [{ uri: 'file:///w', name: 'w' }] }] },
];

const ERROR = { code: -32002, message: 'no such resource', data: { uri: 'x:', size: new Exactly('1.0') } };

/** Notifications of a child, with what the client sees of them. */
const TOLD: readonly {
  readonly method: string;
  readonly params: unknown;
  readonly sent?: Places;
  readonly seen?: Places;
}[] = [
  {
    method: 'notifications/message',
    params: { level: 'error', logger: new Own('logger'), data: { n: new Exactly('1.0') } },
    sent: { logger: '"disk"' },
    seen: { logger: '"vim/disk"' },
  },
  { method: 'notifications/elicitation/complete', params: { elicitationId: 'e-1' } },
  { method: 'notifications/tasks/status', params: TASK },
  { method: 'notifications/novel', params: { a: [] } },
];

/** What the hub answers or says itself, or takes as a sign to read again. */
const OF_THE_HUB: ReadonlySet<string> = new Set([
  'ping',
  'initialize',
  'notifications/initialized',
  'logging/setLevel',
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
  ...['tools', 'prompts', 'resources'].map((kind) => `notifications/${kind}/list_changed`),
  // Not offered to clients of the revisions with sessions.
  ...['server/discover', 'subscriptions/listen', 'notifications/subscriptions/acknowledged'],
  // For tasks that were begun here, which this server has none of.
  ...['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'],
]);
/** What has a test of its own below. */
const OF_THEIR_OWN = [
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/resources/updated',
];

const LISTS = [
  [
    'tools/list',
    'tools',
    {
      name,
      description: 'd',
      inputSchema: { type: 'object', properties: { n: { maximum: new Exactly('1e20') } } },
      outputSchema: {
        type: 'array',
        items: { anyOf: [{ $ref: '#/$defs/row' }, { type: 'null' }] },
        $defs: { row: { type: 'object', additionalProperties: { type: 'integer' } } },
      },
      execution: { taskSupport: 'optional' },
      icons: [{ src: 'data:image/png;base64,aGk=', sizes: ['48x48'] }],
    },
  ],
  ['prompts/list', 'prompts', { name, title: 'T', arguments: [{ name: 'city', required: true }] }],
  ['resources/list', 'resources', { uri: new Own('uri'), name: 'r', size: new Exactly('9007199254740993') }],
  ['resources/templates/list', 'resourceTemplates', { uriTemplate: new Own('uri'), name: 't' }],
] as const;
const KEYS: Readonly<Record<string, readonly string[]>> = {
  tools: ['slow', 'r\\u0065ad'],
  prompts: ['greet'],
  resources: ['x:1', 'x\\u003a2'],
  resourceTemplates: ['y://{id}'],
};

/** Gives the child's lists, one after the other as the hub asks; the entries as they were written, and as clients are to see them. */
async function lists(crossing: Crossing): Promise<Map<string, string>> {
  const { child } = crossing;
  const shown = new Map<string, string>();
  for (let left = LISTS.length; left > 0; left -= 1) {
    const { id, method } = await child.next();
    const [, list, entry] = LISTS.find(([each]) => each === method) ?? [];
    assert.ok(list !== undefined, String(method));
    const entries = (KEYS[list] ?? []).map((key) => ({ key, pieces: crossing.wild(entry) }));
    const texts = entries.map(({ key, pieces }) => filled(pieces, { name: `"${key}"`, uri: `"${key}"` }));
    child.sendText(`{"jsonrpc":"2.0","id":${String(id)},"result":{"novel":1,"${list}":[ ${texts.join(' , ')}]}}`);
    const seen = entries.map(({ key, pieces }) =>
      filled(pieces, { name: JSON.stringify(`vim.${JSON.parse(`"${key}"`)}`), uri: `"${key}"` }),
    );
    shown.set(list, `"${list}":[${seen.join()}]`);
  }
  return shown;
}

for (let seed = 1; seed <= SEEDS; seed += 1) {
  it(`what crosses the hub is what was sent, with seed ${seed}`, async () => {
    const crossing = await Crossing.begin(new Random(seed));
    const { client, child } = crossing;
    const shown = await lists(crossing);
    for (const kind of ['tools', 'prompts', 'resources'])
      await client.next({ method: `notifications/${kind}/list_changed` });
    for (const [method, list] of LISTS) {
      client.send({ id: 1, method });
      const text = (await client.nextBytes()).toString();
      assert.equal(text, `{"jsonrpc":"2.0","id":1,"result":{${shown.get(list)}}}`);
    }
    for (const call of CALLS) {
      for (const result of call.results)
        await crossing.answers(child, client, await crossing.asks(client, child, call), { result });
      await crossing.answers(child, client, await crossing.asks(client, child, call), { error: ERROR });
    }
    for (const told of TOLD)
      await crossing.tells(child, client, { method: told.method, params: told.params }, told.sent, told.seen);
    await crossing.tells(client, child, { method: 'notifications/roots/list_changed', params: {} });
    await meanwhile(crossing);
    await subscribed(crossing);
    await client.fence();
    await child.fence();
  });
}

/** Questions, progress and cancellations in the middle of a call. */
async function meanwhile(crossing: Crossing): Promise<void> {
  const { client, child } = crossing;
  const call = CALLS[0] as Request;
  const ids = await crossing.asks(client, child, call);
  const progress = {
    progressToken: new Own('token'),
    progress: new Exactly('1.0'),
    total: new Exactly('1e1'),
    message: 'm',
  };
  const told = { method: 'notifications/progress', params: progress };
  await crossing.tells(child, client, told, { token: ids.there }, { token: ids.token });
  for (const question of QUESTIONS) {
    for (const result of question.results)
      await crossing.answers(client, child, await crossing.asks(child, client, question), { result });
    await crossing.answers(client, child, await crossing.asks(child, client, question), { error: ERROR });
  }
  const asked = await crossing.asks(child, client, QUESTIONS[0] as Request);
  await crossing.tells(client, child, told, { token: asked.there }, { token: asked.token });
  const cancelled = { method: 'notifications/cancelled', params: { requestId: new Own('id'), reason: 'r' } };
  await crossing.tells(child, client, cancelled, { id: asked.own }, { id: asked.there });
  await crossing.tells(client, child, cancelled, { id: ids.own }, { id: ids.there });
}

async function subscribed(crossing: Crossing): Promise<void> {
  const { client, child } = crossing;
  const request = { method: 'resources/subscribe', params: { uri: 'x:1' }, results: [] };
  await crossing.answers(child, client, await crossing.asks(client, child, request), { result: {} });
  await crossing.tells(
    child,
    client,
    { method: 'notifications/resources/updated', params: { uri: new Own('uri') } },
    { uri: '"x:1"' },
  );
}

describe('the messages that are sent across', () => {
  for (const [of, schemas] of [
    ['2025-11-25', legacy],
    ['2026-07-28', modern],
  ] as const) {
    it(`are all that ${of} has, but for those of the hub itself`, () => {
      const options = [
        schemas.ClientRequestSchema,
        schemas.ServerRequestSchema,
        schemas.ClientNotificationSchema,
        schemas.ServerNotificationSchema,
      ].flatMap(
        (union) => union.options as readonly { readonly shape: { readonly method: { readonly value: string } } }[],
      );
      const sent = new Set([...CALLS, ...QUESTIONS, ...TOLD].map(({ method }) => method).concat(OF_THEIR_OWN));
      const missing = options
        .map(({ shape }) => shape.method.value)
        .filter((method) => !sent.has(method) && !OF_THE_HUB.has(method));
      assert.deepEqual(missing, []);
    });
  }
});
