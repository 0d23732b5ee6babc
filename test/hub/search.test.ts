/** Clients that see only the hub's own tools, and come by the others through them. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { folder, freshHome } from '../kit/home.js';
import { child, childCommand, HubProcess, ROOT, run } from '../kit/hub.js';
import type { LeanClient, Outcome } from '../kit/lean.js';
import { eventually } from '../kit/until.js';

const LIST_CHANGED = 'notifications/tools/list_changed';
const OWN = ['find', 'describe', 'call', 'servers', 'restart', 'stop', 'instructions'];

const installed = (alias: string, name: string, ...args: readonly string[]): string[] => [
  alias,
  '---',
  process.execPath,
  join(ROOT, 'node_modules/.bin', name),
  ...args,
  '---',
];
const everything = installed('all', 'mcp-server-everything');

async function searching(t: TestContext, args: readonly string[], can = {}, name = 'lean'): Promise<LeanClient> {
  const { client } = await HubProcess.start(t, ['--expose', 'search', ...args]);
  await client.greet(can, name);
  return client;
}

const inner = (client: LeanClient, name: string, args?: unknown, more = {}): Promise<Outcome> =>
  client.call('hub.call', args === undefined ? { name } : { name, arguments: args }, more);

const isError = ({ message }: Outcome): boolean => (message['result'] as { isError?: boolean }).isError === true;

describe('with --expose search a client', () => {
  it('sees the few tools of the hub, in the form it takes, and all prompts and resources', async (t) => {
    const client = await searching(t, everything);
    assert.deepEqual(
      await client.toolNames(),
      OWN.map((name) => `hub.${name}`),
    );
    const { result } = (await client.request('prompts/list')) as { result: { prompts: { name: string }[] } };
    assert.ok(result.prompts.some(({ name }) => name === 'all.args-prompt'));
    const { resources } = (await client.request('resources/list'))['result'] as { resources: unknown[] };
    assert.ok(resources.length > 3);
    const strict = await searching(t, everything, {}, 'Claude Desktop');
    assert.deepEqual(
      await strict.toolNames(),
      OWN.map((name) => `hub__${name}`),
    );
    assert.match((await strict.call('hub__find', { words: 'echo' })).text, /^all\.echo\(message\): Echo/);
    assert.match((await strict.call('hub__call', { name: 'all__echo', arguments: { message: 'x' } })).text, /x/);
  });

  it('is told which servers there are, and asks for the instructions of one', async (t) => {
    const said = child('c', 'plain', '--instructions', 'Say please.');
    const hub = await HubProcess.start(t, ['--expose', 'search', ...said, '--eager']);
    const { instructions } = (await hub.client.greet()) as { instructions: string };
    assert.match(instructions, /servers .*: c\. Find a tool by hub\.find and call it by hub\.call/);
    assert.doesNotMatch(instructions, /please/);
    assert.equal((await hub.client.call('hub.instructions', { server: 'c' })).text, '## c\n\nSay please.');
  });

  it('finds tools by words, the best first, and reads their definitions', async (t) => {
    const place = await folder(t);
    const client = await searching(t, [...everything, ...installed('files', 'mcp-server-filesystem', place)]);
    const find = async (args: Record<string, unknown>): Promise<string[]> =>
      (await client.call('hub.find', args)).text.split('\n');
    const [first, ...others] = await find({ words: 'read several files at once' });
    assert.match(first ?? '', /^files\.read_multiple_files\(paths\): Read the contents of multiple files/);
    assert.equal(others.length, 8);
    assert.match(others.at(-1) ?? '', /^\(\d+ more\)$/);
    assert.match((await find({ words: 'sum of numbers', limit: 1 }))[0] ?? '', /^all\.get-sum\(a, b\): /);
    assert.ok((await find({ words: '', server: 'all', limit: 50 })).every((line) => line.startsWith('all.')));
    assert.match((await find({ words: 'xylophone' }))[0] ?? '', /^No tool fits\. Servers .*all \(\d+\), files \(\d+\)/);

    const { text } = await client.call('hub.describe', { names: ['all.get-sum', 'files__read_text_file'] });
    const [sum, read] = text.split('\n').map((line) => JSON.parse(line) as Record<string, { required?: string[] }>);
    assert.deepEqual(sum?.['inputSchema']?.required, ['a', 'b']);
    assert.equal(read?.['name'], 'files.read_text_file');
  });

  it('calls a tool with progress, questions and cancellation as in a direct call, which it may make, too', async (t) => {
    const client = await searching(t, child('c', 'plain'), { elicitation: { form: {} } });
    assert.equal((await inner(client, 'c.echo', { a: 1 })).text, '{"a":1}');
    assert.equal((await inner(client, 'c.echo')).text, '{}');
    assert.equal((await client.call('c.echo', { a: 2 })).text, '{"a":2}');

    await inner(client, 'c.progress', { steps: 3 }, { _meta: { progressToken: 'mine' } });
    const progress = client.notifications.filter(({ method }) => method === 'notifications/progress');
    assert.deepEqual(
      progress.map(({ params }) => (params as { progressToken: unknown }).progressToken),
      ['mine', 'mine', 'mine'],
    );

    client.answers.set('elicitation/create', ({ message }) => ({ action: 'accept', content: { message } }));
    const asked = await inner(client, 'c.ask', { message: 'Who?', requestedSchema: { type: 'object' } });
    assert.deepEqual(JSON.parse(asked.text), { action: 'accept', content: { message: 'c: Who?' } });

    client.send({ id: 's', method: 'tools/call', params: { name: 'hub.call', arguments: { name: 'c.slow' } } });
    await eventually('it has begun', async () => (await inner(client, 'c.begun')).text === '1');
    client.send({ method: 'notifications/cancelled', params: { requestId: 's', reason: 'the user stopped it' } });
    assert.equal((await inner(client, 'c.cancelled')).text, '["the user stopped it"]');

    const died = await inner(client, 'c.die');
    assert.equal(died.error?.code, 4410);
    assert.match(died.error?.message ?? '', /c exited with code 3/);
  });

  it('gets a result that tells it better where it is mistaken', async (t) => {
    const client = await searching(t, [...child('c', 'plain'), '--deny', 'env']);
    for (const [args, message] of [
      [{}, /the name of the tool to call is missing\. Give \{"name"/],
      [{ name: 'c.echo', arguments: '{"a":1}' }, /the arguments for c\.echo are no object\. .*not as a text/],
      [{ name: 'nobody.echo' }, /no server has "nobody\.echo"\. .*servers are: c/],
      [{ name: 'c.env' }, /no server has "c\.env"/],
      [{ name: 'hub.servers' }, /hub\.servers belongs to the hub itself\. Call it directly/],
      [{ name: 'hub.call', arguments: { name: 'c.echo' } }, /hub\.call belongs to the hub itself/],
    ] as const) {
      const outcome = await client.call('hub.call', args);
      assert.ok(isError(outcome), JSON.stringify(outcome.message));
      assert.match(outcome.text, message);
    }
    for (const [tool, args, message] of [
      ['find', {}, /words must be a text/],
      ['find', { words: 'x', limit: 'many' }, /limit must be a number/],
      ['find', { words: 'x', server: 'nobody' }, /there is no server "nobody"\. There are: c\./],
      ['describe', { names: [] }, /names must be a list/],
      ['describe', { names: ['c.env'] }, /there is no tool "c\.env"\. Look for it by hub\.find/],
      ['describe', { names: [7] }, /there is no tool 7/],
    ] as const) {
      const outcome = await client.call(`hub.${tool}`, args);
      assert.ok(isError(outcome), JSON.stringify(outcome.message));
      assert.match(outcome.text, message);
    }
  });

  it('finds what a server has added, and is not told of it', async (t) => {
    const client = await searching(t, [...child('c', 'plain'), '--eager']);
    await client.toolNames();
    const from = client.notifications.length;
    await inner(client, 'c.add', { name: 'brand-new' });
    await eventually('it is found', async () =>
      /^c\.brand-new\(/.test((await client.call('hub.find', { words: 'brand new' })).text),
    );
    assert.ok(!client.notifications.slice(from).some(({ method }) => method === LIST_CHANGED));
  });
});

describe('what clients see', () => {
  const [command = '', ...args] = childCommand('plain');
  const written = (expose?: unknown, more = {}): string =>
    JSON.stringify({ mcpServers: { c: { command, args, eager: true }, ...more }, expose });

  it('may stand in the configuration file, and changes with it while the hub runs', async (t) => {
    const file = join(await folder(t), 'servers.json');
    await writeFile(file, written('search'));
    const { client } = await HubProcess.greeted(t, ['--config', file]);
    assert.deepEqual(
      await client.toolNames(),
      OWN.map((name) => `hub.${name}`),
    );
    const pid = (await inner(client, 'c.pid')).text;
    let from = client.notifications.length;
    await writeFile(file, written());
    await client.notification(LIST_CHANGED, '', from);
    await eventually('all are seen', async () => {
      const names = await client.toolNames();
      return names.includes('c.echo') && !names.some((name) => name.startsWith('hub.'));
    });
    from = client.notifications.length;
    await writeFile(file, written('search'));
    await client.notification(LIST_CHANGED, '', from);
    await eventually('few are seen', async () => (await client.toolNames()).length === OWN.length);
    assert.equal((await inner(client, 'c.pid')).text, pid);
  });

  it('is what the command line says, where both say it', async (t) => {
    const file = join(await folder(t), 'servers.json');
    await writeFile(file, written('search'));
    const { client } = await HubProcess.greeted(t, ['--expose', 'all', '--config', file]);
    assert.ok((await client.toolNames()).includes('c.echo'));
  });

  it('is one of two words, and a child is not called as the hub is', async (t) => {
    const env = await freshHome(t);
    const wrong = await run(['--expose', 'some'], env);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /error: --expose "some": give all or search\./);
    const file = join(await folder(t), 'servers.json');
    await writeFile(file, written('some'));
    assert.match((await run(['--config', file], env)).stderr, /expose must be "all" or "search"/);
    await writeFile(file, written('search', { hub: { command } }));
    const taken = await run(['--config', file], env);
    assert.equal(taken.code, 2);
    assert.match(taken.stderr, /the hub itself has the alias hub .*Give the child another one/);
  });
});
