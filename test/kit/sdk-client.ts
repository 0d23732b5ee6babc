import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type * as ClientModule from '@modelcontextprotocol/sdk/client/index.js';
import type * as SseModule from '@modelcontextprotocol/sdk/client/sse.js';
import type * as StdioModule from '@modelcontextprotocol/sdk/client/stdio.js';
import type * as HttpModule from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type * as Types from '@modelcontextprotocol/sdk/types.js';
import { ROOT } from './hub.js';
import type { Environment } from './processes.js';
import { ASKING, BEFORE_HTTP, ERAS, SDKS, type Sdk } from './sdks.js';

/** A program of Node.js to be started, or the address of a server that runs. */
export type Front = { readonly args: readonly string[]; readonly env: Environment } | { readonly url: string };

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
}

/** A client on any SDK, as far as the tests use it. It says yes to all questions. */
export interface SdkClient {
  /** Whether its revision has questions. */
  readonly canBeAsked: boolean;
  /** The questions it was asked. */
  readonly questions: string[];
  /** The log messages it got. */
  readonly logs: unknown[];
  /** What came that it could not make sense of, such as an answer to nothing or progress of nobody's. */
  readonly errors: Error[];
  /** How often it heard that the tools have changed. */
  readonly changes: () => number;
  tools(): Promise<string[]>;
  /** The text of a result, an error's too. */
  call(name: string, key: string, options?: CallOptions): Promise<string>;
  close(): Promise<void>;
}

/** Connects a client on an SDK. */
export function connectSdk(sdk: Sdk, front: Front): Promise<SdkClient> {
  return ERAS.has(sdk) ? connect2(sdk, front) : connect1(sdk, front);
}

function command({ args, env }: Extract<Front, { args: unknown }>): {
  command: string;
  args: string[];
  env: Environment;
  cwd: string;
  stderr: 'ignore';
} {
  return { command: process.execPath, args: [...args], env, cwd: ROOT, stderr: 'ignore' };
}

async function connect1(sdk: Sdk, front: Front): Promise<SdkClient> {
  const load = async (module: string): Promise<unknown> => await import(`${SDKS[sdk]}/${module}.js`);
  const { Client: Client1 } = (await load('client/index')) as typeof ClientModule;
  const types = (await load('types')) as typeof Types;
  const canBeAsked = ASKING.has(sdk);
  const client = new Client1({ name: sdk, version: '1' }, { capabilities: canBeAsked ? { elicitation: {} } : {} });
  const questions: string[] = [];
  const [logs, errors]: [unknown[], Error[]] = [[], []];
  let changes = 0;
  if (canBeAsked)
    client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: {} };
    });
  client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => {
    changes += 1;
  });
  client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => void logs.push(params.data));
  client.onerror = (error) => void errors.push(error);
  if ('url' in front && sdk === BEFORE_HTTP) {
    const { SSEClientTransport: Sse } = (await load('client/sse')) as typeof SseModule;
    // What is deprecated is just what it has.
    await client.connect(new Sse(new URL(front.url.replace(/mcp$/, 'sse'))) as Parameters<typeof client.connect>[0]);
  } else if ('url' in front) {
    const { StreamableHTTPClientTransport: Http } = (await load('client/streamableHttp')) as typeof HttpModule;
    // Its types do not allow for exactOptionalPropertyTypes.
    await client.connect(new Http(new URL(front.url)) as Parameters<typeof client.connect>[0]);
  } else {
    const { StdioClientTransport: Stdio } = (await load('client/stdio')) as typeof StdioModule;
    await client.connect(new Stdio(command(front)));
  }
  return {
    canBeAsked,
    questions,
    logs,
    errors,
    changes: () => changes,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, key, options) =>
      textOf(await client.callTool({ name, arguments: { key } }, types.CallToolResultSchema, options)),
    close: () => client.close(),
  };
}

async function connect2(sdk: Sdk, front: Front): Promise<SdkClient> {
  const era = ERAS.get(sdk);
  const mode = era === 'modern' ? { pin: '2026-07-28' } : (era ?? 'legacy');
  const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } };
  const client = new Client({ name: sdk, version: '1' }, options);
  const questions: string[] = [];
  const [logs, errors]: [unknown[], Error[]] = [[], []];
  let changes = 0;
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: {} };
  });
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    changes += 1;
  });
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data));
  client.onerror = (error) => void errors.push(error);
  const transport =
    'url' in front ? new StreamableHTTPClientTransport(new URL(front.url)) : new StdioClientTransport(command(front));
  await client.connect(transport);
  // Which fails where that is not the era that was agreed.
  if (era !== 'legacy') await client.listen({ toolsListChanged: true });
  return {
    canBeAsked: true,
    questions,
    logs,
    errors,
    changes: () => changes,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, key, options) => textOf(await client.callTool({ name, arguments: { key } }, options)),
    close: () => client.close(),
  };
}

function textOf({ content }: Readonly<Record<string, unknown>>): string {
  const [block] = content as { text?: string }[];
  return block?.text ?? '';
}
