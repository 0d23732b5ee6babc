/** Children that dial a running hub. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { cleanup } from '../kit/cleanup.js';
import { dialLine, dialSocket, introduce } from '../kit/dial.js';
import type { End } from '../kit/end.js';
import { freshHome } from '../kit/home.js';
import { child, HubProcess, run } from '../kit/hub.js';
import { tool } from '../kit/inside.js';
import { reachable } from '../kit/reachable.js';
import { eventually, soon } from '../kit/until.js';
import { listens } from '../kit/wire.js';

const LIST_CHANGED = 'notifications/tools/list_changed';

/** Answers all that a hub asks of a child, until the connection ends or nothing more comes. */
async function serve(child: End): Promise<'ended' | 'silent'> {
  const results: Record<string, unknown> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'rival' } },
    'tools/list': { tools: [tool('rival')] },
  };
  try {
    for (;;) {
      const { id, method } = await child.next();
      if (id !== undefined) child.send({ id, result: results[String(method)] ?? {} });
    }
  } catch (error) {
    return String(error).includes('ended') ? 'ended' : 'silent';
  }
}

describe('the address that a hub prints', () => {
  it('is the one at which it will listen, and needs no running hub', async (t) => {
    const env = await freshHome(t);
    const { code, stdout, stderr } = await run(['--print-url'], env);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^http:\/\/127\.0\.0\.1:\d{5}\/[\w-]{32}\/\n$/);
    assert.equal((await run(['--print-url'], env)).stdout, stdout);
    const hub = await HubProcess.greeted(t, [], env);
    await eventually('it listens', () => listens(Number(new URL(stdout).port)));
    await introduce(await dialLine(t, stdout.trim(), 'vim'), [tool('x')]);
    await hub.client.notification(LIST_CHANGED);
    assert.deepEqual(await hub.client.toolNames(), ['vim.x']);
  });

  it('follows the name, the address and the token that are given', async (t) => {
    const env = await freshHome(t);
    const print = async (...args: string[]): Promise<string> =>
      (await run(['--print-url', ...args], env)).stdout.trim();
    assert.notEqual(await print('--name', 'a'), await print('--name', 'b'));
    assert.equal(
      await print('--bind', '[::1]:81', '--token', 'token-number-one', '--token', 'token-number-two'),
      'http://[::1]:81/token-number-one/',
    );
  });
});

describe('a child that dials in', () => {
  for (const [how, dial] of [
    ['by a raw line', dialLine],
    ['over a WebSocket', dialSocket],
  ] as const) {
    it(`${how} serves calls, leaves when it drops, and may return`, async (t) => {
      const { hub, url } = await reachable(t);
      const { client } = hub;
      const first = await dial(t, url, 'vim');
      await introduce(first, [tool('x')]);
      await client.notification(LIST_CHANGED);
      assert.deepEqual(await client.toolNames(), ['vim.x']);
      const call = client.call('vim.x', { text: '\u{1f600}' });
      const { id } = await first.next({
        method: 'tools/call',
        params: { name: 'x', arguments: { text: '\u{1f600}' } },
      });
      first.send({ id, result: { content: [{ type: 'text', text: 'served' }] } });
      assert.equal((await call).text, 'served');

      const open = client.call('vim.x');
      await first.next({ method: 'tools/call' });
      const seen = client.notifications.length;
      first.close();
      assert.match((await open).error?.message ?? '', /^vim closed the connection/);
      await client.notification(LIST_CHANGED, '', seen);
      assert.deepEqual(await client.toolNames(), []);
      assert.match((await client.call('vim.x')).error?.message ?? '', /vim is not connected/);

      const again = client.notifications.length;
      await introduce(await dial(t, url, 'vim'), [tool('y')]);
      await client.notification(LIST_CHANGED, '', again);
      assert.deepEqual(await client.toolNames(), ['vim.y']);
    });

    it(`${how} cannot harm the hub by what it sends`, async (t) => {
      const { hub, url } = await reachable(t);
      const bad = await dial(t, url, 'bad');
      await introduce(bad, [tool('x')]);
      await hub.client.notification(LIST_CHANGED);
      bad.sendText(
        '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progressToken":2}}',
      );
      bad.sendText('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{},"requestId":[]}}');
      bad.sendText('{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}');
      bad.sendText('{"jsonrpc":"2.0","id":null,"error":null}');
      bad.sendText('null');
      bad.send({ method: 'tools/list', id: 'not for you' });
      const { result } = await hub.client.request('ping');
      assert.deepEqual(result, {});
      await introduce(await dial(t, url, 'good'), [tool('x')]);
      await eventually('it is listed', async () => (await hub.client.toolNames()).includes('good.x'));
    });
  }

  it('with a wrong token is ended', async (t) => {
    const { hub, url } = await reachable(t);
    const wrong = await dialLine(t, url, 'vim', 'not-the-token');
    await wrong.ended();
    const socket = new WebSocket(url.replace('http:', 'ws:').replace(/\/[\w-]{32}\//, '/not-the-token/vim'));
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    assert.equal(response.statusCode, 401);
    assert.match((await hub.client.call('vim.x')).error?.message ?? '', /no server has/);
  });

  it('under an alias that is taken is refused', async (t) => {
    const { hub, url } = await reachable(t, ...child('taken', 'plain'), '--eager');
    await (await dialLine(t, url, 'taken')).ended();
    const first = await dialLine(t, url, 'vim');
    await introduce(first, [tool('x')]);
    await hub.client.notification(LIST_CHANGED);
    const second = await dialLine(t, url, 'vim');
    const { id } = await first.next({ method: 'ping' });
    first.send({ id, result: {} });
    await second.ended();
    assert.equal((await hub.client.call('taken.echo', { a: 1 })).text, '{"a":1}');
  });

  it('as several under one alias in place of one that hangs leaves no connection without a master', async (t) => {
    const { hub, url } = await reachable(t);
    const hanging = await dialLine(t, url, 'vim');
    await introduce(hanging, [tool('x')]);
    await hub.client.notification(LIST_CHANGED);
    const rivals = [await dialLine(t, url, 'vim'), await dialLine(t, url, 'vim')];
    const served = rivals.map(serve);
    await hanging.ended();
    assert.equal(await Promise.race(served), 'ended');
    await eventually('the other is listed', async () => (await hub.client.toolNames()).includes('vim.rival'));
  });

  it('by any of the tokens that were given is taken', async (t) => {
    const { hub, url } = await reachable(t, '--token', 'the-first-token-of-two', '--token', 'the-second-token-of-two');
    await introduce(await dialLine(t, url, 'a', 'the-second-token-of-two'), [tool('x')]);
    await introduce(await dialLine(t, url, 'b', 'the-first-token-of-two'), [tool('x')]);
    await eventually('both are listed', async () => (await hub.client.toolNames()).length === 2);
  });
});

describe('a hub whose port is taken', () => {
  it('still serves its client when nobody said where to listen', async (t) => {
    const { hub } = await reachable(t);
    const second = await HubProcess.greeted(t, child('c', 'plain'), hub.env);
    assert.equal((await second.client.call('c.echo', { a: 1 })).text, '{"a":1}');
    await second.close();
    assert.match(second.stderr, /children cannot dial in here: .* is in use/);
  });

  it('says so and ends when it was told to listen there', async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    cleanup(t, () => server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const bound = ['--bind', `127.0.0.1:${port}`];
    const hub = await HubProcess.start(t, [...bound, ...child('c', 'plain'), '--eager']);
    assert.deepEqual(await soon('end', hub.exited), { code: 1, signal: null });
    assert.match(hub.stderr, new RegExp(`error: 127\\.0\\.0\\.1:${port} is in use`));
    const alone = await run(bound, await freshHome(t));
    assert.equal(alone.code, 1);
  });
});
