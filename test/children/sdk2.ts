/** An MCP server on SDK 2: the argument is the era that it speaks, `legacy`, `modern`, or `auto` for either. */
import { fromJsonSchema, inputRequired, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { runTool, STEPS, TOOL_NAMES } from './tools.js';

interface Arguments {
  readonly key?: string;
}

/** Thrown where a question has to be asked first: the call is made again with its answer. */
class Unasked extends Error {}

const era = process.argv[2] ?? 'auto';
if (era === 'legacy') await build().connect(new StdioServerTransport());
else serveStdio(build, { legacy: era === 'modern' ? 'reject' : 'serve' });

function build(): McpServer {
  const capabilities = { logging: {}, tools: { listChanged: true } };
  const server = new McpServer({ name: 'SDK 2', version: '1' }, { capabilities });
  for (const name of TOOL_NAMES) add(server, name);
  return server;
}

function add(server: McpServer, name: string): void {
  const inputSchema = fromJsonSchema<Arguments>({ type: 'object', properties: { key: { type: 'string' } } });
  server.registerTool(name, { description: name, inputSchema }, async ({ key = '' }, context) => {
    try {
      const text = await runTool(name, key, surroundings(server, context));
      return { content: [{ type: 'text' as const, text }] };
    } catch (error) {
      if (!(error instanceof Unasked)) throw error;
      const answer = inputRequired.elicit({
        message: error.message,
        requestedSchema: { type: 'object', properties: {} },
      });
      return inputRequired({ inputRequests: { answer } });
    }
  });
}

function surroundings(server: McpServer, { mcpReq }: ServerContext): Parameters<typeof runTool>[2] {
  return {
    signal: mcpReq.signal,
    progress: async (progress) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken === undefined) return;
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: STEPS } });
    },
    ask: (message) => {
      const answer = mcpReq.inputResponses?.['answer'] as { action?: string } | undefined;
      if (answer?.action === undefined) return Promise.reject(new Unasked(message));
      return Promise.resolve(answer.action);
    },
    log: (text) => mcpReq.log('info', text),
    grow: async (name) => add(server, name),
  };
}
