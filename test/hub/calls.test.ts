/** Calls through the hub to real processes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshHome } from '../kit/home.js';
import { child, HubProcess } from '../kit/hub.js';
import type { Environment } from '../kit/processes.js';

describe('calls', () => {
  it('with ids that collide come back each with its own answer', async (t) => {
    const { client } = await HubProcess.greeted(t, [...child('a', 'plain'), ...child('b', 'plain')]);
    await client.toolNames();
    for (let round = 0; round < 20; round += 1) {
      const ids = [0, 1, '1', '0', '', 2 ** 53 - 1, `x${round}`];
      const outcomes = await Promise.all(
        ids.map((id, index) =>
          client.call(index % 2 === 0 ? 'a.echo' : 'b.echo', { nonce: `${round}/${index}` }, {}, id),
        ),
      );
      assert.deepEqual(
        outcomes.map(({ text, message }) => [text, message['id']]),
        ids.map((id, index) => [`{"nonce":"${round}/${index}"}`, id]),
      );
    }
  });

  it('of many at once are all answered, each once', async (t) => {
    const { client } = await HubProcess.greeted(t, [...child('a', 'plain'), ...child('b', 'plain')]);
    const nonces = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    const outcomes = await Promise.all(
      nonces.map((nonce, index) => client.call(index % 3 === 0 ? 'a.echo' : 'b.echo', { nonce })),
    );
    assert.deepEqual(
      outcomes.map(({ text }) => text),
      nonces.map((nonce) => JSON.stringify({ nonce })),
    );
  });

  it('tolerate what a child prints that is no message, and say it once', async (t) => {
    const hub = await HubProcess.greeted(t, [...child('c', 'plain', '--junk'), '--eager']);
    assert.equal((await hub.client.call('c.echo', { nonce: 1 })).text, '{"nonce":1}');
    assert.equal((await hub.client.call('c.echo', { nonce: 2 })).text, '{"nonce":2}');
    await hub.close();
    assert.equal(hub.stderr.match(/c wrote something that is no message/g)?.length, 1);
  });

  it('take text whole that comes byte by byte', async (t) => {
    const { client } = await HubProcess.greeted(t, child('c', 'plain', '--bytewise'));
    const text = 'a\u00e9\u20ac\u{1f600}\u2028\u0000z';
    assert.equal((await client.call('c.echo', { text })).text, JSON.stringify({ text }));
  });

  it('take a large result whole, and send a large argument', async (t) => {
    const { client } = await HubProcess.greeted(t, child('c', 'plain'));
    const size = 10 * 1024 * 1024;
    const { text } = await client.call('c.big', { size });
    assert.ok(text === '\u{1f600}'.repeat(size / 4));
    const sent = 'x'.repeat(size);
    assert.ok((await client.call('c.echo', { sent })).text === JSON.stringify({ sent }));
  });

  it('reach the child as they are cancelled', async (t) => {
    const { client } = await HubProcess.greeted(t, child('c', 'plain'));
    await client.call('c.pid');
    client.send({ id: 'slow', method: 'tools/call', params: { name: 'c.slow' } });
    client.send({ method: 'notifications/cancelled', params: { requestId: 'slow', reason: 'the user stopped it' } });
    assert.equal((await client.call('c.cancelled')).text, '["the user stopped it"]');
  });

  it('are cancelled too while their child starts', async (t) => {
    const { client } = await HubProcess.greeted(t, child('c', 'plain'));
    client.send({ id: 'slow', method: 'tools/call', params: { name: 'c.slow' } });
    client.send({ method: 'notifications/cancelled', params: { requestId: 'slow' } });
    assert.equal((await client.call('c.cancelled')).text, '[]');
  });

  it('show their progress under the token of the client', async (t) => {
    const { client } = await HubProcess.greeted(t, child('c', 'plain'));
    const { text } = await client.call('c.progress', { steps: 3 }, { _meta: { progressToken: 'mine' } });
    assert.equal(text, 'done');
    const progress = client.notifications.filter(({ method }) => method === 'notifications/progress');
    assert.deepEqual(
      progress.map(({ params }) => params),
      [1, 2, 3].map((step) => ({ progressToken: 'mine', progress: step, total: 3 })),
    );
  });

  it('run in an environment that holds listed variables only, and what was added', async (t) => {
    const env: Environment = { ...(await freshHome(t)), API_KEY: 'of the person', NODE_OPTIONS: '--no-warnings' };
    const { client } = await HubProcess.greeted(
      t,
      [...child('c', 'plain'), '--env', 'MINE=yes = a b ', '--cwd', '/'],
      env,
    );
    const seen = JSON.parse((await client.call('c.env')).text) as Record<string, string>;
    assert.equal(seen['MINE'], 'yes = a b ');
    assert.equal(seen['HOME'], env['HOME']);
    assert.equal(seen['MCP_MULTIBROKER_PROTOCOL'], 'stdio');
    assert.deepEqual([seen['API_KEY'], seen['NODE_OPTIONS']], [undefined, undefined]);
  });
});

describe('a question of a child', () => {
  for (const answer of [
    { action: 'accept', content: { name: '\u00dc' } },
    { action: 'decline' },
    { action: 'cancel' },
  ]) {
    it(`reaches the person under its alias, who may ${answer.action}`, async (t) => {
      const hub = await HubProcess.start(t, child('c', 'plain'));
      await hub.client.greet({ elicitation: { form: {} } });
      const asked: unknown[] = [];
      hub.client.answers.set('elicitation/create', (params) => {
        asked.push(params);
        return answer;
      });
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      const { text } = await hub.client.call('c.ask', { message: 'Who?', requestedSchema, novel: 1 });
      assert.deepEqual(JSON.parse(text), answer);
      assert.deepEqual(asked, [{ message: 'c: Who?', requestedSchema, novel: 1 }]);
    });
  }

  it('that wants a model, or the roots, reaches the client as it is', async (t) => {
    const hub = await HubProcess.start(t, child('c', 'plain'));
    await hub.client.greet({ sampling: {}, roots: {} });
    const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'yes' } };
    hub.client.answers.set('sampling/createMessage', ({ messages }) => ({ ...sampled, messages }));
    hub.client.answers.set('roots/list', () => ({ roots: [{ uri: 'file:///w', name: 'w' }] }));
    const sample = JSON.parse((await hub.client.call('c.sample', { messages: [1], maxTokens: 5 })).text) as unknown;
    assert.deepEqual(sample, { ...sampled, messages: [1] });
    assert.deepEqual(JSON.parse((await hub.client.call('c.roots')).text), { roots: [{ uri: 'file:///w', name: 'w' }] });
  });

  it('that the client cannot answer fails, and the call goes on', async (t) => {
    const { client } = await HubProcess.greeted(t, child('c', 'plain'));
    const { text } = await client.call('c.ask', { message: 'Who?' });
    assert.equal((JSON.parse(text) as { code: number }).code, -32601);
  });
});
