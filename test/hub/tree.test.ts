/** Hubs behind hubs: real processes, each with a home of its own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it, type TestContext } from 'node:test';
import { nameHash } from '../../hub/names.js';
import { cleanup } from '../kit/cleanup.js';
import { freshHome } from '../kit/home.js';
import { child, HubProcess, PROGRAM, ROOT, run } from '../kit/hub.js';
import type { LeanClient } from '../kit/lean.js';
import type { Environment } from '../kit/processes.js';
import { reachable } from '../kit/reachable.js';
import { eventually } from '../kit/until.js';
import { freePort } from '../kit/wire.js';

/** A hub without standard streams, and what it says. */
class Behind {
  stderr = '';
  readonly kill: () => void;

  constructor(t: TestContext, args: readonly string[], env: Environment) {
    const hub = spawn(process.execPath, [PROGRAM, ...args], { env, cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
    hub.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.kill = () => hub.kill('SIGKILL');
    cleanup(t, this.kill);
  }
}

const lists = async (client: LeanClient, tool: string): Promise<void> => {
  await eventually(`${tool} is listed`, async () => (await client.toolNames()).includes(tool), 20_000);
};

/** A client's hub, behind it `b`, and behind that a child `c`. */
async function tree(
  t: TestContext,
  more: readonly string[] = [],
  capabilities = {},
): Promise<{ hub: HubProcess; b: Behind; url: string }> {
  const env = await freshHome(t);
  const url = (await run(['--print-url'], env)).stdout.trim();
  const hub = await HubProcess.start(t, [], env);
  await hub.client.greet(capabilities);
  const b = new Behind(t, ['--connect', `${url}b`, ...child('c', 'plain'), ...more], await freshHome(t));
  await lists(hub.client, 'b.c.echo');
  return { hub, b, url };
}

/** An answer that asks. */
interface Asked {
  readonly inputRequests: Readonly<Record<string, { readonly params: { readonly message: string } }>>;
  readonly requestState: string;
}

describe('a hub behind a hub', () => {
  it('shows its tools under its own alias, and is called by any form of their names', async (t) => {
    const { hub } = await tree(t);
    for (const name of ['b.c.echo', 'b__c__echo', 'b.c__echo'])
      assert.equal((await hub.client.call(name, { name })).text, JSON.stringify({ name }));
    assert.match((await hub.client.call('b.d.echo')).error?.message ?? '', /no server has "d\.echo"/);
  });

  it('has names that clients take which refuse dots, and each can be called', async (t) => {
    const { hub } = await tree(t, child('d', 'plain', '--tool', 'x.y'));
    await hub.close();
    const next = await HubProcess.start(t, [], hub.env);
    await next.client.greet({}, 'claude-ai');
    await lists(next.client, 'b__c__echo');
    const names = await next.client.toolNames();
    for (const name of names) assert.match(name, /^b__[cd]_[\w-]{1,58}$/);
    assert.ok(names.includes('b__d__echo'));
    const odd = names.find((name) => name.startsWith('b__d_x_y_')) ?? '';
    assert.equal((await next.client.call(odd)).text, 'this is x.y');
    assert.equal((await next.client.call('b__d__echo', { a: 1 })).text, '{"a":1}');
  });

  it('is not asked for what is denied, by whatever name', async (t) => {
    const port = await freePort();
    const token = 'a-token-of-the-other-hub';
    const behind = ['--bind', `127.0.0.1:${port}`, '--token', token, ...child('c', 'plain')];
    new Behind(t, behind, await freshHome(t));
    const far = ['far', `http://127.0.0.1:${port}/${token}/`, '--deny', 'c.pid'];
    const hub = await HubProcess.greeted(t, far);
    // Before anything was listed, too.
    assert.match((await hub.client.call('far.c__pid')).error?.message ?? '', /no server has/);
    await lists(hub.client, 'far.c.echo');
    const hashed = `far.c_${nameHash('c', 'pid')}`;
    for (const name of ['far.c.pid', 'far__c.pid', 'far.c__pid', 'far__c__pid', hashed])
      assert.match((await hub.client.call(name)).error?.message ?? '', /no server has/, name);
    assert.equal((await hub.client.call('far.c.echo', { a: 1 })).text, '{"a":1}');
  });

  it('passes progress, under the token of the client', async (t) => {
    const { hub } = await tree(t);
    const { text } = await hub.client.call('b.c.progress', { steps: 3 }, { _meta: { progressToken: 'mine' } });
    assert.equal(text, 'done');
    const progress = hub.client.notifications.filter(({ method }) => method === 'notifications/progress');
    assert.deepEqual(
      progress.map(({ params }) => params),
      [1, 2, 3].map((step) => ({ progressToken: 'mine', progress: step, total: 3 })),
    );
  });

  it('passes cancellation to the child, and none to another', async (t) => {
    const { hub } = await tree(t);
    hub.client.send({ id: 0, method: 'tools/call', params: { name: 'b.c.slow' } });
    const other = hub.client.call('b.c.hold', {}, {}, '0');
    hub.client.send({ method: 'notifications/cancelled', params: { requestId: 0, reason: 'the user stopped it' } });
    await eventually('it is cancelled', async () => {
      return (await hub.client.call('b.c.cancelled')).text === '["the user stopped it"]';
    });
    await hub.client.call('b.c.release');
    assert.equal((await other).text, 'held');
  });

  it('passes a question to the person with the way it came, and the answer back', async (t) => {
    const { hub } = await tree(t, [], { elicitation: { form: {} } });
    const asked: unknown[] = [];
    hub.client.answers.set('elicitation/create', ({ message }) => {
      asked.push(message);
      return { action: 'accept', content: { name: '\u00dc' } };
    });
    const { text } = await hub.client.call('b.c.ask', { message: 'Who?', requestedSchema: { type: 'object' } });
    assert.deepEqual(JSON.parse(text), { action: 'accept', content: { name: '\u00dc' } });
    assert.deepEqual(asked, ['b: c: Who?']);
  });

  it('passes calls of a client without sessions as they came, to children of either era', async (t) => {
    const env = await freshHome(t);
    const url = (await run(['--print-url'], env)).stdout.trim();
    const { client } = await HubProcess.start(t, [], env);
    const key = 'io.modelcontextprotocol';
    const _meta = {
      [`${key}/protocolVersion`]: '2026-07-28',
      [`${key}/clientInfo`]: { name: 'without sessions', version: '1' },
      [`${key}/clientCapabilities`]: { elicitation: { form: {} } },
    };
    const ask = async <T>(method: string, params: object): Promise<T> =>
      (await client.request(method, { ...params, _meta }))['result'] as T;
    new Behind(t, ['--connect', `${url}b`, ...child('c', 'plain'), ...child('m', 'modern')], await freshHome(t));
    const all = async (): Promise<string> => JSON.stringify(await ask('tools/list', {}));
    await eventually('both are there', async () => {
      const text = await all();
      return text.includes('"b.c.ask"') && text.includes('"b.m.ask"');
    });

    const who = await ask<{ content: { text: string }[] }>('tools/call', { name: 'b.m.who', arguments: {} });
    assert.deepEqual(JSON.parse(who.content[0]?.text ?? ''), _meta);
    for (const name of ['b.c.ask', 'b.m.ask']) {
      const call = { name, arguments: { message: 'Who?', requestedSchema: { type: 'object' } } };
      const { inputRequests, requestState } = await ask<Asked>('tools/call', call);
      const [[answered, question] = ['', undefined]] = Object.entries(inputRequests);
      assert.equal(question?.params.message, name.replace('.', ': ').replace('.ask', ': Who?'));
      const inputResponses = { [answered]: { action: 'accept', content: { name: 'it was asked' } } };
      const done = await ask('tools/call', { ...call, requestState, inputResponses });
      assert.match(JSON.stringify(done), /it was asked/);
    }
  });

  it('passes an error of a child as it is, however many hubs it comes through', async (t) => {
    const { hub } = await tree(t);
    const { error } = await hub.client.call('b.c.fail', { code: -32050, message: 'no', data: { why: [1] } });
    assert.deepEqual(error, { code: -32050, message: 'no', data: { why: [1] } });
  });

  it('tells of new tools, and comes back by itself when it is started anew or its hub is', async (t) => {
    const { hub, b, url } = await tree(t);
    await hub.client.call('b.c.add', { name: 'fresh' });
    await lists(hub.client, 'b.c.fresh');
    b.kill();
    await eventually('it is away', async () => (await hub.client.toolNames()).length === 0);
    assert.match((await hub.client.call('b.c.echo')).error?.message ?? '', /b is not connected/);
    const env: Environment = { ...(await freshHome(t)), MCP_MULTIBROKER_CONNECT: `${url}b` };
    const again = new Behind(t, child('d', 'plain'), env);
    await lists(hub.client, 'b.d.echo');
    await hub.close();
    const next = await HubProcess.greeted(t, [], hub.env);
    await lists(next.client, 'b.d.echo');
    assert.ok(!again.stderr.includes(new URL(url).pathname.split('/')[1] ?? ''), again.stderr);
  });
});

describe('hubs that would be behind themselves', () => {
  it('are refused where a hub dials itself', async (t) => {
    const env = await freshHome(t);
    const url = (await run(['--print-url'], env)).stdout.trim();
    const hub = await HubProcess.greeted(t, ['--connect', `${url}me`, ...child('c', 'plain')], env);
    await eventually('it says so', () => /warning: me dialled in, but me: these hubs would be a loop/.test(hub.stderr));
    assert.ok((await hub.client.toolNames()).every((name) => name.startsWith('c.')));
  });

  for (const option of ['--eager', '--per-client']) {
    it(`are refused where one is behind the other by its URL, and dials it (${option})`, async (t) => {
      const { hub, url } = await reachable(t);
      const env = await freshHome(t);
      const b = new Behind(t, ['--connect', `${url}b`, 'a', url, option, ...child('c', 'plain')], env);
      await eventually(
        'it says so',
        () => b.stderr.includes('would be a loop') || hub.stderr.includes('would be a loop'),
        20_000,
      );
      // Which of the two connections stands is up to who was first.
      assert.ok((await hub.client.toolNames()).every((name) => name.startsWith('b.c.')));
    });
  }

  it('are refused where the last of three closes the circle', async (t) => {
    const homes = [await freshHome(t), await freshHome(t), await freshHome(t)];
    const urls = await Promise.all(homes.map(async (env) => (await run(['--print-url'], env)).stdout.trim()));
    const args = homes.map((_, index) => ['--connect', `${urls[(index + 1) % 3]}h${index}`, ...child('c', 'plain')]);
    const [first = [], second = [], third = []] = args;
    const hub = await HubProcess.greeted(t, first, homes[0]);
    const others = [new Behind(t, second, homes[1] as Environment), new Behind(t, third, homes[2] as Environment)];
    const all = [hub, ...others];
    await eventually('one says so', () => all.some(({ stderr }) => stderr.includes('would be a loop')), 20_000);
    assert.ok((await hub.client.toolNames()).every((name) => name.split('.').length <= 4));
    assert.equal((await hub.client.call('c.echo', { a: 1 })).text, '{"a":1}');
  });
});
