/** Clients and children of both eras of the protocol in all pairs, on every way in and out. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { cleanup } from '../kit/cleanup.js';
import { folder, freshHome } from '../kit/home.js';
import { child, HubProcess, PROGRAM, ROOT, run } from '../kit/hub.js';
import { hubUrl, modernUrl } from '../kit/over-http.js';
import { eventually } from '../kit/until.js';

const REVISION = '2026-07-28';

type Mode = 'legacy' | { pin: typeof REVISION };
type Transport = StdioClientTransport | StreamableHTTPClientTransport;

const WAYS_IN = new Map<string, (t: TestContext, args: readonly string[]) => Promise<Transport>>([
  [
    'standard streams',
    async (t, args) =>
      new StdioClientTransport({
        command: process.execPath,
        args: [PROGRAM, '--stdio', ...args],
        env: await freshHome(t),
        cwd: ROOT,
        stderr: 'ignore',
      }),
  ],
  ['HTTP', async (t, args) => new StreamableHTTPClientTransport(new URL(await hubUrl(t, args)))],
]);

const CLIENTS = new Map<string, Mode>([
  ['with sessions', 'legacy'],
  ['without sessions', { pin: REVISION }],
]);

/** The words of a child of one era as the hub's command line has them. */
const CHILDREN = new Map<string, (t: TestContext) => Promise<readonly string[]>>([
  ['with sessions', () => Promise.resolve(child('c', 'plain'))],
  ['without sessions', () => Promise.resolve(child('c', 'modern'))],
  ['without sessions over HTTP', async (t) => ['c', await modernUrl(t)]],
]);

interface Person {
  readonly client: Client;
  readonly questions: string[];
  readonly notices: string[];
  text(name: string, args?: Record<string, unknown>, options?: object): Promise<string>;
}

const ASKED = { action: 'accept' as const, content: { name: 'J\u00f6rg' } };
const SAMPLED = {
  role: 'assistant' as const,
  model: 'm',
  content: { type: 'text' as const, text: 'a sampled answer' },
};

async function connect(t: TestContext, transport: Transport, mode: Mode): Promise<Person> {
  const notices: string[] = [];
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
      versionNegotiation: { mode },
      listChanged: { tools: { onChanged: (_, tools) => void notices.push(...(tools ?? []).map(({ name }) => name)) } },
    },
  );
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return ASKED;
  });
  client.setRequestHandler('sampling/createMessage', () => SAMPLED);
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///somewhere', name: 'somewhere' }] }));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void notices.push(params.uri));
  cleanup(t, () => client.close());
  await client.connect(transport);
  const text = async (name: string, args: Record<string, unknown> = {}, options = {}): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: args }, options);
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  };
  return { client, questions, notices, text };
}

describe('a call and all that belongs to it', { concurrency: 3 }, () => {
  for (const [way, transport] of WAYS_IN)
    for (const [clientEra, mode] of CLIENTS)
      for (const [childEra, childWords] of CHILDREN) {
        it(`a client ${clientEra} over ${way}, a child ${childEra}`, async (t) => {
          const { client, questions, notices, text } = await connect(t, await transport(t, await childWords(t)), mode);
          assert.equal(client.getProtocolEra(), mode === 'legacy' ? 'legacy' : 'modern');
          assert.equal(await text('c.echo', { a: 'h\u00e9' }), '{"a":"h\u00e9"}');

          assert.match(
            await text('c.ask', { message: 'who?', requestedSchema: { type: 'object', properties: {} } }),
            /J\u00f6rg/,
          );
          assert.deepEqual(questions, ['c: who?']);
          const sampling = { messages: [], maxTokens: 9 };
          assert.match(await text('c.sample', sampling), /a sampled answer/);
          assert.match(await text('c.roots'), /file:\/\/\/somewhere/);

          const steps: number[] = [];
          const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
          await text('c.progress', { steps: 4, pause: 20 }, { onprogress });
          // The SDK drops the progress that comes in one piece with the result.
          assert.deepEqual(steps.slice(0, 2), [1, 2]);

          const stop = new AbortController();
          const slow = text('c.slow', {}, { signal: stop.signal });
          await eventually('it has begun', async () => (await text('c.begun')) === '1');
          stop.abort('the user stopped it');
          await assert.rejects(slow);
          await eventually('the child knows', async () => (await text('c.cancelled')) !== '[]');

          await text('c.add', { name: 'extra' });
          await eventually('the client hears of the new tool', () => notices.includes('c.extra'));
        });
      }
});

describe('resources whose changes somebody wants to hear of', { concurrency: 3 }, () => {
  for (const [clientEra, mode] of CLIENTS)
    for (const [childEra, childWords] of [...CHILDREN].slice(1)) {
      it(`by a client ${clientEra} of a child ${childEra}`, async (t) => {
        const transport = WAYS_IN.get('standard streams');
        assert.ok(transport !== undefined);
        const { client, notices, text } = await connect(t, await transport(t, await childWords(t)), mode);
        await text('c.echo');
        if (mode === 'legacy') await client.subscribeResource({ uri: 'note:///1' });
        else await client.listen({ resourceSubscriptions: ['note:///1'] });
        await eventually('it hears of a change', async () => {
          await text('c.touch', { uri: 'note:///1' });
          return notices.includes('note:///1');
        });
        if (mode !== 'legacy') return;
        await client.unsubscribeResource({ uri: 'note:///1' });
        await text('c.echo');
        const heard = notices.length;
        await text('c.touch', { uri: 'note:///1' });
        await text('c.echo');
        assert.equal(notices.length, heard);
      });
    }
});

describe('the era of a child', () => {
  it('is found without starting it twice, and remembered', async (t) => {
    const started = `${await folder(t)}/started`;
    const hub = await HubProcess.greeted(t, child('c', 'modern', '--started', started));
    assert.equal((await hub.client.call('c.echo', { a: 1 })).text, '{"a":1}');
    const { text } = await hub.client.call('c.pid');
    assert.equal((await readFile(started, 'utf8')).trim(), text);
  });

  it('may be said, and then no other is tried', async (t) => {
    const hub = await HubProcess.greeted(t, [
      ...child('c', 'modern'),
      '--era',
      'legacy',
      ...child('d', 'plain'),
      '--era',
      'modern',
    ]);
    const [c, d] = [await hub.client.call('c.echo'), await hub.client.call('d.echo')];
    assert.match(c.error?.message ?? '', /c/);
    assert.match(d.error?.message ?? '', /server\/discover/);
  });

  it('that is neither of both is refused', async (t) => {
    const { code, stderr } = await run([...child('c', 'plain'), '--era', 'later'], await freshHome(t));
    assert.equal(code, 2);
    assert.match(stderr, /--era "later": give auto, legacy or modern/);
  });
});
