import {
  type CallToolResult,
  type InputRequiredResult,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { asFault, type Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Editors } from './editors.js';
import { elicitation, InputNeeded, OpenQuestions } from './elicit.js';
import { ACTIONS, type Action, type Decided, inForce, layered } from './permission.js';
import { argumentsSchema, resultSchema } from './schema.js';
import type { Call, Offered, Tool } from './tool.js';
import { tools } from './tools/index.js';
import { VERSION } from './version.js';

const INSTRUCTIONS = `Reads and edits the text in the person's running Vim editors, unsaved changes included.
Begin with targets (which editors), then state (buffers with their changedtick), then read-lines or grep.
What the person means by "this" is in selection.
Change text with edit, apply-diff or substitute, giving the changedtick of what you read. Edits stay unsaved until save.
When a call says the buffer changed, read again and make the edit anew: the person is typing too.`;

/** Makes servers over one set of editors, one for each session, or for each request where the protocol has none. */
export function serverFactory(editors: Editors, decided: Decided): () => McpServer {
  const open = new OpenQuestions();
  const offered = offers(decided);
  /** Made when first needed, and once: they take longer than most calls. */
  let configs: Map<Tool, Config> | undefined;
  return () => {
    const server = new McpServer({ name: 'mcp-vim', title: 'Vim', version: VERSION }, { instructions: INSTRUCTIONS });
    configs ??= new Map(tools.map((tool) => [tool, configOf(tool)]));
    for (const [tool, config] of configs) register(server, tool, config, { editors, offered }, decided, open);
    return server;
  };
}

function offers(decided: Decided): Offered[] {
  const named = (action: Action): string[] => tools.filter((tool) => tool.action === action).map(({ name }) => name);
  return ACTIONS.map((action) => ({ action, permission: inForce(decided, action), names: named(action) })).filter(
    ({ names }) => names.length > 0,
  );
}

/** What calls of all tools work with. */
interface Common {
  readonly editors: Editors;
  readonly offered: readonly Offered[];
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
  decided: Decided,
  open: OpenQuestions,
): void {
  server.registerTool(tool.name, config, (args: unknown, context: ServerContext) => {
    const permission = layered(decided, elicitation(open, context, server.server.getClientCapabilities()));
    const { signal } = context.mcpReq;
    return run(tool, args, { ...common, signal, allow: (question) => permission.decide(question, signal) });
  });
}

async function run(tool: Tool, args: unknown, call: Call): Promise<CallToolResult | InputRequiredResult> {
  try {
    const value = await tool.handle(args, call);
    return { content: [{ type: 'text', text: tool.text(value) }], structuredContent: value };
  } catch (error) {
    if (error instanceof InputNeeded) return error.result;
    return failure(tool, asFault(error));
  }
}

/** What the model can act on: what happened, what to do next, and the facts as JSON. */
function failure(tool: Tool, fault: Fault): CallToolResult {
  if (fault.kind === 'bug') log.error(`${tool.name}: ${fault.message} ${JSON.stringify(fault.data)}`);
  const text = `${fault.text}\n${JSON.stringify({ error: fault.kind, ...fault.data })}`;
  return { isError: true, content: [{ type: 'text', text }] };
}

/** Hints for clients, which may let read-only tools pass unasked; the others mean nothing for those. */
function annotationsOf({ action, destructive, idempotent }: Tool): Record<string, boolean> {
  if (action === 'read') return { readOnlyHint: true };
  return { readOnlyHint: false, destructiveHint: destructive, ...(idempotent ? { idempotentHint: true } : {}) };
}
