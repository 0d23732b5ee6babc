/** Clients and children of both eras of the protocol. */
import type { TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { cleanup } from './cleanup.js';
import { freshHome } from './home.js';
import { child, hubUrl, PROGRAM, ROOT } from './hub.js';
import { servedUrl } from './served.js';

const REVISION = '2026-07-28';

export type Mode = 'legacy' | { pin: typeof REVISION };
type Transport = StdioClientTransport | StreamableHTTPClientTransport;

/** How a client comes to a hub with these arguments. */
export const WAYS_IN = new Map<string, (t: TestContext, args: readonly string[]) => Promise<Transport>>([
  [
    'standard streams',
    async (t, args) =>
      new StdioClientTransport({
        command: process.execPath,
        args: [PROGRAM, '--stdio', ...args],
        env: await freshHome(t),
        cwd: ROOT,
        stderr: 'ignore',
      }),
  ],
  ['HTTP', async (t, args) => new StreamableHTTPClientTransport(new URL(await hubUrl(t, args)))],
]);

/** Clients of both eras. */
export const CLIENTS = new Map<string, Mode>([
  ['with sessions', 'legacy'],
  ['without sessions', { pin: REVISION }],
]);

/** The words of a child of one era as the hub's command line has them. */
export const CHILDREN = new Map<string, (t: TestContext) => Promise<readonly string[]>>([
  ['with sessions', () => Promise.resolve(child('c', 'plain'))],
  ['without sessions', () => Promise.resolve(child('c', 'modern'))],
  ['without sessions over HTTP', async (t) => ['c', await servedUrl(t, 'modern', '--http')]],
]);

/** A client that answers, and what it was asked and told. */
export interface Person {
  readonly client: Client;
  readonly questions: string[];
  readonly notices: string[];
  text(name: string, args?: Record<string, unknown>, options?: object): Promise<string>;
  /** The same by the hub's tool that calls others. */
  inner(name: string, args?: Record<string, unknown>, options?: object): Promise<string>;
}

const ASKED = { action: 'accept' as const, content: { name: 'J\u00f6rg' } };
const SAMPLED = {
  role: 'assistant' as const,
  model: 'm',
  content: { type: 'text' as const, text: 'a sampled answer' },
};

/** Connects a client that answers all questions. */
export async function connect(t: TestContext, transport: Transport, mode: Mode): Promise<Person> {
  const notices: string[] = [];
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
      versionNegotiation: { mode },
      listChanged: { tools: { onChanged: (_, tools) => void notices.push(...(tools ?? []).map(({ name }) => name)) } },
    },
  );
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return ASKED;
  });
  client.setRequestHandler('sampling/createMessage', () => SAMPLED);
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///somewhere', name: 'somewhere' }] }));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void notices.push(params.uri));
  cleanup(t, () => client.close());
  await client.connect(transport);
  const text = async (name: string, args: Record<string, unknown> = {}, options = {}): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: args }, options);
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  };
  const inner: typeof text = (name, args = {}, options = {}) => text('hub.call', { name, arguments: args }, options);
  return { client, questions, notices, text, inner };
}
