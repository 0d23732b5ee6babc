/** An MCP server on a version of SDK 1: the argument is the package that has it. */
import type * as ServerModule from '@modelcontextprotocol/sdk/server/index.js';
import type * as StdioModule from '@modelcontextprotocol/sdk/server/stdio.js';
import type * as Types from '@modelcontextprotocol/sdk/types.js';
import { runTool, STEPS, TOOL_NAMES } from './tools.js';

const sdk = process.argv[2] ?? '';
const { Server } = (await import(`${sdk}/server/index.js`)) as typeof ServerModule;
const { StdioServerTransport } = (await import(`${sdk}/server/stdio.js`)) as typeof StdioModule;
const { CallToolRequestSchema, ListToolsRequestSchema } = (await import(`${sdk}/types.js`)) as typeof Types;

const names = [...TOOL_NAMES];
const capabilities = { logging: {}, tools: { listChanged: true } };
const server = new Server({ name: sdk, version: '1' }, { capabilities });

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: names.map((name) => ({ name, inputSchema: { type: 'object' as const } })),
}));

server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
  const text = await runTool(params.name, String(params.arguments?.['key']), {
    signal,
    progress: async (progress) => {
      const progressToken = params._meta?.progressToken;
      if (progressToken === undefined) return;
      await server.notification({
        method: 'notifications/progress',
        params: { progressToken, progress, total: STEPS },
      });
    },
    ask: async (message) => {
      const { action } = await server.elicitInput({ message, requestedSchema: { type: 'object', properties: {} } });
      return action;
    },
    log: (data) => server.sendLoggingMessage({ level: 'info', data }),
    grow: async (name) => {
      names.push(name);
      await server.sendToolListChanged();
    },
  });
  return { content: [{ type: 'text' as const, text }] };
});

await server.connect(new StdioServerTransport());
process.stdin.on('end', () => process.exit());
