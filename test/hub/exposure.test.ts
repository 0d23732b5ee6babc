/** What of a child is offered, as the person configured it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { EVERYTHING, type ExposureSpec } from '../../hub/exposure.js';
import { Hub } from '../../hub/hub.js';
import { memoryLinks } from '../../shared/link.js';
import { cleanup } from '../kit/cleanup.js';
import { End, type Message } from '../kit/end.js';
import { freshHome, setVariable } from '../kit/home.js';
import { child, childCommand, HubProcess, ROOT } from '../kit/hub.js';

describe('a child of which not everything is allowed', () => {
  it('offers what is allowed and not denied, in the list and in a call', async (t) => {
    const { client } = await HubProcess.greeted(t, [
      ...child('c', 'plain'),
      ...['--allow', 'e*', '--allow', 'p?d', '--allow', 'progress', '--deny', 'en?', '--deny', 'pro*'],
      ...child('d', 'plain'),
    ]);
    for (const list of ['before', 'after']) {
      for (const name of ['c.echo', 'c__echo']) assert.equal((await client.call(name, { a: 1 })).text, '{"a":1}', list);
      for (const name of ['c.env', 'c__env', 'c.\u0065nv', 'c.progress', 'c.die', 'c.no-such']) {
        const { error } = await client.call(name);
        assert.equal(error?.code, -32602, name);
        assert.match(error?.message ?? '', /no server has .*the servers are: c, d/);
      }
      const names = await client.toolNames();
      assert.deepEqual(
        names.filter((name) => name.startsWith('c.')),
        ['c.echo', 'c.pid'],
      );
      assert.ok(names.includes('d.env'));
    }
  });

  it('has its prompts chosen likewise', async (t) => {
    const server = join(ROOT, 'node_modules/.bin/mcp-server-everything');
    const { client } = await HubProcess.greeted(t, ['e', '---', process.execPath, server, '---', '--deny', 'simple-*']);
    const { result } = (await client.request('prompts/list')) as { result: { prompts: { name: string }[] } };
    const names = result.prompts.map(({ name }) => name);
    assert.ok(names.includes('e.args-prompt') && !names.includes('e.simple-prompt'), names.join());
    const refused = await client.request('prompts/get', { name: 'e.simple-prompt' });
    assert.equal((refused['error'] as { code: number }).code, -32602);
    const given = await client.request('prompts/get', { name: 'e.args-prompt', arguments: { city: 'Ulm' } });
    assert.match(JSON.stringify(given['result']), /Ulm/);
  });
});

describe('a child whose tools have other names and descriptions', () => {
  it('is called under them, and never under its own', async (t) => {
    for (const [name, value] of Object.entries(await freshHome(t))) setVariable(t, name, value);
    const [program = '', ...args] = childCommand('plain', '--tool', 'shout-loud');
    const exposure: ExposureSpec = {
      ...EVERYTHING,
      allow: ['echo', 'env'],
      rename: new Map([
        ['echo', 'say.it'],
        ['shout-loud', 'env'],
      ]),
      describe: new Map([['echo', 'Gives back what it gets.']]),
    };
    const about = { alias: 'c', eager: false, required: false };
    const hub = new Hub([{ ...exposure, ...about, source: { program, args, env: new Map(), cwd: undefined } }]);
    cleanup(t, () => hub.children.stop());
    const [near, far] = memoryLinks();
    void hub.serve(far);
    const client = new End('client', near);
    const clientInfo = { name: 'claude-ai', version: '1' };
    client.send({
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    });
    await client.next({ id: 0, result: {} });
    client.send({ id: 1, method: 'tools/list' });
    const { result } = (await client.next({ id: 1 })) as { result: { tools: Message[] } };
    assert.equal(result.tools.length, 1);
    const { name, description } = result.tools[0] ?? {};
    assert.match(String(name), /^c__say_it_[0-9a-f]{8}$/);
    assert.equal(description, 'Gives back what it gets.');
    for (const called of [name, 'c.say.it', 'c__say.it']) {
      client.send({ id: called, method: 'tools/call', params: { name: called, arguments: { a: 1 } } });
      await client.next({ id: called, result: { content: [{ type: 'text', text: '{"a":1}' }] } });
    }
    for (const called of ['c.echo', 'c.env', 'c.shout-loud']) {
      client.send({ id: called, method: 'tools/call', params: { name: called } });
      await client.next({ id: called, error: { code: -32602 } });
    }
  });
});
