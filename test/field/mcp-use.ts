import assert from 'node:assert/strict';
import { join } from 'node:path';
import { packagesFor } from '../kit/packages.js';

interface McpUse {
  MCPClient: new (
    config: unknown,
    options: unknown,
  ) => {
    createSession(name: string): Promise<{
      connector: {
        listTools(): Promise<readonly { name: string }[]>;
        callTool(name: string, args: unknown): Promise<unknown>;
      };
    }>;
    closeAllSessions(): Promise<void>;
  };
}

/** mcp-use, over HTTP: the tools, a call, and a question. */
export async function mcpUse(url: string): Promise<void> {
  const modules = await packagesFor('mcp-use', ['mcp-use@1.34.6']);
  const { MCPClient } = (await import(join(modules, 'mcp-use/dist/src/client.js'))) as McpUse;
  const questions: string[] = [];
  const onElicitation = ({ message }: { message: string }): unknown => {
    questions.push(message);
    return { action: 'accept', content: {} };
  };
  const client = new MCPClient({ mcpServers: { hub: { url } } }, { onElicitation });
  const { connector } = await client.createSession('hub');
  assert.ok((await connector.listTools()).some(({ name }) => name === 'c.echo'));
  assert.match(JSON.stringify(await connector.callTool('c.echo', { key: 'from mcp-use' })), /from mcp-use/);
  assert.match(JSON.stringify(await connector.callTool('c.ask', { key: 'Sure?' })), /accept/);
  assert.deepEqual(questions, ['c: Sure?']);
  await client.closeAllSessions();
}
