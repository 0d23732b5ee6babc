/** How long children live and calls may take, as the person configured it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { child, HubProcess, ROOT } from '../kit/hub.js';
import { isAlive } from '../kit/processes.js';
import { eventually } from '../kit/until.js';

const server = join(ROOT, 'node_modules/.bin/mcp-server-everything');

describe('an idle child', () => {
  it('is stopped, stays listed, says nothing of it to the client, and is started again by its next call', async (t) => {
    const { client } = await HubProcess.greeted(t, [...child('c', 'plain'), '--idle', '0.2']);
    const names = await client.toolNames();
    const first = Number((await client.call('c.pid')).text);
    await eventually('it is gone', () => !isAlive(first));
    const from = client.notifications.length;
    assert.deepEqual(await client.toolNames(), names);
    const second = Number((await client.call('c.pid')).text);
    assert.notEqual(second, first);
    assert.deepEqual(client.notifications.slice(from), []);
    await eventually('it is gone again', () => !isAlive(second));
  });

  it('is not one with an open call, nor one that is not to be stopped', async (t) => {
    const { client } = await HubProcess.greeted(t, [
      ...[...child('busy', 'plain'), '--idle', '0.2'],
      ...[...child('idle', 'plain'), '--idle', '0.2'],
      ...child('kept', 'plain'),
    ]);
    const kept = Number((await client.call('kept.pid')).text);
    const busy = Number((await client.call('busy.pid')).text);
    client.send({ id: 'slow', method: 'tools/call', params: { name: 'busy.slow' } });
    for (let round = 0; round < 3; round += 1) {
      const idle = Number((await client.call('idle.pid')).text);
      await eventually('the idle one is gone', () => !isAlive(idle));
    }
    assert.ok(isAlive(busy) && isAlive(kept));
    client.send({ method: 'notifications/cancelled', params: { requestId: 'slow' } });
    await eventually('the busy one is gone', () => !isAlive(busy));
  });
});

describe('a required child', () => {
  it('that cannot be started with the hub ends it with what is wrong', async (t) => {
    const hub = await HubProcess.start(t, ['bad', '---', 'no-such-program-here', '---', '--eager', '--required']);
    assert.deepEqual(await hub.exited, { code: 1, signal: null });
    assert.match(
      hub.stderr,
      /error: bad is required, but bad cannot be started: .*there is no program "no-such-program-here" on its PATH/,
    );
  });

  it('that cannot be started when it is needed first ends the hub, too', async (t) => {
    const bad = child('bad', 'plain', '--say', 'no licence found', '--exit', '4');
    const hub = await HubProcess.greeted(t, [...child('good', 'plain'), ...bad, '--required']);
    assert.equal((await hub.client.call('good.echo', { a: 1 })).text, '{"a":1}');
    const call = hub.client.call('bad.echo').catch(() => undefined);
    assert.deepEqual(await hub.exited, { code: 1, signal: null });
    assert.match(hub.stderr, /error: bad is required, but bad exited with code 4 \(it said last: no licence found\)/);
    assert.equal((await call)?.error?.code, 4410);
  });

  it('that fails later is started again', async (t) => {
    const { client } = await HubProcess.greeted(t, [...child('c', 'plain'), '--required']);
    const first = (await client.call('c.pid')).text;
    assert.match((await client.call('c.die')).error?.message ?? '', /c exited with code 3/);
    assert.notEqual((await client.call('c.pid')).text, first);
  });
});

describe('a call that takes longer than its child may', () => {
  it('fails and is cancelled, and the next one is answered', async (t) => {
    const { client } = await HubProcess.greeted(t, [...child('c', 'plain'), '--timeout', '0.3']);
    const { error } = await client.call('c.slow');
    assert.equal(error?.code, 4408);
    assert.match(error?.message ?? '', /^c did not answer tools\/call within 0\.3 s/);
    assert.match((await client.call('c.cancelled')).text, /did not answer/);
  });

  it('goes on as long as there is progress', async (t) => {
    const { client } = await HubProcess.greeted(t, ['e', '---', process.execPath, server, '---', '--timeout', '1']);
    const work = { duration: 2, steps: 10 };
    const meta = { _meta: { progressToken: 'p' } };
    const [shown, silent] = await Promise.all([
      client.call('e.trigger-long-running-operation', work, meta),
      client.call('e.trigger-long-running-operation', work),
    ]);
    assert.match(shown.text, /completed/);
    assert.equal(silent.error?.code, 4408);
  });
});
