/** What goes wrong at a server that is reached by a URL: streams that end early, and sessions that are lost. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import {
  answerJson,
  answerUsual,
  endEvents,
  type Posted,
  posted,
  SERVED,
  sendEvents,
  serveHttp,
} from '../kit/http-server.js';
import { HubProcess } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

const SESSION = 'mcp-session-id';

/** A server whose streams end before the answer, and what it was asked. */
interface Polled {
  readonly calls: Posted[];
  /** The ids of the events behind which its streams were taken up. */
  readonly takenUp: string[];
  readonly hub: HubProcess;
}

/** What is behind the so many-th place, given the id of the call. */
type Rest = (response: ServerResponse, turn: number, id: number) => void;

async function polled(t: TestContext, rest: Rest): Promise<Polled> {
  const calls: Posted[] = [];
  const takenUp: string[] = [];
  const url = await serveHttp(t, (request, response) => {
    const last = request.headers['last-event-id'];
    if (last === undefined) void posted(request).then((message) => begin(response, message, calls));
    else {
      takenUp.push(String(last));
      rest(response, takenUp.length, calls.at(-1)?.id ?? -1);
    }
  });
  return { calls, takenUp, hub: await HubProcess.greeted(t, ['far', url]) };
}

/** Answers; to a call it gives a place and some progress, but not the answer. */
function begin(response: ServerResponse, message: Posted, calls: Posted[]): void {
  if (answerUsual(response, message)) return;
  calls.push(message);
  const params = { progressToken: message.id, progress: 1 };
  endEvents(response, { id: 'place 0' }, { data: { method: 'notifications/progress', params } });
}

describe('an answer whose stream ends early', () => {
  it('is taken up where it was heard last, as often as it takes, and is not asked for again', async (t) => {
    const { hub, calls, takenUp } = await polled(t, (response, turn, id) => {
      endEvents(response, { id: `place ${turn}`, ...(turn < 3 ? {} : { data: { id, result: SERVED } }) });
    });
    const { text } = await hub.client.call('far.x', {}, { _meta: { progressToken: 'mine' } });
    assert.equal(text, 'served');
    assert.deepEqual(takenUp, ['place 0', 'place 1', 'place 2']);
    assert.equal(calls.length, 1);
    const progress = hub.client.notifications.filter(({ method }) => method === 'notifications/progress');
    assert.deepEqual(
      progress.map(({ params }) => params),
      [{ progressToken: 'mine', progress: 1 }],
    );
  });

  it('fails where the server does not know the place any more', async (t) => {
    const { hub, calls } = await polled(t, (response) => response.writeHead(404).end());
    const { error } = await hub.client.call('far.x');
    assert.match(error?.message ?? '', /was cut off; it may have been carried out/);
    assert.equal(calls.length, 1);
  });

  it('is left alone once it was cancelled', async (t) => {
    let isLeft = false;
    const { hub, takenUp } = await polled(t, (response) => {
      sendEvents(response, { id: 'place 1' });
      response.once('close', () => {
        isLeft = true;
      });
    });
    hub.client.send({ id: 'open', method: 'tools/call', params: { name: 'far.x' } });
    await eventually('it was taken up', () => takenUp.length === 1);
    hub.client.send({ method: 'notifications/cancelled', params: { requestId: 'open' } });
    await eventually('nobody listens any more', () => isLeft);
    assert.deepEqual((await hub.client.request('ping'))['result'], {});
  });
});

/** A server that knows one session at a time, and what came of calls. */
class Forgetful {
  readonly calls: string[] = [];
  #sessions = 0;
  #known = '';
  #listening: ServerResponse | undefined;

  /** How many sessions there have been. */
  get sessions(): number {
    return this.#sessions;
  }

  forget(): void {
    this.#known = '';
    this.#listening?.end();
  }

  /** The stream of a session. */
  listen(session: string, response: ServerResponse): void {
    if (session !== this.#known) response.writeHead(404).end();
    else {
      this.#listening = response;
      sendEvents(response, {});
    }
  }

  serve(session: string, message: Posted, response: ServerResponse): void {
    const isCall = message.method === 'tools/call';
    if (message.method === 'initialize') {
      this.#sessions += 1;
      this.#known = `session-${this.#sessions}`;
      response.setHeader(SESSION, this.#known);
    } else if (session !== this.#known) {
      if (isCall) this.calls.push('refused');
      response.writeHead(404).end();
      return;
    }
    if (isCall) this.calls.push(this.#known);
    if (!answerUsual(response, message)) answerJson(response, message.id, SERVED);
  }
}

describe('a session that a server has lost', () => {
  it('fails the call that finds it out, which is not sent again, and is begun anew for the next one', async (t) => {
    const server = new Forgetful();
    const url = await serveHttp(t, (request, response) => {
      void posted(request).then((message) => server.serve(String(request.headers[SESSION]), message, response));
    });
    const { client } = await HubProcess.greeted(t, ['far', url]);
    assert.equal((await client.call('far.x')).text, 'served');
    server.forget();
    const { error } = await client.call('far.x');
    assert.match(error?.message ?? '', /^far .*has ended the session and did not take this; repeat it/);
    assert.equal((await client.call('far.x')).text, 'served');
    assert.deepEqual(server.calls, ['session-1', 'refused', 'session-2']);
  });

  it('is begun anew without any call where the server had a stream, and ends it', async (t) => {
    const server = new Forgetful();
    const url = await serveHttp(t, (request, response) => {
      const session = String(request.headers[SESSION]);
      if (request.method === 'GET') server.listen(session, response);
      else void posted(request).then((message) => server.serve(session, message, response));
    });
    const { client } = await HubProcess.greeted(t, ['far', url, '--eager']);
    assert.equal((await client.call('far.x')).text, 'served');
    server.forget();
    await eventually('there is another session', () => server.sessions === 2);
    assert.equal((await client.call('far.x')).text, 'served');
    assert.deepEqual(server.calls, ['session-1', 'session-2']);
  });
});
