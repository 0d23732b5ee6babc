/** What has gone wrong between clients, hubs and servers elsewhere. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { child, HubProcess, hubUrl } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

describe('a cancellation', () => {
  for (const id of [0, 7, -1, 'seven', '0', '']) {
    it(`of the id ${JSON.stringify(id)} reaches the child through two hubs, and no answer comes`, async (t) => {
      const url = await hubUrl(t, child('c', 'plain'));
      const { client } = await HubProcess.greeted(t, ['far', url, '--eager']);
      const other = client.request('tools/call', { name: 'far.c.hold' }, typeof id === 'number' ? String(id) : 8);
      client.send({ id, method: 'tools/call', params: { name: 'far.c.slow' } });
      await eventually('it has begun', async () => (await client.call('far.c.begun')).text === '1');
      client.send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'enough' } });
      await eventually('the child knows', async () => (await client.call('far.c.cancelled')).text === '["enough"]');
      // An answer to what was cancelled would be one to nothing, which this client throws at.
      assert.equal((await client.call('far.c.release', {}, {}, id)).text, 'released');
      assert.match(JSON.stringify(await other), /held/);
    });
  }

  it('of what nobody has asked is ignored', async (t) => {
    const { client } = await HubProcess.greeted(t, child('c', 'plain'));
    for (const params of [{ requestId: 99 }, { requestId: 'never' }, { requestId: null }, {}]) {
      client.send({ method: 'notifications/cancelled', params });
    }
    assert.equal((await client.call('c.cancelled')).text, '[]');
  });
});

describe('a notification', () => {
  const early = [
    { method: 'notifications/roots/list_changed', params: { _meta: { novel: 1 } } },
    { method: 'notifications/cancelled', params: { requestId: 1, reason: 'early' } },
    { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
    { method: 'notifications/nobody/knows', params: { a: [1] } },
  ];

  it('with params before the greeting, or before its end, does no harm', async (t) => {
    const { client } = await HubProcess.start(t, [...child('c', 'plain'), '--eager']);
    for (const message of early) client.send(message);
    const clientInfo = { name: 'early', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const answer = await client.request('initialize', params);
    assert.equal((answer['result'] as { protocolVersion?: string }).protocolVersion, '2025-11-25');
    for (const message of early) client.send(message);
    assert.equal((await client.call('c.echo', { a: 1 })).text, '{"a":1}');
    client.send({ method: 'notifications/initialized', params: { _meta: {} } });
    for (const message of early) client.send(message);
    assert.equal((await client.call('c.echo', { a: 2 })).text, '{"a":2}');
  });
});
