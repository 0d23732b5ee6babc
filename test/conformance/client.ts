/**
 * What the conformance suite measures as a client: the hub, with the scenario's server as its only child, driven as the
 * scenario wants it; or, with `direct` as the first argument, SDK 2 alone. The suite gives the server's address as the last
 * argument and the rest by variables.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { browsing } from '../kit/browser.js';
import { makeHome } from '../kit/home.js';
import { PROGRAM, ROOT } from '../kit/hub.js';
import { discoverable } from './discover.js';

type Drive = (client: Client) => Promise<unknown>;
interface NamedCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}
/** What a scenario tells of itself. */
interface Context {
  readonly toolCalls?: readonly NamedCall[];
  readonly client_id?: string;
  readonly client_secret?: string;
}

/** What is done once the tools are listed, by scenario; in the others that is all. */
const DRIVES: ReadonlyMap<string, Drive> = new Map<string, Drive>([
  ['tools_call', (client) => client.callTool({ name: 'add_numbers', arguments: { a: 5, b: 3 } })],
  ['elicitation-sep1034-client-defaults', (client) => callAll(client, ['test_client_elicitation_defaults'])],
  ['sse-retry', (client) => callAll(client, ['test_reconnection'])],
  ['http-standard-headers', useEverything],
  ['http-custom-headers', callAsTold],
  ['http-invalid-tool-headers', callAllListed],
  [
    'sep-2322-client-request-state',
    (client) =>
      callAll(client, [
        'test_mrtr_echo_state',
        'test_mrtr_no_state',
        'test_mrtr_unrelated',
        'test_mrtr_no_result_type',
      ]),
  ],
  ['json-schema-2020-12-preservation', giveSchemaBack],
]);

/** Scenarios whose server cannot be greeted by anybody. */
const UNGREETABLE: ReadonlySet<string> = new Set([
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'sep-2322-client-request-state',
]);

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context;
const isModern = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28';
const given = process.argv.at(-1) ?? '';
const server = UNGREETABLE.has(scenario) ? await discoverable(given) : { url: given, close: () => undefined };
const home = await makeHome();
const client = process.argv[2] === 'direct' ? await connect(server.url) : await connectByHub(server.url);
try {
  await client.listTools();
  await (scenario.startsWith('auth/') ? callAll(client, ['test-tool']) : DRIVES.get(scenario)?.(client));
} finally {
  await client.close();
  server.close();
  await home.remove();
}

async function connect(url: string): Promise<Client> {
  const sdk = driver(isModern ? 'auto' : 'legacy');
  await sdk.connect(new StreamableHTTPClientTransport(new URL(url)));
  return sdk;
}

/** A client of a hub that has the server as a child. */
async function connectByHub(url: string): Promise<Client> {
  const sdk = driver('legacy');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, '--stdio', 'far', url, '--eager', '--no-prefix', ...introduction()],
    env: await browsing(home.env, home.path),
    cwd: ROOT,
    stderr: 'inherit',
  });
  await sdk.connect(transport);
  return sdk;
}

/** How the hub is known to the authorization server, where the scenario says so. */
function introduction(): string[] {
  if (scenario === 'auth/basic-cimd')
    return ['--oauth-document', 'https://conformance-test.local/client-metadata.json'];
  const { client_id: id, client_secret: secret } = context;
  return id === undefined ? [] : ['--oauth-id', id, ...(secret === undefined ? [] : ['--oauth-secret', secret])];
}

function driver(mode: 'auto' | 'legacy'): Client {
  const capabilities = { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} };
  const sdk = new Client({ name: 'driver', version: '1' }, { capabilities, versionNegotiation: { mode } });
  const content = scenario === 'sep-2322-client-request-state' ? { confirmed: true } : {};
  sdk.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content }));
  return sdk;
}

async function callAll(driver: Client, names: readonly string[]): Promise<void> {
  // A scenario may want the client to refuse an answer; the suite has seen then what it wanted to see.
  for (const name of names) await driver.callTool({ name, arguments: {} }).catch(report);
}

function report(error: unknown): void {
  console.error(String(error));
}

async function useEverything(driver: Client): Promise<void> {
  await callAllListed(driver);
  for (const { uri } of (await driver.listResources()).resources) await driver.readResource({ uri });
  for (const { name } of (await driver.listPrompts()).prompts) await driver.getPrompt({ name, arguments: {} });
}

async function callAllListed(driver: Client): Promise<void> {
  for (const { name } of (await driver.listTools()).tools)
    await driver.callTool({ name, arguments: { region: 'us-west1' } }).catch(report);
}

async function callAsTold(driver: Client): Promise<void> {
  for (const call of context.toolCalls ?? []) await driver.callTool({ ...call });
}

async function giveSchemaBack(driver: Client): Promise<void> {
  const { tools } = await driver.listTools();
  const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
  await driver.callTool({ name: 'json_schema_echo', arguments: { schema } });
}
