/**
 * An MCP server with tasks of 2025-11-25, on SDK 1: on standard input and output, or with `--http` at an address that it
 * prints. It counts its tasks, so that several of it give the same ids.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CreateTaskRequestHandlerExtra,
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
  type ToolTaskHandler,
} from '@modelcontextprotocol/sdk/experimental/tasks/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { type CallToolResult, ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const RELATED = 'io.modelcontextprotocol/related-task';

let count = 0;

/** Its ids are made by a method that its types do not show. */
const tasks: InMemoryTaskStore = Object.assign(new InMemoryTaskStore(), {
  generateTaskId: () => {
    count += 1;
    return `task.${count}`;
  },
});
const input = { key: z.string() };
/** What goes on, by key. */
const going = new Map<string, { readonly id: string; readonly extra: CreateTaskRequestHandlerExtra }>();

const server = new McpServer(
  { name: 'tasked', version: '1' },
  {
    capabilities: { tools: {}, logging: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    taskStore: tasks,
    taskMessageQueue: new InMemoryTaskMessageQueue(),
  },
);

function text(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] };
}

type Args = { readonly key: string };

/** A tool that becomes a task, and what it does from then on. */
function taskTool(
  name: string,
  begin: (key: string, id: string, extra: CreateTaskRequestHandlerExtra) => unknown,
): void {
  const handler: ToolTaskHandler<typeof input> = {
    createTask: async ({ key }: Args, extra) => {
      const task = await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl ?? null, pollInterval: 20 });
      going.set(key, { id: task.taskId, extra });
      setImmediate(() => void begin(key, task.taskId, extra));
      return { task };
    },
    getTask: async (_: Args, extra) => await extra.taskStore.getTask(extra.taskId),
    getTaskResult: async (_: Args, extra) => (await extra.taskStore.getTaskResult(extra.taskId)) as CallToolResult,
  };
  server.experimental.tasks.registerToolTask(
    name,
    { inputSchema: input, execution: { taskSupport: 'optional' } },
    handler,
  );
}

taskTool('work', () => undefined);
taskTool('ask', async (key, id, { taskStore, sendRequest }) => {
  await taskStore.updateTaskStatus(id, 'input_required');
  const { action } = await sendRequest(
    { method: 'elicitation/create', params: { message: key, requestedSchema: { type: 'object', properties: {} } } },
    ElicitResultSchema,
    // Which its types do not show here.
    { relatedTask: { taskId: id } } as object,
  );
  await taskStore.storeTaskResult(id, 'completed', text(action));
});

server.registerTool('finish', { inputSchema: input }, async ({ key }) => {
  const { id, extra } = going.get(key) ?? {};
  if (id === undefined || extra === undefined) return text('nothing goes on');
  await extra.taskStore.storeTaskResult(id, 'completed', text(`done ${key}`));
  return text('finished');
});

/** Progress of a task, and a word about it. */
server.registerTool('step', { inputSchema: input }, async ({ key }) => {
  const { id, extra } = going.get(key) ?? {};
  const _meta = { [RELATED]: { taskId: id ?? '' } };
  const progressToken = extra?._meta?.progressToken ?? 'none';
  await server.server.notification({ method: 'notifications/progress', params: { progressToken, progress: 1, _meta } });
  await server.server.notification({
    method: 'notifications/message',
    params: { level: 'info', data: `step ${key}`, _meta },
  });
  return text('stepped');
});

server.registerTool('state', { inputSchema: input }, async ({ key }) => {
  const task = await tasks.getTask(going.get(key)?.id ?? '');
  return text(task?.status ?? 'unknown');
});

if (process.argv.includes('--http')) {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'the-only-session' });
  await server.connect(transport);
  const http = createServer((request, response) => void transport.handleRequest(request, response));
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
} else {
  await server.connect(new StdioServerTransport());
  process.stdin.on('end', () => process.exit());
}
