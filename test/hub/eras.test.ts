/** Clients and children of both eras of the protocol in all pairs, on every way in and out. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { CHILDREN, CLIENTS, connect, WAYS_IN } from '../kit/eras.js';
import { folder, freshHome } from '../kit/home.js';
import { child, HubProcess, run } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

describe('a call and all that belongs to it', { concurrency: 3 }, () => {
  for (const [way, transport] of WAYS_IN)
    for (const [clientEra, mode] of CLIENTS)
      for (const [childEra, childWords] of CHILDREN) {
        it(`a client ${clientEra} over ${way}, a child ${childEra}`, async (t) => {
          const { client, questions, notices, text } = await connect(t, await transport(t, await childWords(t)), mode);
          assert.equal(client.getProtocolEra(), mode === 'legacy' ? 'legacy' : 'modern');
          assert.equal(await text('c.echo', { a: 'h\u00e9' }), '{"a":"h\u00e9"}');

          assert.match(
            await text('c.ask', { message: 'who?', requestedSchema: { type: 'object', properties: {} } }),
            /J\u00f6rg/,
          );
          assert.deepEqual(questions, ['c: who?']);
          const sampling = { messages: [], maxTokens: 9 };
          assert.match(await text('c.sample', sampling), /a sampled answer/);
          assert.match(await text('c.roots'), /file:\/\/\/somewhere/);

          const steps: number[] = [];
          const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
          await text('c.progress', { steps: 4, pause: 60 }, { onprogress });
          // The SDK drops the progress that comes in one piece with the result.
          assert.deepEqual(steps.slice(0, 2), [1, 2]);

          const stop = new AbortController();
          const slow = text('c.slow', {}, { signal: stop.signal });
          await eventually('it has begun', async () => (await text('c.begun')) === '1');
          stop.abort('the user stopped it');
          await assert.rejects(slow);
          await eventually('the child knows', async () => (await text('c.cancelled')) !== '[]');

          await text('c.add', { name: 'extra' });
          await eventually('the client hears of the new tool', () => notices.includes('c.extra'));
        });
      }
});

describe('resources whose changes somebody wants to hear of', { concurrency: 3 }, () => {
  for (const [clientEra, mode] of CLIENTS)
    for (const [childEra, childWords] of [...CHILDREN].slice(1)) {
      it(`by a client ${clientEra} of a child ${childEra}`, async (t) => {
        const transport = WAYS_IN.get('standard streams');
        assert.ok(transport !== undefined);
        const { client, notices, text } = await connect(t, await transport(t, await childWords(t)), mode);
        await text('c.echo');
        if (mode === 'legacy') await client.subscribeResource({ uri: 'note:///1' });
        else await client.listen({ resourceSubscriptions: ['note:///1'] });
        await eventually('it hears of a change', async () => {
          await text('c.touch', { uri: 'note:///1' });
          return notices.includes('note:///1');
        });
        if (mode !== 'legacy') return;
        await client.unsubscribeResource({ uri: 'note:///1' });
        await text('c.echo');
        const heard = notices.filter((notice) => notice === 'note:///1').length;
        await text('c.touch', { uri: 'note:///1' });
        await text('c.echo');
        assert.equal(notices.filter((notice) => notice === 'note:///1').length, heard);
      });
    }
});

describe('the era of a child', () => {
  it('is found without starting it twice, and remembered', async (t) => {
    const started = `${await folder(t)}/started`;
    const hub = await HubProcess.greeted(t, child('c', 'modern', '--started', started));
    assert.equal((await hub.client.call('c.echo', { a: 1 })).text, '{"a":1}');
    const { text } = await hub.client.call('c.pid');
    assert.equal((await readFile(started, 'utf8')).trim(), text);
  });

  it('may be said, and then no other is tried', async (t) => {
    const hub = await HubProcess.greeted(t, [
      ...child('c', 'modern'),
      '--era',
      'legacy',
      ...child('d', 'plain'),
      '--era',
      'modern',
    ]);
    const [c, d] = [await hub.client.call('c.echo'), await hub.client.call('d.echo')];
    assert.match(c.error?.message ?? '', /c/);
    assert.match(d.error?.message ?? '', /server\/discover/);
  });

  it('that is neither of both is refused', async (t) => {
    const { code, stderr } = await run([...child('c', 'plain'), '--era', 'later'], await freshHome(t));
    assert.equal(code, 2);
    assert.match(stderr, /--era "later": give auto, legacy or modern/);
  });
});
