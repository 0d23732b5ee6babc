/**
 * An MCP server of 2026-07-28 only, on the SDK, with the tools that `plain` has for questions, progress and changes: on
 * standard input and output, or with `--http` at an address that it prints. `--started FILE` adds its process id to a file.
 */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  type CallToolResult,
  createMcpHandler,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

type Outcome = CallToolResult | InputRequiredResult;

const at = process.argv.indexOf('--started');
if (at !== -1) appendFileSync(process.argv[at + 1] ?? '', `${process.pid}\n`);

let begun = 0;
const cancelled: string[] = [];
const added: string[] = [];
const servers = new Set<McpServer>();
let changed = (): void => undefined;
let updated = (_: string): void => undefined;

const form = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] };

function text(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] };
}

/** Asks once; the answer comes with the same call made again. */
function ask(context: ServerContext, request: InputRequiredResult['inputRequests']): Outcome {
  const answer = context.mcpReq.inputResponses?.['it'];
  if (answer !== undefined) return text({ answer, state: context.mcpReq.requestState<string>() });
  return inputRequired({
    ...(request === undefined ? {} : { inputRequests: request }),
    requestState: 'st\u00e4te/"1"',
  });
}

function build(): McpServer {
  const server = new McpServer(
    { name: 'modern', version: '1' },
    { capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } } },
  );
  const tool = (
    name: string,
    handle: (args: Record<string, unknown>, context: ServerContext) => Outcome | Promise<Outcome>,
  ): void =>
    void server.registerTool(name, { inputSchema: z.looseObject({}) }, (args, context) => handle(args, context));
  tool('echo', (args) => text(args));
  tool('pid', () => text(String(process.pid)));
  tool('who', (_, { mcpReq }) => text(mcpReq.envelope ?? {}));
  tool('ask', ({ message, requestedSchema }, context) =>
    ask(context, {
      it: inputRequired.elicit({
        message: String(message),
        requestedSchema: (requestedSchema as typeof form | undefined) ?? form,
      }),
    }),
  );
  tool('sample', (_, context) =>
    ask(context, {
      it: inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }],
        maxTokens: 9,
      }),
    }),
  );
  tool('roots', (_, context) => ask(context, { it: inputRequired.listRoots() }));
  tool('progress', async ({ steps }, { mcpReq }) => {
    const token = mcpReq._meta?.progressToken;
    for (let step = 1; step <= Number(steps); step += 1) {
      if (token !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress: step } });
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    return text('done');
  });
  tool('log', async (_, { mcpReq }) => {
    await mcpReq.log('warning', 'something happened');
    return text('logged');
  });
  tool('slow', (_, { mcpReq: { signal } }) => {
    begun += 1;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        cancelled.push(String(signal.reason));
        reject(new Error('cancelled'));
      });
    });
  });
  tool('begun', () => text(String(begun)));
  tool('cancelled', () => text(cancelled));
  tool('add', ({ name }) => {
    added.push(String(name));
    for (const each of servers) each.registerTool(String(name), {}, () => text(String(name)));
    changed();
    return text('added');
  });
  tool('touch', ({ uri }) => {
    updated(String(uri));
    return text('touched');
  });
  server.registerTool(
    'mirrored',
    { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
    ({ region }) => text(region),
  );
  server.registerResource('note', 'note:///1', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'a note' }] }));
  for (const name of added) server.registerTool(name, {}, () => text(name));
  servers.add(server);
  return server;
}

if (process.argv.includes('--http')) {
  servers.clear();
  const handler = createMcpHandler(
    () => {
      const server = build();
      servers.delete(server);
      return server;
    },
    { legacy: 'reject' },
  );
  changed = () => void handler.notify.toolsChanged();
  updated = (uri) => void handler.notify.resourceUpdated(uri);
  const handle = toNodeHandler(handler);
  const http = createServer((request, response) => void handle(request as NodeIncomingMessageLike, response));
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
} else {
  updated = (uri) => {
    for (const { server } of servers) void server.sendResourceUpdated({ uri });
  };
  serveStdio(build, { legacy: 'reject' });
}
