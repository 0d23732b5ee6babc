import assert from 'node:assert/strict';
import { join } from 'node:path';
import { packagesFor } from '../kit/packages.js';

interface Adapters {
  MultiServerMCPClient: new (
    servers: unknown,
  ) => {
    getTools(): Promise<readonly { name: string; invoke(args: unknown): Promise<unknown> }[]>;
    close(): Promise<void>;
  };
}

/** LangChain's adapters, over HTTP: the tools as LangChain has them, and a call. */
export async function langchain(url: string): Promise<void> {
  const modules = await packagesFor('langchain', ['@langchain/mcp-adapters@1.1.4', '@langchain/core@1']);
  const { MultiServerMCPClient } = (await import(join(modules, '@langchain/mcp-adapters/dist/index.js'))) as Adapters;
  const client = new MultiServerMCPClient({ hub: { transport: 'http', url } });
  const tools = await client.getTools();
  const echo = tools.find(({ name }) => name.endsWith('c.echo'));
  assert.match(JSON.stringify(await echo?.invoke({ key: 'from LangChain' })), /from LangChain/);
  await client.close();
}
