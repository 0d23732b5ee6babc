/** The server for revision 2026-07-28, on SDK 2: no sessions, and questions as results that want a retry. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequests,
  type InputRequiredResult,
  acceptedContent as inForm,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import {
  CAPABILITIES,
  contentsOf,
  FAILURE,
  form,
  PLAIN_TOOLS,
  PROMPTS,
  RESOURCES,
  SCHEMA_2020,
  TEMPLATE,
  text,
} from './content.js';

type Outcome = CallToolResult | InputRequiredResult;
type Run = (args: Readonly<Record<string, unknown>>, context: ServerContext) => Outcome | Promise<Outcome>;
/** The state that a client brings back, proved to be ours by a key that lives as long as this process. */
type State = Readonly<Record<string, unknown>>;

const states = createRequestStateCodec<State>({ key: randomBytes(32) });

const askName = ask('What is your name?', 'name', 'string');
const confirm = ask('Please confirm', 'ok', 'boolean');
const sample = inputRequired.createMessage({
  messages: [{ role: 'user', content: text('Generate a greeting') }],
  maxTokens: 50,
});
const roots = inputRequired.listRoots();

const TOOLS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ...[...PLAIN_TOOLS].map(([name, content]): [string, Run] => [name, () => ({ content })]),
  ['test_error_handling', () => ({ content: [text(FAILURE)], isError: true })],
  ['test_tool_with_progress', progresses],
  ['test_logging_tool', logs],
  ['test_streaming_elicitation', () => said('nothing is asked here')],
  ['test_missing_capability', (_, context) => needs(context, { llm_answer: sample })],
  ['test_trigger_tool_change', () => tells('toolsChanged')],
  ['test_trigger_prompt_change', () => tells('promptsChanged')],
  ['test_input_required_result_elicitation', (_, context) => asksName(context)],
  ['test_input_required_result_sampling', (_, context) => needs(context, { capital_question: sample })],
  ['test_input_required_result_list_roots', (_, context) => needs(context, { client_roots: roots })],
  [
    'test_input_required_result_multiple_inputs',
    async (_, context) =>
      needs(context, { user_name: askName, greeting: sample, client_roots: roots }, await states.mint({ round: 1 })),
  ],
  ['test_input_required_result_request_state', confirms],
  ['test_input_required_result_tampered_state', confirms],
  ['test_input_required_result_multi_round', asksTwice],
  ['test_input_required_result_capabilities', asksWhatIsOffered],
]);

type Changing = 'toolsChanged' | 'promptsChanged';

/** How often each list has been changed. */
const changes = { toolsChanged: 0, promptsChanged: 0 };
/** What has to be changed on connections that last; a request over HTTP has a server of its own. */
const lasting: { readonly what: Changing; readonly update: () => void }[] = [];

function changed(what: Changing): string {
  return `Changed ${changes[what]} times`;
}

const handler = createMcpHandler(() => modernServer());

/** The answers to HTTP requests. */
export function modernHttp(): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const handle = toNodeHandler(handler);
  return async (request, response) => void (await handle(request as NodeIncomingMessageLike, response));
}

/** A server for one connection, or for one request over HTTP. */
export function modernServer(lasts = false): McpServer {
  const options = { capabilities: CAPABILITIES, requestState: { verify: states.verify } };
  const server = new McpServer({ name: 'conformance', version: '1' }, options);
  const updates = { toolsChanged: serveTools(server), promptsChanged: servePrompts(server) };
  serveResources(server);
  if (lasts)
    for (const what of ['toolsChanged', 'promptsChanged'] as const) lasting.push({ what, update: updates[what] });
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
}

/** How to change its tools. */
function serveTools(server: McpServer): () => void {
  const noInput = fromJsonSchema<State>({ type: 'object', properties: {} });
  for (const [name, run] of TOOLS) {
    server.registerTool(name, { description: `The tool ${name}`, inputSchema: noInput }, (args, context) =>
      run(args, context),
    );
  }
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Its schema must arrive as it is', inputSchema: fromJsonSchema<State>(SCHEMA_2020) },
    (args) => said(`called with: ${JSON.stringify(args)}`),
  );
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const mirrored = { type: 'object', properties: { region, level: { type: 'integer' } } };
  server.registerTool(
    'test_x_mcp_header',
    { description: 'An argument of it goes into a header too', inputSchema: fromJsonSchema<State>(mirrored) },
    (args) => said(`region=${String(args['region'])}`),
  );
  const change = server.registerTool('test_changing', { description: changed('toolsChanged') }, () => said('nothing'));
  return () => change.update({ description: changed('toolsChanged') });
}

function serveResources(server: McpServer): void {
  for (const { name, uri, mimeType } of RESOURCES)
    server.registerResource(name, uri, { mimeType }, () => contentsFor(uri));
  const template = new ResourceTemplate(TEMPLATE.uriTemplate, { list: undefined });
  server.registerResource(TEMPLATE.name, template, { mimeType: TEMPLATE.mimeType }, ({ href }) => contentsFor(href));
}

function contentsFor(uri: string): { contents: NonNullable<ReturnType<typeof contentsOf>>[] } {
  const contents = contentsOf(uri);
  return { contents: contents === undefined ? [] : [contents] };
}

/** How to change its prompts. */
function servePrompts(server: McpServer): () => void {
  for (const [name, { description, args, messages }] of PROMPTS) {
    const properties = Object.fromEntries(args.map((each) => [each, { type: 'string', description: each }]));
    const argsSchema = fromJsonSchema<Record<string, string>>({ type: 'object', properties, required: [...args] });
    server.registerPrompt(name, { description, argsSchema }, (given) => ({ messages: messages(given) }));
  }
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks before it answers', argsSchema: fromJsonSchema<State>({ type: 'object' }) },
    (_, { mcpReq }) => {
      const context = inForm<{ context: string }>(mcpReq.inputResponses, 'user_context')?.context;
      if (typeof context === 'string')
        return { messages: [{ role: 'user', content: text(`Use the following context: ${context}`) }] };
      return inputRequired({
        inputRequests: { user_context: ask('What context should the prompt use?', 'context', 'string') },
      });
    },
  );
  const change = server.registerPrompt('test_changing', { description: changed('promptsChanged') }, () => ({
    messages: [],
  }));
  return () => change.update({ description: changed('promptsChanged') });
}

async function progresses(_: unknown, { mcpReq }: ServerContext): Promise<Outcome> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return said('nobody wants to know');
  for (const progress of [0, 50, 100]) {
    const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` };
    await mcpReq.notify({ method: 'notifications/progress', params });
  }
  return said(String(progressToken));
}

async function logs(_: unknown, { mcpReq }: ServerContext): Promise<Outcome> {
  await mcpReq.log('info', 'only for those who asked for it');
  return said('logged');
}

/** Changes a list, by one of its descriptions, and says so. */
function tells(what: Changing): Outcome {
  changes[what] += 1;
  for (const { update } of lasting.filter((each) => each.what === what)) update();
  handler.notify[what]();
  return said('told');
}

/** Asks until all of it has been answered, in whatever way. */
function needs({ mcpReq }: ServerContext, inputRequests: InputRequests, requestState?: string): Outcome {
  const given = mcpReq.inputResponses ?? {};
  const missing = Object.keys(inputRequests).some((name) => given[name] === undefined);
  if (missing) return inputRequired({ inputRequests, ...(requestState === undefined ? {} : { requestState }) });
  return said(`answered: ${JSON.stringify(given)}`);
}

function asksName({ mcpReq }: ServerContext): Outcome {
  const name = inForm<{ name: string }>(mcpReq.inputResponses, 'user_name')?.name;
  if (typeof name === 'string') return said(`Hello, ${name}!`);
  return inputRequired({ inputRequests: { user_name: askName } });
}

/** What the client brings back was checked before this runs. */
async function confirms(_: unknown, { mcpReq }: ServerContext): Promise<Outcome> {
  const isConfirmed = inForm(mcpReq.inputResponses, 'confirm') !== undefined;
  if (isConfirmed && mcpReq.requestState<State>() !== undefined) return said('state-ok');
  return inputRequired({ inputRequests: { confirm }, requestState: await states.mint({ round: 1 }) });
}

async function asksTwice(_: unknown, { mcpReq }: ServerContext): Promise<Outcome> {
  const { round = 0, name } = mcpReq.requestState<State>() ?? {};
  if (round === 0)
    return inputRequired({ inputRequests: { step1: askName }, requestState: await states.mint({ round: 1 }) });
  if (round === 1) {
    const given = inForm<{ name: string }>(mcpReq.inputResponses, 'step1')?.name ?? 'nobody';
    const step2 = ask('What is your favorite color?', 'color', 'string');
    return inputRequired({ inputRequests: { step2 }, requestState: await states.mint({ round: 2, name: given }) });
  }
  const color = inForm<{ color: string }>(mcpReq.inputResponses, 'step2')?.color ?? 'none';
  return said(`${String(name)} likes ${color}`);
}

function asksWhatIsOffered(_: unknown, context: ServerContext): Outcome {
  const { mcpReq } = context;
  if (mcpReq.inputResponses !== undefined) return said('answered');
  const envelope = mcpReq.envelope as State | undefined;
  const offered = Object(envelope?.[CLIENT_CAPABILITIES_META_KEY]) as State;
  return needs(context, {
    ...('elicitation' in offered ? { user_name: askName } : {}),
    ...('sampling' in offered ? { greeting: sample } : {}),
    ...('roots' in offered ? { client_roots: roots } : {}),
  });
}

function ask(message: string, name: string, type: 'string' | 'boolean'): InputRequests[string] {
  return inputRequired.elicit({ message, requestedSchema: form(name, type) });
}

function said(what: string): CallToolResult {
  return { content: [text(what)] };
}
