/** Calls by the hub's tool that calls others, by clients and children of both eras. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHILDREN, CLIENTS, connect, WAYS_IN } from '../kit/eras.js';
import { eventually } from '../kit/until.js';

describe('a call by the tool of the hub that calls others', () => {
  for (const [way, transport] of WAYS_IN)
    for (const [clientEra, mode] of CLIENTS)
      for (const [childEra, childWords] of [...CHILDREN].slice(0, 2)) {
        it(`of a client ${clientEra} over ${way}, to a child ${childEra}`, { concurrency: true }, async (t) => {
          const args = ['--expose', 'search', ...(await childWords(t))];
          const { client, questions, text, inner } = await connect(t, await transport(t, args), mode);
          assert.deepEqual((await client.listTools()).tools.map(({ name }) => name).slice(0, 3), [
            'hub.find',
            'hub.describe',
            'hub.call',
          ]);
          assert.match(await text('hub.find', { words: 'echo' }), /^c\.echo\(/);
          assert.match(await text('hub.describe', { names: ['c__echo'] }), /^\{"name":"c\.echo",/);
          assert.equal(await inner('c.echo', { a: 'h\u00e9' }), '{"a":"h\u00e9"}');
          const mistake = await client.callTool({ name: 'hub.call', arguments: { name: 'nobody.echo' } });
          assert.equal(mistake.isError, true);

          const question = { message: 'who?', requestedSchema: { type: 'object', properties: {} } };
          assert.match(await inner('c.ask', question), /J\u00f6rg/);
          assert.deepEqual(questions, ['c: who?']);
          assert.match(await inner('c.roots'), /file:\/\/\/somewhere/);

          const steps: number[] = [];
          const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
          await inner('c.progress', { steps: 4, pause: 20 }, { onprogress });
          assert.deepEqual(steps.slice(0, 2), [1, 2]);

          const stop = new AbortController();
          const slow = inner('c.slow', {}, { signal: stop.signal });
          await eventually('it has begun', async () => (await inner('c.begun')) === '1');
          stop.abort('the user stopped it');
          await assert.rejects(slow);
          await eventually('the child knows', async () => (await inner('c.cancelled')) !== '[]');
        });
      }
});
