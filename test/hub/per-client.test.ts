/** A child that runs once for each client. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { cleanup } from '../kit/cleanup.js';
import { CLIENTS, connect, type Mode, WAYS_IN } from '../kit/eras.js';
import { folder } from '../kit/home.js';
import { child, HubProcess, ROOT } from '../kit/hub.js';
import { isAlive } from '../kit/processes.js';
import { eventually } from '../kit/until.js';

const TOKEN = 'a-token-for-tests-of-clients';
const LISTENING = ['--bind', '127.0.0.1:0', '--token', TOKEN];

const REVISION = '2026-07-28';

/** A client over HTTP, beside the one on the standard streams. */
interface Remote {
  readonly client: Client;
  readonly questions: string[];
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  /** Ends the session. */
  leave(): Promise<void>;
}

async function remote(t: TestContext, hub: HubProcess, name: string, mode: Mode = 'legacy'): Promise<Remote> {
  const port = await eventually('the hub listens', () => /listens on .*:(\d+)/.exec(hub.stderr)?.[1]);
  const client = new Client(
    { name, version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { name } };
  });
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/${TOKEN}/mcp`));
  cleanup(t, () => client.close());
  await client.connect(transport);
  return {
    client,
    questions,
    call: async (tool, args = {}) => {
      const { content } = await client.callTool({ name: tool, arguments: args });
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    },
    leave: () => transport.terminateSession(),
  };
}

const SCHEMA = { type: 'object', properties: { name: { type: 'string' } } };

describe('a child with --per-client', () => {
  it('has a process for each client, which ends with the session of the client', async (t) => {
    const hub = await HubProcess.greeted(t, [...LISTENING, ...child('c', 'plain'), '--per-client']);
    const [a, b] = [await remote(t, hub, 'a'), await remote(t, hub, 'b')];
    const own = Number((await hub.client.call('c.pid')).text);
    const [ofA, ofB] = (await Promise.all([a.call('c.pid'), b.call('c.pid')])).map(Number) as [number, number];
    assert.equal(new Set([own, ofA, ofB]).size, 3);
    assert.equal(Number(await a.call('c.pid')), ofA);
    await a.leave();
    await eventually('its process is gone', () => !isAlive(ofA));
    assert.equal(Number(await b.call('c.pid')), ofB);
    assert.equal(Number((await hub.client.call('c.pid')).text), own);
    await hub.close();
    assert.ok(!isAlive(own) && !isAlive(ofB));
  });

  it('asks its own client, also while others have calls open', async (t) => {
    const hub = await HubProcess.start(t, [...LISTENING, ...child('c', 'plain'), '--per-client']);
    await hub.client.greet({ elicitation: { form: {} } });
    hub.client.answers.set('elicitation/create', () => ({ action: 'decline' }));
    const [a, b] = [await remote(t, hub, 'a'), await remote(t, hub, 'b')];
    const held = [hub.client.call('c.hold'), a.call('c.hold'), b.call('c.hold')];
    const question = { message: 'Who?', requestedSchema: SCHEMA };
    const [ofA, ofB, own] = await Promise.all([
      a.call('c.ask', question),
      b.call('c.ask', question),
      hub.client.call('c.ask', question),
    ]);
    assert.deepEqual(JSON.parse(ofA), { action: 'accept', content: { name: 'a' } });
    assert.deepEqual(JSON.parse(ofB), { action: 'accept', content: { name: 'b' } });
    assert.deepEqual(JSON.parse(own.text), { action: 'decline' });
    assert.deepEqual([a.questions, b.questions], [['c: Who?'], ['c: Who?']]);
    await Promise.all([hub.client.call('c.release'), a.call('c.release'), b.call('c.release')]);
    await Promise.all(held);
  });

  it('is offered what its own client can do', async (t) => {
    const hub = await HubProcess.greeted(t, [...LISTENING, ...child('c', 'plain'), '--per-client']);
    const a = await remote(t, hub, 'a');
    assert.deepEqual(JSON.parse((await hub.client.call('c.client')).text), {});
    assert.deepEqual(JSON.parse(await a.call('c.client')), { elicitation: { form: {} } });
  });

  it('is listed as any of its processes, and from memory before there is one', async (t) => {
    const started = join(await folder(t), 'started');
    const one = [...child('c', 'plain', '--started', started), '--per-client'];
    const hub = await HubProcess.greeted(t, [...LISTENING, ...one]);
    assert.ok((await hub.client.toolNames()).includes('c.echo'));
    const a = await remote(t, hub, 'a');
    assert.ok((await a.client.listTools()).tools.some(({ name }) => name === 'c.echo'));
    assert.equal((await readFile(started, 'utf8')).trim().split('\n').length, 1);
    await a.call('c.add', { name: 'grown' });
    await eventually('all see it', async () => (await hub.client.toolNames()).includes('c.grown'));
    await hub.close();
    const again = await HubProcess.greeted(t, one, hub.env);
    assert.ok((await again.client.toolNames()).includes('c.grown'));
    assert.equal((await readFile(started, 'utf8')).trim().split('\n').length, 2);
  });

  it('starts with the session of its client where it is eager', async (t) => {
    const started = join(await folder(t), 'started');
    const one = [...child('c', 'plain', '--started', started), '--per-client', '--eager'];
    const hub = await HubProcess.greeted(t, [...LISTENING, ...one]);
    const count = async (): Promise<number> => (await readFile(started, 'utf8')).trim().split('\n').length;
    await eventually('that of the first', async () => (await count()) === 1);
    await remote(t, hub, 'a');
    await eventually('that of the second', async () => (await count()) === 2);
  });

  it('is shown, restarted and stopped with all its processes', async (t) => {
    const args = ['--status', ...LISTENING, ...child('c', 'plain'), '--per-client'];
    const hub = await HubProcess.greeted(t, args);
    const a = await remote(t, hub, 'a');
    const pids = [Number((await hub.client.call('c.pid')).text), Number(await a.call('c.pid'))];
    const shown = async (): Promise<{ state: string; pid?: number; client?: string }[]> =>
      (JSON.parse((await hub.client.call('hub.servers')).text) as { servers: { state: string }[] }).servers;
    const clients = await shown();
    assert.deepEqual(
      clients.map(({ pid }) => pid),
      pids,
    );
    assert.equal(new Set(clients.map(({ client }) => client)).size, 2);
    await hub.client.call('hub.restart', { server: 'c' });
    assert.ok(!pids.some(isAlive));
    assert.notEqual(Number(await a.call('c.pid')), pids[1]);
    await hub.client.call('hub.stop', { server: 'c' });
    await assert.rejects(a.call('c.pid'), /c was stopped by hub\.stop/);
    const b = await remote(t, hub, 'b');
    await assert.rejects(b.call('c.pid'), /c was stopped by hub\.stop/);
    await hub.client.call('hub.restart', { server: 'c' });
    assert.ok(Number(await b.call('c.pid')) > 0);
  });

  it('is one for all clients without a session over HTTP, and answers each of them', async (t) => {
    const hub = await HubProcess.greeted(t, [...LISTENING, '--status', ...child('c', 'plain'), '--per-client']);
    const own = Number((await hub.client.call('c.pid')).text);
    const [a, b] = [await remote(t, hub, 'a', { pin: REVISION }), await remote(t, hub, 'b', { pin: REVISION })];
    const shared = Number(await a.call('c.pid'));
    assert.notEqual(shared, own);
    assert.equal(Number(await b.call('c.pid')), shared);
    const question = { message: 'Who?', requestedSchema: SCHEMA };
    assert.deepEqual(JSON.parse(await a.call('c.ask', question)), { action: 'accept', content: { name: 'a' } });
    assert.deepEqual(JSON.parse(await b.call('c.ask', question)), { action: 'accept', content: { name: 'b' } });
    await a.client.close();
    assert.equal(Number(await b.call('c.pid')), shared);
    assert.match((await hub.client.call('hub.servers')).text, /"client":"all clients without a session"/);
    await hub.close();
    assert.ok(!isAlive(shared));
  });

  it('belongs to the connection of a client without a session on standard streams', async (t) => {
    const hub = await HubProcess.start(t, [...LISTENING, ...child('c', 'plain'), '--per-client']);
    const key = 'io.modelcontextprotocol';
    const can = (capabilities: object): { _meta: object } => ({
      _meta: { [`${key}/protocolVersion`]: REVISION, [`${key}/clientCapabilities`]: capabilities },
    });
    const pid = (await hub.client.call('c.pid', {}, can({ elicitation: {} }))).text;
    assert.equal((await hub.client.call('c.pid', {}, can({}))).text, pid);
    const a = await remote(t, hub, 'a', { pin: REVISION });
    assert.notEqual(await a.call('c.pid'), pid);
    assert.deepEqual(JSON.parse((await hub.client.call('c.client', {}, can({}))).text), { elicitation: {} });
    const { text } = await hub.client.call('c.ask', { message: 'Who?', requestedSchema: SCHEMA }, can({}));
    assert.deepEqual(JSON.parse(text), { action: 'decline' });
    await hub.close();
    assert.ok(!isAlive(Number(pid)));
  });

  it('keeps the resources that a client has subscribed to apart', async (t) => {
    const server = join(ROOT, 'node_modules/.bin/mcp-server-everything');
    const hub = await HubProcess.greeted(t, [
      ...LISTENING,
      ...['e', '---', process.execPath, server, '---'],
      '--per-client',
    ]);
    const a = await remote(t, hub, 'a');
    const { resources } = await a.client.listResources();
    const uri = resources[0]?.uri ?? '';
    await a.client.subscribeResource({ uri });
    await a.client.unsubscribeResource({ uri });
    const { result } = await hub.client.request('resources/read', { uri });
    assert.ok(JSON.stringify(result).includes(uri));
  });
});

describe('resources of a child with --per-client', () => {
  for (const [clientEra, mode] of CLIENTS) {
    it(`are heard of by a client ${clientEra}, by its own process`, async (t) => {
      const transport = WAYS_IN.get('standard streams');
      assert.ok(transport !== undefined);
      const args = [...child('c', 'modern'), '--per-client'];
      const { client, notices, text } = await connect(t, await transport(t, args), mode);
      await client.listTools();
      if (mode === 'legacy') await client.subscribeResource({ uri: 'note:///1' });
      else await client.listen({ resourceSubscriptions: ['note:///1'] });
      await eventually('it hears of a change', async () => {
        await text('c.touch', { uri: 'note:///1' });
        return notices.includes('note:///1');
      });
    });
  }
});
