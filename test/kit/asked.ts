import type { TestContext } from 'node:test';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { cleanup } from './cleanup.js';
import { hubUrl, PROGRAM, ROOT } from './hub.js';
import type { Environment } from './processes.js';

/** A filled form, or none. */
type Filled = Record<string, string | boolean> | undefined;

/** A question that a client was to show. */
export interface Shown {
  readonly message: string;
  readonly schema: {
    readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
    readonly required?: readonly string[];
  };
}

/** A client on an SDK that shows forms to a person who answers them as `answer` says. */
export interface AskedClient {
  readonly questions: Shown[];
  answer: (question: Shown) => Filled;
  call(name: string, args?: Record<string, unknown>): Promise<{ readonly text: string; readonly isError: boolean }>;
  close(): Promise<void>;
}

type Make = (t: TestContext, args: readonly string[], env: Environment) => Promise<AskedClient>;

/** Clients of both eras, by what they are. */
export const ASKED_CLIENTS: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['SDK 1 on standard streams', async (t, args, env) => await connect1(t, new Stdio1(command(args, env)))],
  // Its types do not allow for exactOptionalPropertyTypes.
  [
    'SDK 1 over HTTP',
    async (t, args, env) => await connect1(t, new Http1(await url(t, args, env)) as unknown as Stdio1),
  ],
  ['SDK 2 on standard streams', async (t, args, env) => await connect2(t, new Stdio2(command(args, env)))],
  ['SDK 2 over HTTP', async (t, args, env) => await connect2(t, new Http2(await url(t, args, env)))],
]);

async function url(t: TestContext, args: readonly string[], env: Environment): Promise<URL> {
  return new URL(await hubUrl(t, args, env));
}

function command(args: readonly string[], env: Environment) {
  return { command: process.execPath, args: [PROGRAM, '--stdio', ...args], env, cwd: ROOT, stderr: 'ignore' as const };
}

const INFO = { name: 'asked', version: '1' };
const CAPABILITIES = { elicitation: { form: {} } };

/** As it stands on the wire, which each SDK types differently. */
interface Params {
  readonly message: string;
  readonly requestedSchema?: unknown;
}

function person(): Pick<AskedClient, 'questions' | 'answer'> {
  return { questions: [], answer: () => undefined };
}

function filled(asked: Pick<AskedClient, 'questions' | 'answer'>, { message, requestedSchema }: Params) {
  const question = { message, schema: requestedSchema as Shown['schema'] };
  asked.questions.push(question);
  const content = asked.answer(question);
  return content === undefined ? { action: 'decline' as const } : { action: 'accept' as const, content };
}

async function connect1(t: TestContext, transport: Stdio1): Promise<AskedClient> {
  const client = new Client1(INFO, { capabilities: CAPABILITIES });
  cleanup(t, () => client.close());
  const asked = person();
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => filled(made, params));
  const made: AskedClient = {
    ...asked,
    call: async (name, args = {}) => outcome(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  };
  await client.connect(transport);
  return made;
}

async function connect2(t: TestContext, transport: Stdio2 | Http2): Promise<AskedClient> {
  const client = new Client2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  cleanup(t, () => client.close());
  const asked = person();
  client.setRequestHandler('elicitation/create', ({ params }) => filled(made, params));
  const made: AskedClient = {
    ...asked,
    call: async (name, args = {}) => outcome(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  };
  await client.connect(transport);
  return made;
}

function outcome({ content, isError }: Readonly<Record<string, unknown>>): { text: string; isError: boolean } {
  const [block] = (content ?? []) as { text?: string }[];
  return { text: block?.text ?? '', isError: isError === true };
}
