/** The server for revision 2025-11-25 and before, on SDK 1. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  type ElicitRequestFormParams,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import {
  type Block,
  CAPABILITIES,
  CHOICES,
  contentsOf,
  DEFAULTS,
  FAILURE,
  form,
  LOGGED,
  PLAIN_TOOLS,
  PROMPTS,
  RESOURCES,
  SCHEMA_2020,
  TEMPLATE,
  text,
} from './content.js';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Arguments = Readonly<Record<string, unknown>>;
type Form = ElicitRequestFormParams['requestedSchema'];

interface Tool {
  readonly input: { type: 'object'; [key: string]: unknown };
  run(args: Arguments, extra: Extra): Promise<CallToolResult> | CallToolResult;
}

const NO_INPUT: Tool['input'] = { type: 'object', properties: {} };
/** Milliseconds between two messages, so that each goes out by itself. */
const APART = 50;

const TOOLS: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  ...[...PLAIN_TOOLS].map(([name, content]): [string, Tool] => [name, { input: NO_INPUT, run: () => ({ content }) }]),
  ['test_error_handling', { input: NO_INPUT, run: () => ({ content: [text(FAILURE)], isError: true }) }],
  ['test_tool_with_logging', { input: NO_INPUT, run: logs }],
  ['test_tool_with_progress', { input: NO_INPUT, run: progresses }],
  ['test_reconnection', { input: NO_INPUT, run: reconnects }],
  ['test_sampling', { input: strings('prompt'), run: samples }],
  [
    'test_elicitation',
    {
      input: strings('message'),
      run: ({ message }, extra) => asks(extra, 'User response', String(message), form('response', 'string')),
    },
  ],
  [
    'test_elicitation_sep1034_defaults',
    { input: NO_INPUT, run: (_, extra) => asks(extra, 'Elicitation completed', 'Please look at the form', DEFAULTS) },
  ],
  [
    'test_elicitation_sep1330_enums',
    { input: NO_INPUT, run: (_, extra) => asks(extra, 'Elicitation completed', 'Please choose', CHOICES) },
  ],
  ['json_schema_2020_12_tool', { input: SCHEMA_2020, run: (args) => said(`called with: ${JSON.stringify(args)}`) }],
]);

/** A server for one connection. */
export function legacyServer(): Server {
  const server = new Server({ name: 'conformance', version: '1' }, { capabilities: CAPABILITIES });
  serveTools(server);
  serveResources(server);
  servePrompts(server);
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(CompleteRequestSchema, () => ({ completion: { values: [], total: 0, hasMore: false } }));
  return server;
}

function serveTools(server: Server): void {
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...TOOLS].map(([name, { input }]) => ({ name, description: `The tool ${name}`, inputSchema: input })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const tool = TOOLS.get(params.name);
    if (tool === undefined) throw new Error(`there is no tool ${params.name}`);
    return tool.run(params.arguments ?? {}, extra);
  });
}

function serveResources(server: Server): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...RESOURCES] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => {
    const contents = contentsOf(params.uri);
    if (contents === undefined) throw new Error(`there is no resource ${params.uri}`);
    return { contents: [contents] };
  });
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
}

function servePrompts(server: Server): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [...PROMPTS].map(([name, { description, args }]) => ({
      name,
      description,
      arguments: args.map((each) => ({ name: each, description: `The argument ${each}`, required: true })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const prompt = PROMPTS.get(params.name);
    if (prompt === undefined) throw new Error(`there is no prompt ${params.name}`);
    return { messages: prompt.messages(params.arguments ?? {}) };
  });
}

async function logs(_: Arguments, { sendNotification }: Extra): Promise<CallToolResult> {
  for (const data of LOGGED) {
    await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
    await sleep(APART);
  }
  return said('Tool with logging executed successfully');
}

async function progresses(_: Arguments, { _meta, sendNotification }: Extra): Promise<CallToolResult> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return said('nobody wants to know');
  for (const progress of [0, 50, 100]) {
    const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` };
    await sendNotification({ method: 'notifications/progress', params });
    await sleep(APART);
  }
  return said(String(progressToken));
}

/** Ends the stream that the client waits on; the answer comes once it has come back for it. */
async function reconnects(_: Arguments, { closeSSEStream }: Extra): Promise<CallToolResult> {
  closeSSEStream?.();
  await sleep(2 * APART);
  return said('Reconnection test completed successfully.');
}

async function samples({ prompt }: Arguments, { sendRequest }: Extra): Promise<CallToolResult> {
  const content = text(String(prompt));
  const params = { messages: [{ role: 'user' as const, content }], maxTokens: 100 };
  const result = await sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema);
  return said(`LLM response: ${result.content.type === 'text' ? result.content.text : result.content.type}`);
}

async function asks(
  { sendRequest }: Extra,
  head: string,
  message: string,
  requestedSchema: Form,
): Promise<CallToolResult> {
  const params = { message, requestedSchema };
  const { action, content } = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
  return said(`${head}: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

function strings(...names: readonly string[]): Tool['input'] {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return { type: 'object', properties, required: names };
}

function said(what: string): { content: Block[] } {
  return { content: [text(what)] };
}
