/** Calls that the hub asks about through the client (`--guard`), for clients of both eras. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { ASKED_CLIENTS, type Shown } from '../kit/asked.js';
import { person } from '../kit/guarded.js';
import { child } from '../kit/hub.js';

for (const [name, connect] of ASKED_CLIENTS) {
  describe(`a guarded call of ${name}`, () => {
    it('is asked about by the client, and does what the person says', async (t) => {
      const { server, env, calls, rules } = await person(t);
      const client = await connect(t, ['--guard', ...server], env);
      client.answer = () => ({ decision: 'allow' });
      assert.deepEqual(await client.call('notes.echo', { a: 1 }), { text: '{"a":1}', isError: false });
      const [{ message, schema }] = client.questions as [Shown];
      assert.equal(
        message,
        'mcp-multibroker default: Allow the tool "echo" of the server notes, which may change or destroy something, with these arguments?\n\n{\n  "a": 1\n}\n(12 characters)',
      );
      assert.deepEqual(schema.required, ['decision']);

      client.answer = () => ({ decision: 'deny', reason: 'not today' });
      const denied = await client.call('notes.echo', { a: 2 });
      assert.match(denied.text, /did not allow it \(write in tool:notes:echo\); they say: “not today”/);
      assert.equal(denied.isError, true);
      client.answer = () => undefined;
      assert.equal((await client.call('notes.echo', { a: 3 })).isError, true);

      client.answer = ({ schema: { properties } }) => ({
        decision: 'allow always',
        scope: properties['scope']?.enum?.[0] ?? '',
      });
      assert.equal((await client.call('notes.echo', { a: 4 })).text, '{"a":4}');
      assert.equal(client.questions.length, 4);
      assert.equal((await client.call('notes.echo', { a: 5 })).text, '{"a":5}');
      assert.equal((await client.call('notes.look')).text, 'this is look');
      assert.equal(client.questions.length, 4);
      assert.equal(
        await readFile(rules, 'utf8'),
        '[rule]\ndecision=allow\naction=write\nsubject=tool:notes:echo\nsandbox-grants=\n',
      );
      assert.equal((await stat(rules)).mode & 0o777, 0o600);
      const through = [...[1, 4, 5].map((a) => ['echo', { a }]), ['look', {}]];
      assert.deepEqual(await calls(), through);
    });

    it('goes on when its server asks, too, whatever that speaks', async (t) => {
      const { env } = await person(t);
      const client = await connect(t, ['--guard', ...child('old', 'plain'), ...child('new', 'modern')], env);
      client.answer = ({ message }) => (/^mcp-/.test(message) ? { decision: 'allow' } : { name: 'J\u00f6rg' });
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
      for (const alias of ['old', 'new']) {
        const { text } = await client.call(`${alias}.ask`, { message: 'Who?', requestedSchema });
        assert.match(text, /"action":"accept","content":\{"name":"J\u00f6rg"\}/);
        const [permission, question, ...more] = client.questions.splice(0);
        assert.match(
          permission?.message ?? '',
          new RegExp(`^mcp-multibroker default: Allow .* of the server ${alias}`),
        );
        assert.equal(question?.message, `${alias}: Who?`);
        assert.deepEqual(more, []);
      }
    });
  });
}
