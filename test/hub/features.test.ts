/** Prompts, resources and completion of the reference server, beside a second one that has the same. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { cleanup } from '../kit/cleanup.js';
import { freshHome } from '../kit/home.js';
import { PROGRAM, ROOT } from '../kit/hub.js';

const everything = (alias: string): string[] => [
  alias,
  '---',
  process.execPath,
  join(ROOT, 'node_modules/.bin/mcp-server-everything'),
  '---',
  '--eager',
];

async function connect(t: TestContext, args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const env = await freshHome(t);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, '--stdio', ...args],
    env,
    cwd: ROOT,
    stderr: 'ignore',
  });
  cleanup(t, () => client.close());
  await client.connect(transport);
  return client;
}

it('passes on what a server has beside tools', async (t) => {
  const client = await connect(t, everything('all'));
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some(({ name }) => name === 'all.args-prompt'));
  const prompt = await client.getPrompt({ name: 'all.args-prompt', arguments: { city: 'Ulm' } });
  assert.match(JSON.stringify(prompt.messages), /Ulm/);

  const { resources } = await client.listResources();
  const uri = resources[0]?.uri ?? '';
  assert.match(uri, /^demo:\/\//);
  const { contents } = await client.readResource({ uri });
  assert.equal(contents[0]?.uri, uri);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === 'demo://resource/dynamic/text/{resourceId}'));
  const made = await client.readResource({ uri: 'demo://resource/dynamic/text/7' });
  assert.match(JSON.stringify(made.contents), /Resource 7/);

  await client.subscribeResource({ uri });
  await client.unsubscribeResource({ uri });

  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'all.completable-prompt' },
    argument: { name: 'department', value: 'E' },
  });
  assert.deepEqual(completion.values, ['Engineering']);
});

it('tells the resources of two servers apart that have the same', async (t) => {
  const client = await connect(t, [...everything('one'), ...everything('two')]);
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  assert.equal(new Set(uris).size, uris.length);
  const uri = uris.find((each) => each.startsWith('two+demo://')) ?? '';
  const { contents } = await client.readResource({ uri });
  assert.equal(`two+${contents[0]?.uri}`, uri);
});
