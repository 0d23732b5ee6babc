import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it, mock, type TestContext } from 'node:test';
import { Sessions } from '../../hub/sessions.js';
import { cleanup } from '../kit/cleanup.js';

const MINUTE = 60_000;

/** Sessions under a clock that the test moves. */
function sessions(t: TestContext): Sessions {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'] });
  const made = new Sessions();
  cleanup(t, () => {
    made.close();
    mock.timers.reset();
  });
  return made;
}

/** A response that takes everything and stays open, and what kind it was begun as. */
function response(accept = 'application/json, text/event-stream'): ServerResponse & { kind?: string } {
  const open = {
    req: { headers: { accept } },
    kind: undefined as string | undefined,
    writeHead: (_: number, headers: Record<string, string>) => {
      open.kind = headers['content-type'];
      return open;
    },
    flushHeaders: () => undefined,
    once: () => open,
    end: () => open,
    write: () => true,
  };
  return open as unknown as ServerResponse & { kind?: string };
}

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}';

describe('a session over HTTP', () => {
  it('ends when nothing was heard of its client for some minutes, and not before', (t) => {
    const all = sessions(t);
    const { id } = all.begin();
    mock.timers.tick(9 * MINUTE);
    assert.ok(all.get(id) !== undefined);
    mock.timers.tick(3 * MINUTE);
    assert.equal(all.get(id), undefined);
  });

  it('lasts as long as its client is heard now and then, or listens', (t) => {
    const all = sessions(t);
    const [spoken, listening] = [all.begin(), all.begin()];
    listening.listen(response());
    for (let times = 0; times < 10; times += 1) {
      mock.timers.tick(5 * MINUTE);
      spoken.post(Buffer.from('{"jsonrpc":"2.0","method":"x"}'), [], response());
    }
    assert.equal(all.get(spoken.id), spoken);
    assert.equal(all.get(listening.id), listening);
  });

  it('makes room for others when there are too many: the one that was idle longest, not one that is busy', (t) => {
    const all = sessions(t);
    const busy = all.begin();
    busy.listen(response());
    mock.timers.tick(1000);
    const idle = all.begin();
    mock.timers.tick(1000);
    const others = Array.from({ length: 255 }, () => all.begin());
    assert.equal(all.get(busy.id), busy);
    assert.equal(all.get(idle.id), undefined);
    assert.ok(others.every((each) => all.get(each.id) === each));
  });
});

describe('a response that is long in coming', () => {
  it('becomes a stream before anybody in between takes it for dead', (t) => {
    const session = sessions(t).begin();
    const slow = response();
    session.post(Buffer.from(CALL), [1], slow);
    assert.equal(slow.kind, undefined);
    mock.timers.tick(MINUTE / 2);
    assert.equal(slow.kind, 'text/event-stream');
  });

  it('is a stream at once where the client names that first', (t) => {
    const session = sessions(t).begin();
    const stream = response('text/event-stream, application/json');
    session.post(Buffer.from(CALL), [1], stream);
    assert.equal(stream.kind, 'text/event-stream');
  });
});
