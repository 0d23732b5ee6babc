import {
  type CallToolResult,
  type InputRequiredResult,
  type McpRequestContext,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { asFault, Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Policy } from '../shared/verdict.js';
import { verdict } from '../shared/verdict.js';
import { askers } from './ask.js';
import { clientOf, progressOf } from './caller.js';
import type { Editors } from './editors.js';
import { InputNeeded } from './elicit.js';
import type { Headless } from './headless.js';
import type { Options } from './options.js';
import { ACTIONS, type Action, inForce, layered, type Permission, type Question } from './permission.js';
import { editorQuestion, fileOfBuffer } from './question.js';
import { offerResources } from './resources.js';
import { argumentsSchema, resultSchema } from './schema.js';
import { explained } from './stale.js';
import { annotationsOf, type Call, type Offered, type Tool } from './tool.js';
import { offeredTools } from './tools/index.js';
import { VERSION } from './version.js';
import { Views } from './views.js';

const INSTRUCTIONS = `Reads and edits the text in the person's running Vim editors, unsaved changes included.
Begin with targets (which editors), then state (buffers with their changedtick), then read-lines or grep.
What the person means by "this" is in selection.
Change text with edit, apply-diff or substitute, giving the changedtick of what you read. Edits stay unsaved until save.
When a call says the buffer changed, read again and make the edit anew: the person is typing too.`;

/** Makes servers over one set of editors, one for each session, or for each request where the protocol has none. */
export function serverFactory(
  editors: Editors,
  policy: Policy,
  { asking, readOnly }: Pick<Options, 'asking' | 'readOnly'>,
  headless?: Headless,
): (context?: McpRequestContext) => McpServer {
  const asker = askers(asking, policy);
  const served = offeredTools(readOnly);
  const views = new Views(editors);
  const common = {
    editors,
    headless,
    views,
    offered: () => offers(served, policy),
    isFree: (action: Action) => inForce(policy, action) === 'allow',
  };
  let sessions = 0;
  /** Made when first needed, and once: they take longer than most calls. */
  let configs: Map<Tool, Config> | undefined;
  return (context) => {
    const server = new McpServer({ name: 'mcp-vim', title: 'Vim', version: VERSION }, { instructions: INSTRUCTIONS });
    configs ??= new Map(served.map((tool) => [tool, configOf(tool)]));
    sessions += 1;
    const session = String(sessions);
    const permission = (asking: ServerContext): Permission => {
      return layered(policy, asker(asking, server.server.getClientCapabilities()));
    };
    server.server.onclose = () => views.left(session);
    for (const [tool, config] of configs) register(server, tool, config, { ...common, session }, policy, permission);
    offerResources(server, { editors, permission }, context);
    return server;
  };
}

function offers(served: readonly Tool[], policy: Policy): Offered[] {
  const named = (action: Action): string[] => served.filter((tool) => tool.action === action).map(({ name }) => name);
  return ACTIONS.map((action) => ({ action, permission: inForce(policy, action), names: named(action) })).filter(
    ({ names }) => names.length > 0,
  );
}

/** What calls of all tools work with. */
interface Common {
  readonly editors: Editors;
  readonly headless: Headless | undefined;
  readonly views: Views;
  offered(): Offered[];
  isFree(action: Action): boolean;
  /** Tells this server from others. */
  readonly session: string;
}

type Config = ReturnType<typeof configOf>;

/** A tool as clients are told of it. */
function configOf(tool: Tool) {
  return {
    title: tool.title,
    description: tool.description,
    inputSchema: argumentsSchema(tool.input),
    outputSchema: resultSchema(tool.output),
    annotations: annotationsOf(tool),
  };
}

function register(
  server: McpServer,
  tool: Tool,
  config: Config,
  common: Common,
  policy: Policy,
  permissionFor: (context: ServerContext) => Permission,
): void {
  server.registerTool(tool.name, config, (args: unknown, context: ServerContext) => {
    const permission = permissionFor(context);
    const { signal } = context.mcpReq;
    const by = { signal, client: clientOf(server, context, common.session) };
    const allow = (question: Question): Promise<void> => permission.decide(question, signal);
    const call = { ...common, signal, by, allow, progress: progressOf(context) };
    return run(tool, frozen(args), call, policy);
  });
}

async function run(
  tool: Tool,
  args: unknown,
  call: Call,
  policy: Policy,
): Promise<CallToolResult | InputRequiredResult> {
  const seen = seenBuffer(tool, args);
  try {
    await refuseEarly(tool, args as Place, call, policy);
    const value = await tool.handle(args, seen === undefined ? call : following(call, seen));
    return { content: [{ type: 'text', text: tool.text(value) }], structuredContent: value };
  } catch (error) {
    if (error instanceof InputNeeded) return error.result;
    return failure(tool, await helpful(asFault(error), seen, call, policy));
  }
}

/** What the arguments of most tools have. */
interface Place {
  readonly target?: string;
  readonly buffer?: number;
}

/** Changes that are denied anyway are refused before the text is read for them: not even an error is to tell of it. */
async function refuseEarly({ action }: Tool, { target, buffer }: Place, call: Call, policy: Policy): Promise<void> {
  if ((action !== 'write' && action !== 'save') || buffer === undefined) return;
  const editor = call.editors.find(target);
  const question = editorQuestion(action, editor, '', {}, undefined, fileOfBuffer(editor, buffer, call.signal));
  const { decision, by } = await verdict(policy, question);
  if (decision === 'deny') throw new Fault('denied', `${action} is denied by ${by}`);
}

/** The arguments, which nothing can change from here on: what is asked about is what runs. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** The buffer that a call reads or changes, with the tick it goes by. */
interface Seen {
  readonly target: string | undefined;
  readonly buffer: number;
  readonly expected_changedtick?: number;
}

function seenBuffer({ input }: Tool, args: unknown): Seen | undefined {
  const isGuarded = 'expected_changedtick' in input.shape && 'buffer' in input.shape;
  return isGuarded && (args as Partial<Seen>).buffer !== undefined ? (args as Seen) : undefined;
}

/** The same call, which has its buffer followed from when it is allowed. */
function following(call: Call, { target, buffer }: Seen): Call {
  const allow = async (question: Question): Promise<void> => {
    await call.allow(question);
    call.editors.connected(target)?.feed.use(buffer);
  };
  return { ...call, allow };
}

/** A stale refusal tells what happened meanwhile, to who may read that. */
async function helpful(fault: Fault, seen: Seen | undefined, { editors, by }: Call, policy: Policy): Promise<Fault> {
  const tick = seen?.expected_changedtick;
  // With a reason it is the file that has changed.
  if (fault.kind !== 'stale' || seen === undefined || tick === undefined || 'reason' in fault.data) return fault;
  const { target, buffer } = seen;
  const editor = editors.connected(target);
  if (editor === undefined) return fault;
  const question = editorQuestion('read', editor, '', {}, undefined, fileOfBuffer(editor, buffer, by.signal));
  const found = await verdict(policy, question).catch(() => undefined);
  return found?.decision === 'allow' ? await explained(fault, editor, buffer, tick, by.client) : fault;
}

/** What the model can act on: what happened, what to do next, and the facts as JSON. */
function failure(tool: Tool, fault: Fault): CallToolResult {
  if (fault.kind === 'bug') log.error(`${tool.name}: ${fault.message} ${JSON.stringify(fault.data)}`);
  const text = `${fault.text}\n${JSON.stringify({ error: fault.kind, ...fault.data })}`;
  return { isError: true, content: [{ type: 'text', text }] };
}
