/** Clients that others wrote, in front of children on an SDK. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createMCPClient, ElicitationRequestSchema, type MCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as AiStdio } from '@ai-sdk/mcp/mcp-stdio';
import { cleanup } from '../kit/cleanup.js';
import { freshHome } from '../kit/home.js';
import { child, hubUrl, PROGRAM, ROOT } from '../kit/hub.js';
import { connectSdk } from '../kit/sdk-client.js';
import { uses } from '../kit/sdk-use.js';
import { SDKS } from '../kit/sdks.js';

const CHILDREN = [...child('c', 'sdk1', SDKS['SDK 1.32']), '--eager'];

it('mcp-remote between a client and the hub loses nothing', async (t) => {
  const url = await hubUrl(t, CHILDREN);
  const env = await freshHome(t);
  const args = [join(ROOT, 'node_modules/mcp-remote/dist/proxy.js'), url, '--allow-http', '--transport', 'http-only'];
  const client = await connectSdk('SDK 1.32', { args, env: { ...env, MCP_REMOTE_CONFIG_DIR: env['HOME'] ?? '' } });
  cleanup(t, () => client.close());
  await uses(client, 'SDK 1.32', 'c');
});

describe('the AI SDK', () => {
  const fronts: Record<string, (t: TestContext) => Promise<MCPClient>> = {
    'standard streams': async (t) => {
      const env = await freshHome(t);
      const args = [PROGRAM, '--stdio', ...CHILDREN];
      const transport = new AiStdio({ command: process.execPath, args, env, cwd: ROOT, stderr: 'ignore' });
      return await createMCPClient({ transport, capabilities: { elicitation: {} } });
    },
    HTTP: async (t) => {
      const url = await hubUrl(t, CHILDREN);
      return await createMCPClient({ transport: { type: 'http', url }, capabilities: { elicitation: {} } });
    },
  };
  for (const [front, connect] of Object.entries(fronts)) {
    it(`over ${front} lists and calls tools, and answers questions`, async (t) => {
      const client = await connect(t);
      cleanup(t, () => client.close());
      const questions: string[] = [];
      client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => {
        questions.push(params.message);
        return { action: 'accept', content: {} };
      });
      const tools = await client.tools();
      const call = async (name: string, key: string): Promise<string> =>
        JSON.stringify(await tools[name]?.execute({ key }, { toolCallId: 'one', messages: [] }));
      assert.match(await call('c.echo', 'h\u00e9llo'), /h\u00e9llo/);
      assert.match(await call('c.ask', 'Sure?'), /accept/);
      assert.deepEqual(questions, ['c: Sure?']);
    });
  }
});
