import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import type { Call } from '../../shared/call.js';
import { Fault } from '../../shared/fault.js';
import type { Frame } from '../../shared/jsonrpc.js';
import { type Link, memoryLinks, streamLink } from '../../shared/link.js';
import { Peer, type PeerOptions } from '../../shared/peer.js';
import { End } from '../kit/end.js';
import { eventually, soon } from '../kit/until.js';

/** A peer and the raw other end of its link. It answers `ping`; other requests are kept for the test. */
class Pair {
  readonly peer: Peer;
  readonly far: End;
  readonly calls: Call[] = [];
  readonly notifications: Frame[] = [];
  readonly unreadable: string[] = [];
  readonly ended: Promise<Fault>;

  constructor([near, far]: readonly [Link, Link] = memoryLinks(['near', 'far']), options: PeerOptions = {}) {
    let end: (why: Fault) => void = () => undefined;
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.peer = new Peer(
      near,
      {
        request: (call) => {
          if (call.frame.method === 'ping') call.result({});
          else if (call.frame.method === 'throw') throw new Fault('denied', 'not you');
          else this.calls.push(call);
        },
        notification: (frame) => this.notifications.push(frame),
        unreadable: (fault, bytes) => {
          this.unreadable.push(bytes.toString());
          this.peer.refuse(fault);
        },
        end,
      },
      options,
    );
    this.peer.start();
    this.far = new End('far', far);
  }

  /** The calls that have arrived once all that was sent before has. */
  async call(index: number): Promise<Call> {
    await this.far.fence();
    const call = this.calls[index];
    assert.ok(call !== undefined);
    return call;
  }
}

function pipes(): readonly [Link, Link] {
  const [there, back] = [new PassThrough(), new PassThrough()];
  return [streamLink('far', back, there), streamLink('near', there, back)];
}

describe('a request', () => {
  it('is fulfilled with the result of its answer', async () => {
    const { peer, far } = new Pair();
    const answer = peer.request('sum', { of: [1, 2] });
    const { id } = await far.next({ jsonrpc: '2.0', method: 'sum', params: { of: [1, 2] } });
    far.send({ id, result: { is: 3 } });
    assert.deepEqual(await answer, { is: 3 });
  });

  it('fails with the error of its answer, under the name of who gave it', async () => {
    const { peer, far } = new Pair();
    const answer = peer.request('sum', {});
    const { id } = await far.next();
    far.send({ id, error: { code: -32601, message: 'cannot add' } });
    await assert.rejects(answer, { kind: 'unsupported', message: 'far: cannot add' });
  });

  it('is cancelled when there is no answer in time', async () => {
    const { peer, far } = new Pair();
    const answer = peer.request('slow', {}, { timeout: 20 });
    answer.catch(() => undefined);
    const { id } = await far.next({ method: 'slow' });
    await far.next({ method: 'notifications/cancelled', params: { requestId: id, reason: /within 0\.02 s/ } });
    await assert.rejects(answer, { kind: 'timeout', message: 'far did not answer slow within 0.02 s' });
  });

  it('is cancelled by its signal, with the reason', async () => {
    const { peer, far } = new Pair();
    const stop = new AbortController();
    const answer = peer.request('slow', {}, { signal: stop.signal });
    const { id } = await far.next({ method: 'slow' });
    stop.abort(new Fault('cancelled', 'the user stopped it'));
    await assert.rejects(answer, { kind: 'cancelled', message: 'the user stopped it' });
    await far.next({ method: 'notifications/cancelled', params: { requestId: id, reason: 'the user stopped it' } });
  });

  it('is not sent when its signal was aborted before', async () => {
    const { peer, far } = new Pair();
    await assert.rejects(peer.request('slow', {}, { signal: AbortSignal.abort(new Fault('cancelled', 'no')) }));
    await far.fence();
  });

  it('is not cancelled any more once it is answered', async () => {
    const { peer, far } = new Pair();
    const stop = new AbortController();
    const answer = peer.request('quick', {}, { signal: stop.signal, timeout: 60_000 });
    far.send({ id: (await far.next())['id'], result: {} });
    await answer;
    stop.abort();
    await far.fence();
  });

  it('fails with all others when the link ends, and later ones at once', async () => {
    const { peer, far, ended } = new Pair();
    const answers = [peer.request('a', {}), peer.request('b', {})];
    await far.next({ method: 'a' });
    far.close();
    for (const { status } of await Promise.allSettled(answers)) assert.equal(status, 'rejected');
    const why = await soon('end', ended);
    await assert.rejects(peer.request('c', {}), why);
  });

  it('never takes the late answer to another one that was given up', async () => {
    const { peer, far } = new Pair();
    const stop = new AbortController();
    const first = peer.request('first', {}, { signal: stop.signal });
    const { id } = await far.next();
    stop.abort();
    await assert.rejects(first, { kind: 'cancelled' });
    await far.next({ method: 'notifications/cancelled' });
    const second = peer.request('second', {});
    const { id: next } = await far.next({ method: 'second' });
    far.send({ id, result: { wrong: true } });
    far.send({ id: String(next), result: { wrong: true } });
    far.send({ id: null, result: { wrong: true } });
    far.send({ id: next, result: { right: true } });
    assert.deepEqual(await second, { right: true });
  });

  it('takes one answer only', async () => {
    const { peer, far } = new Pair();
    const answer = peer.request('sum', {});
    const { id } = await far.next();
    far.send({ id, result: 1 });
    far.send({ id, result: 2 });
    await far.fence();
    assert.equal(await answer, 1);
  });
});

describe('an incoming request', () => {
  it('is answered under its own id, byte for byte, and once', async () => {
    const pair = new Pair();
    for (const [index, id] of ['0', '""', '12345678901234567890123', '"\\u0031"'].entries()) {
      pair.far.sendText(`{"jsonrpc":"2.0","id":${id},"method":"work"}`);
      const call = await pair.call(index);
      assert.equal(call.frame.id.toString(), id);
      call.result({ index });
      call.fail(new Fault('bug', 'again'));
      await pair.far.next({ id: JSON.parse(id) as unknown, result: { index } });
    }
    await pair.far.fence();
  });

  it('is answered with the fault that its handler throws', async () => {
    const { far } = new Pair();
    far.send({ id: 1, method: 'throw' });
    await far.next({ id: 1, error: { message: 'not you', data: { kind: 'denied' } } });
  });

  it('is not answered once it was cancelled, and its signal tells why', async () => {
    const pair = new Pair();
    pair.far.send({ id: 'x', method: 'work' });
    const call = await pair.call(0);
    const signal = call.signal();
    pair.far.sendText(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\u0078","reason":"no"}}',
    );
    await pair.far.fence();
    assert.deepEqual([signal.aborted, String(signal.reason), call.open], [true, 'Fault: no', false]);
    call.result({});
    await pair.far.fence();
  });

  it('is cancelled when the link ends', async () => {
    const pair = new Pair();
    pair.far.send({ id: 1, method: 'work' });
    const signal = (await pair.call(0)).signal();
    pair.far.close();
    await soon('end', pair.ended);
    assert.equal(signal.aborted, true);
  });

  it('has an id that no other open one has', async () => {
    const pair = new Pair();
    pair.far.send({ id: 1, method: 'work' });
    pair.far.send({ id: 1, method: 'work' });
    await pair.far.next({ id: 1, error: { code: -32600 } });
    (await pair.call(0)).result({ first: true });
    await pair.far.next({ id: 1, result: { first: true } });
    assert.equal(pair.calls.length, 1);
  });
});

describe('a peer', () => {
  it('answers what it cannot read with the id null, and goes on', async () => {
    const pair = new Pair();
    pair.far.sendText('oops');
    await pair.far.next({ id: null, error: { code: -32700 } });
    assert.deepEqual(pair.unreadable, ['oops']);
    await pair.far.fence();
  });

  for (const method of ['notifications/cancelled', 'notifications/progress']) {
    it(`goes on after ${method} that names its request twice`, async () => {
      const pair = new Pair(pipes());
      const twice = '"requestId":1,"requestId":2,"progressToken":1,"progressToken":2';
      pair.far.sendText(`{"jsonrpc":"2.0","method":"${method}","params":{${twice}}}`);
      pair.far.send({ id: 'after', method: 'ping' });
      const first = await pair.far.next();
      // It may complain, as about anything that it cannot read.
      const answer = first['id'] === null ? await pair.far.next() : first;
      assert.equal(answer['id'], 'after');
    });
  }

  it('still answers what is open when the other side has said its last word', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const pair = new Pair([streamLink('far', input, output), memoryLinks()[0]], { lastAnswers: 5000 });
    input.end('{"jsonrpc":"2.0","id":1,"method":"a"}\n{"jsonrpc":"2.0","id":2,"method":"b"}\n');
    const lines = output.toArray();
    await soon('both calls', new Promise((resolve) => input.once('end', resolve)));
    pair.calls[1]?.result('two');
    pair.calls[0]?.result('one');
    await soon('end', pair.ended);
    const texts = (await lines).join('').trim().split('\n');
    assert.deepEqual(
      texts.map((text) => JSON.parse(text) as unknown),
      [
        { jsonrpc: '2.0', id: 2, result: 'two' },
        { jsonrpc: '2.0', id: 1, result: 'one' },
      ],
    );
  });

  it('does not wait for the answer to what is there to stay open', async () => {
    const input = new PassThrough();
    const pair = new Pair([streamLink('far', input, new PassThrough()), memoryLinks()[0]], { lastAnswers: 60_000 });
    input.write('{"jsonrpc":"2.0","id":1,"method":"a"}\n');
    const call = await eventually('the call', () => pair.calls[0]);
    call.isStanding = true;
    input.end();
    await soon('end', pair.ended);
    assert.equal(call.open, false);
  });

  it('waits for those answers no longer than it may', async () => {
    const input = new PassThrough();
    const pair = new Pair([streamLink('far', input, new PassThrough()), memoryLinks()[0]], { lastAnswers: 20 });
    // The time limit must not keep a process alive, so something else has to.
    const alive = setInterval(() => undefined, 1000);
    input.end('{"jsonrpc":"2.0","id":1,"method":"a"}\n');
    await soon('end', pair.ended);
    clearInterval(alive);
    assert.equal(pair.calls[0]?.open, false);
  });
});
