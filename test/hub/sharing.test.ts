/** Two clients at one time on one child, which was spawned or has dialled in: neither gets what is the other's. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { cleanup } from '../kit/cleanup.js';
import { dialProgram } from '../kit/dial.js';
import { child, childCommand, hubUrl } from '../kit/hub.js';
import { connectSdk, type SdkClient } from '../kit/sdk-client.js';
import { SDKS } from '../kit/sdks.js';
import { eventually } from '../kit/until.js';

const SDK = SDKS['SDK 1.32'];

/** The address of a hub with the child `c`. */
const SHARED: Readonly<Record<string, (t: TestContext) => Promise<string>>> = {
  spawned: (t) => hubUrl(t, [...child('c', 'sdk1', SDK), '--eager']),
  'dialled-in': async (t) => {
    const url = await hubUrl(t, []);
    await dialProgram(t, url, 'c', childCommand('sdk1', SDK));
    return url;
  },
};

type Pair = readonly [one: SdkClient, two: SdkClient];

/** Both count the ids of their requests, which are their progress tokens, from 0 on. */
async function pair(t: TestContext, url: string): Promise<Pair> {
  const connect = async (): Promise<SdkClient> => {
    const client = await connectSdk('SDK 1.32', { url });
    cleanup(t, () => client.close());
    await eventually('the child is there', async () => (await client.tools()).includes('c.echo'));
    return client;
  };
  return [await connect(), await connect()];
}

async function state(client: SdkClient, key: string): Promise<unknown> {
  return JSON.parse(await client.call('c.state', key));
}

/** Begins a call that is never answered; what comes of it. */
async function slow(client: SdkClient, key: string, signal?: AbortSignal): Promise<{ outcome: Promise<string> }> {
  const outcome = client.call('c.slow', key, signal === undefined ? {} : { signal }).catch(String);
  await eventually('it has begun', async () => (await client.call('c.state', key)).includes('"begun":true'));
  return { outcome };
}

for (const [how, share] of Object.entries(SHARED)) {
  describe(`two clients on one ${how} child`, () => {
    it('get each their own progress and answers, in the middle of the calls of the other', async (t) => {
      const both = await pair(t, await share(t));
      const heard: number[][] = [[], []];
      const done = both.map((client, at) =>
        client.call('c.steps', `${at}`, { onprogress: ({ progress }) => void heard[at]?.push(progress) }),
      );
      await eventually('both have heard all', () => heard.every(({ length }) => length === 3));
      const nonces = Array.from({ length: 50 }, (_, index) => index);
      const echoes = both.map((client, at) =>
        Promise.all(nonces.map((nonce) => client.call('c.echo', `${at}/${nonce}`))),
      );
      assert.deepEqual(
        await Promise.all(echoes),
        both.map((_, at) => nonces.map((nonce) => `${at}/${nonce}`)),
      );
      await both[0].call('c.release', '1');
      assert.equal(await done[1], 'done');
      assert.deepEqual(await state(both[1], '0'), { begun: false, cancelled: false });
      await both[1].call('c.release', '0');
      assert.equal(await done[0], 'done');
      const all = [1, 2, 3];
      assert.deepEqual(heard, [all, all]);
      for (const { errors, questions, logs } of both) assert.deepEqual([errors, questions, logs], [[], [], []]);
    });

    it('get each their own log messages and questions', async (t) => {
      const [one, two] = await pair(t, await share(t));
      for (let round = 0; round < 5; round += 1) {
        assert.equal(await one.call('c.say', `one ${round}`), 'said');
        assert.equal(await two.call('c.ask', `two ${round}?`), 'accept');
        assert.equal(await two.call('c.say', `two ${round}`), 'said');
        assert.equal(await one.call('c.ask', `one ${round}?`), 'accept');
      }
      const rounds = [0, 1, 2, 3, 4];
      for (const [name, { logs, questions, errors }] of Object.entries({ one, two })) {
        assert.deepEqual(
          logs,
          rounds.map((round) => `${name} ${round}`),
        );
        assert.deepEqual(
          questions,
          rounds.map((round) => `c: ${name} ${round}?`),
        );
        assert.deepEqual(errors, []);
      }
    });

    it('cancel each their own call', async (t) => {
      const [one, two] = await pair(t, await share(t));
      const stop = new AbortController();
      const { outcome: stopped } = await slow(one, 'one', stop.signal);
      let isOver = false;
      const { outcome } = await slow(two, 'two');
      const other = outcome.finally(() => {
        isOver = true;
      });
      stop.abort();
      await stopped;
      await eventually('the child knows', async () => (await one.call('c.state', 'one')).includes('"cancelled":true'));
      assert.deepEqual(await state(one, 'two'), { begun: true, cancelled: false });
      assert.ok(!isOver);
      await two.close();
      await other;
    });

    it('of which one vanishes have its call cancelled, and not that of the other', async (t) => {
      const [one, two] = await pair(t, await share(t));
      const { outcome: vanished } = await slow(one, 'one');
      const heard: number[] = [];
      const done = two.call('c.steps', 'two', { onprogress: ({ progress }) => void heard.push(progress) });
      await eventually('it has begun', () => heard.length === 3);
      await one.close();
      await vanished;
      const isCancelled = async (): Promise<boolean> => (await two.call('c.state', 'one')).includes('"cancelled":true');
      await eventually('the child knows', isCancelled, 20_000);
      await two.call('c.release', 'two');
      assert.equal(await done, 'done');
    });
  });
}
