/** Clients over HTTP that lose the stream on which they wait, and come back for the rest. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { cleanup } from '../kit/cleanup.js';
import { cuttable } from '../kit/cuttable.js';
import { child, hubUrl } from '../kit/hub.js';
import { connectSdk, type SdkClient } from '../kit/sdk-client.js';
import { SDKS } from '../kit/sdks.js';
import { eventually } from '../kit/until.js';

const CHILD = [...child('c', 'sdk1', SDKS['SDK 1.32']), '--eager'];

/** Wants a stream rather than a plain answer, and the other way about. */
const EVENTS = 'text/event-stream, application/json';
const PLAIN = 'application/json, text/event-stream';

/** An event as it came. */
interface Event {
  readonly id: string;
  readonly data: string;
}

/** A session by hand. */
class ByHand {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  private constructor(url: string, session: string) {
    this.#url = url;
    this.#headers = {
      'content-type': 'application/json',
      accept: EVENTS,
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
    };
  }

  static async begin(url: string): Promise<ByHand> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } };
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: PLAIN },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
    });
    await response.text();
    return new ByHand(url, response.headers.get('mcp-session-id') ?? '');
  }

  /** Calls a tool. */
  call(id: number, name: string, key: string, signal?: AbortSignal, accept = EVENTS): Promise<Response> {
    const params = { name, arguments: { key }, _meta: { progressToken: `token ${id}` } };
    return fetch(this.#url, {
      method: 'POST',
      headers: { ...this.#headers, accept },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Opens the stream for what belongs to no call. */
  listen(signal: AbortSignal): Promise<Response> {
    return fetch(this.#url, { headers: { ...this.#headers, accept: 'text/event-stream' }, signal });
  }

  /** Comes back for what followed an event. */
  after(event: string): Promise<Response> {
    return fetch(this.#url, { headers: { ...this.#headers, accept: 'text/event-stream', 'last-event-id': event } });
  }
}

/** The events of a response, until so many have come or it has ended; then it is left. */
async function eventsOf(response: Response, most = Number.POSITIVE_INFINITY): Promise<Event[]> {
  let text = '';
  const events = (): Event[] =>
    [...text.matchAll(/^id: (.*)\n(?:retry: .*\n)?(?:event: .*\n)?data: (.*)\n\n/gm)].map(([, id = '', data = '']) => ({
      id,
      data,
    }));
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (events().length >= most) break;
  }
  return events();
}

async function other(t: TestContext, url: string): Promise<SdkClient> {
  const client = await connectSdk('SDK 1.32', { url });
  cleanup(t, () => client.close());
  return client;
}

describe('a client that loses the stream of a call', () => {
  for (const [heard, missed] of [
    [0, [1, 2, 3]],
    [1, [2, 3]],
  ] as const) {
    it(`gets what it missed when it comes back, having heard of ${heard} steps`, async (t) => {
      const url = await hubUrl(t, CHILD);
      const [client, beside] = [await ByHand.begin(url), await other(t, url)];
      const events = await eventsOf(await client.call(1, 'c.steps', 'k'), heard + 1);
      assert.equal(events[0]?.data, '');
      assert.equal(await beside.call('c.release', 'k'), 'true');
      const rest = await eventsOf(await client.after(events[heard]?.id ?? ''));
      const messages = rest.map(({ data }) => JSON.parse(data) as { id?: number; params?: { progress: number } });
      assert.deepEqual(
        messages.map(({ id, params }) => params?.progress ?? `answer to ${id}`),
        [...missed, 'answer to 1'],
      );
    });
  }

  it('and does not come back has it cancelled', async (t) => {
    const url = await hubUrl(t, CHILD);
    const [client, beside] = [await ByHand.begin(url), await other(t, url)];
    await eventsOf(await client.call(1, 'c.slow', 'k'), 1);
    const cancelled = async (): Promise<boolean> => (await beside.call('c.state', 'k')).includes('"cancelled":true');
    await eventually('the child knows', cancelled, 20_000);
  });

  for (const [name, first] of [
    ['that for all else', 0],
    ['that of the call', 1],
  ] as const) {
    it(`and every other one has it cancelled, ${name} first`, async (t) => {
      const url = await hubUrl(t, CHILD);
      const [client, beside] = [await ByHand.begin(url), await other(t, url)];
      const state = (): Promise<string> => beside.call('c.state', 'k');
      const stops = [new AbortController(), new AbortController()] as const;
      await client.listen(stops[0].signal);
      const call = client.call(1, 'c.slow', 'k', stops[1].signal, PLAIN).catch(() => undefined);
      await eventually('it has begun', async () => (await state()).includes('"begun":true'));
      stops[first]?.abort();
      assert.doesNotMatch(await state(), /"cancelled":true/);
      stops[1 - first]?.abort();
      await call;
      await eventually('the child knows', async () => (await state()).includes('"cancelled":true'), 20_000);
    });
  }

  for (const event of ['99-0', '0-7', 'nonsense', '1-99999']) {
    it(`and comes back for what nobody knows, ${event}, is refused, and the session goes on`, async (t) => {
      const client = await ByHand.begin(await hubUrl(t, CHILD));
      assert.equal((await client.after(event)).status, 400);
      assert.match(await (await client.call(1, 'c.echo', 'still there')).text(), /still there/);
    });
  }
});

for (const sdk of ['SDK 1.32', 'SDK 2'] as const) {
  it(`a client on ${sdk} whose connections are cut in the middle of a call gets its answer, by one call`, async (t) => {
    const url = await hubUrl(t, CHILD);
    const between = await cuttable(t, url);
    const [client, beside] = [await connectSdk(sdk, { url: between.url }), await other(t, url)];
    cleanup(t, () => client.close());
    const steps: number[] = [];
    const done = client.call('c.steps', 'k', { onprogress: ({ progress }) => void steps.push(progress) });
    await eventually('it has heard something', () => steps.length === 3);
    between.cut();
    assert.equal(await beside.call('c.release', 'k'), 'true');
    assert.equal(await done, 'done');
    assert.deepEqual(steps, [1, 2, 3]);
    assert.equal(await client.call('c.echo', 'as before'), 'as before');
  });
}
