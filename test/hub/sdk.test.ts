/** The clients and the servers that people use. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { cleanup } from '../kit/cleanup.js';
import { folder, freshHome } from '../kit/home.js';
import { child, PROGRAM, ROOT } from '../kit/hub.js';
import { eventually } from '../kit/until.js';

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
}

/** What the tests need of a client of either SDK. */
interface SdkClient {
  tools(): Promise<string[]>;
  /** All texts of the result. */
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<string>;
  instructions(): string;
}

const INFO = { name: 'test', version: '1' };
const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} };
const ELICITED = { action: 'accept' as const, content: { name: 'J\u00f6rg' } };
const SAMPLED = {
  role: 'assistant' as const,
  model: 'm',
  content: { type: 'text' as const, text: 'a sampled answer' },
};
const ROOTS = { roots: [{ uri: 'file:///somewhere', name: 'somewhere' }] };

const textOf = (content: readonly { type: string; text?: string }[]): string =>
  content.map(({ text }) => text).join('\n');
const command = async (t: TestContext, args: readonly string[]) => ({
  command: process.execPath,
  args: [PROGRAM, '--stdio', ...args],
  env: await freshHome(t),
  cwd: ROOT,
  stderr: 'ignore' as const,
});

async function sdk1(t: TestContext, args: readonly string[]): Promise<SdkClient> {
  const client = new Client1(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, () => ELICITED);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  const transport = new Stdio1(await command(t, args));
  cleanup(t, () => client.close());
  await client.connect(transport);
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, parameters = {}, options = {}) => {
      const result = await client.callTool({ name, arguments: parameters }, CallToolResultSchema, options);
      return textOf(result.content as { type: string; text?: string }[]);
    },
    instructions: () => client.getInstructions() ?? '',
  };
}

async function sdk2(t: TestContext, args: readonly string[], mode: 'legacy' | 'auto'): Promise<SdkClient> {
  const client = new Client2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', () => ELICITED);
  client.setRequestHandler('sampling/createMessage', () => SAMPLED);
  client.setRequestHandler('roots/list', () => ROOTS);
  const transport = new Stdio2(await command(t, args));
  cleanup(t, () => client.close());
  await client.connect(transport);
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, parameters = {}, options = {}) => {
      const result = await client.callTool({ name, arguments: parameters }, options);
      return textOf(result.content as { type: string; text?: string }[]);
    },
    instructions: () => client.getInstructions() ?? '',
  };
}

const CLIENTS: ReadonlyMap<string, (t: TestContext, args: readonly string[]) => Promise<SdkClient>> = new Map([
  ['SDK 1', sdk1],
  ['SDK 2', (t, args) => sdk2(t, args, 'legacy')],
  ['SDK 2 that asks for the era', (t, args) => sdk2(t, args, 'auto')],
]);

const everything = [
  'all',
  '---',
  process.execPath,
  join(ROOT, 'node_modules/.bin/mcp-server-everything'),
  '---',
  '--eager',
];

for (const [name, connect] of CLIENTS) {
  describe(`a client of ${name}`, () => {
    it('uses the reference server: calls, progress, cancellation, and answers its questions', async (t) => {
      const client = await connect(t, everything);
      assert.match(client.instructions(), /## all\n/);
      const names = await client.tools();
      assert.ok(names.includes('all.echo') && names.includes('all.trigger-elicitation-request'), names.join());
      assert.match(await client.call('all.echo', { message: 'h\u00e9llo' }), /h\u00e9llo/);
      assert.match(await client.call('all.get-sum', { a: 2, b: 40 }), /42/);

      const steps: number[] = [];
      const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
      await client.call('all.trigger-long-running-operation', { duration: 0.8, steps: 4 }, { onprogress });
      // Both SDKs drop the progress that comes in one piece with the result, and SDK 2 tells of each round of questions, too.
      assert.deepEqual([...new Set(steps)].slice(0, 3), [1, 2, 3]);

      const stop = new AbortController();
      const stopped = client.call(
        'all.trigger-long-running-operation',
        { duration: 1, steps: 10 },
        { signal: stop.signal },
      );
      stop.abort('the user stopped it');
      await assert.rejects(stopped, /the user stopped it|abort/i);

      assert.match(await client.call('all.trigger-elicitation-request'), /Name: J\u00f6rg/);
      assert.match(
        await client.call('all.trigger-sampling-request', { prompt: 'x', maxTokens: 9 }),
        /a sampled answer/,
      );
      assert.match(await client.call('all.get-roots-list'), /file:\/\/\/somewhere/);
    });

    it('cancels a call at the child', async (t) => {
      const client = await connect(t, child('c', 'plain'));
      const stop = new AbortController();
      const slow = client.call('c.slow', {}, { signal: stop.signal });
      await eventually('it has begun', async () => (await client.call('c.begun')) === '1');
      stop.abort('the user stopped it');
      await assert.rejects(slow);
      assert.match(await client.call('c.cancelled'), /the user stopped it/);
    });
  });
}

describe('a server that is run by npx', () => {
  it('serves files', async (t) => {
    const shared = await folder(t);
    await writeFile(join(shared, 'note.txt'), 'text of the \u{1f600} note');
    const client = await sdk1(t, ['files', `stdio:npx @modelcontextprotocol/server-filesystem "${shared}"`]);
    assert.ok((await client.tools()).includes('files.read_text_file'));
    assert.equal(
      await client.call('files.read_text_file', { path: join(shared, 'note.txt') }),
      'text of the \u{1f600} note',
    );
  });
});
