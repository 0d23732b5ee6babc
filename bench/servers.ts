/**
 * Ten servers of other people behind one hub at once: every tool is listed, and each server is called, both directly and
 * by what `--expose search` offers. Prints how many tokens a client spends on the lists in either way. The servers are
 * installed into a folder that is removed again, or taken from the one that BENCH_SERVERS names.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type Tool } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { tokens } from '../test/kit/catalogue.js';
import { eventually } from '../test/kit/until.js';
import { bin } from './programs.js';
import { printTable } from './report.js';

interface Server {
  readonly alias: string;
  /** With its version, so that a failure is one of the hub. */
  readonly install: string;
  readonly program: string;
  readonly args?: readonly string[];
  /** A call that needs neither an account nor a network. */
  readonly call: readonly [tool: string, args: Readonly<Record<string, unknown>>];
  /** Without this the server answers that it is missing, which is an answer, too. */
  readonly needs?: string;
}

/** Milliseconds for the slowest to start. */
const PATIENCE = 60_000;

type Result = Readonly<Record<string, unknown>>;

const place = mkdtempSync(join(tmpdir(), 'servers-'));
process.once('exit', () => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));
const work = join(place, 'work');
mkdirSync(work);
writeFileSync(join(work, 'note.js'), 'let unused = 1;\n');
writeFileSync(join(work, 'eslint.config.mjs'), 'export default [{ rules: { "no-unused-vars": "error" } }];\n');
writeFileSync(join(work, 'plan.drawio'), '<mxfile><diagram id="1" name="Plan"><mxGraphModel/></diagram></mxfile>');
execFileSync('git', ['init', '--quiet', work]);

const SERVERS: readonly Server[] = [
  {
    alias: 'everything',
    install: '@modelcontextprotocol/server-everything@2026.8.31',
    program: 'mcp-server-everything',
    call: ['echo', { message: 'hello' }],
  },
  {
    alias: 'files',
    install: '@modelcontextprotocol/server-filesystem@2026.8.31',
    program: 'mcp-server-filesystem',
    args: [work],
    call: ['list_directory', { path: work }],
  },
  {
    alias: 'memory',
    install: '@modelcontextprotocol/server-memory@2026.8.31',
    program: 'mcp-server-memory',
    call: ['read_graph', {}],
  },
  {
    alias: 'thinking',
    install: '@modelcontextprotocol/server-sequential-thinking@2026.8.31',
    program: 'mcp-server-sequential-thinking',
    call: ['sequentialthinking', { thought: 'x', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false }],
  },
  {
    alias: 'browser',
    install: '@playwright/mcp@0.0.83',
    program: 'playwright-mcp',
    call: ['browser_close', {}],
    needs: 'Chromium',
  },
  {
    alias: 'drawio',
    install: '@drawio/mcp@1.6.1',
    program: 'drawio-mcp',
    call: ['list_pages', { path: join(work, 'plan.drawio') }],
  },
  {
    alias: 'runner',
    install: 'mcp-server-code-runner@0.1.8',
    program: 'mcp-server-code-runner',
    call: ['run-code', { code: 'console.log(6 * 7)', languageId: 'javascript' }],
  },
  { alias: 'time', install: 'time-mcp@1.0.6', program: 'time-mcp', call: ['current_time', { format: 'YYYY-MM-DD' }] },
  {
    alias: 'git',
    install: '@cyanheads/git-mcp-server@2.15.3',
    program: 'git-mcp-server',
    call: ['git_status', { path: work }],
  },
  {
    alias: 'eslint',
    install: '@eslint/mcp@0.3.13',
    program: 'mcp',
    call: ['lint-files', { filePaths: [join(work, 'note.js')] }],
  },
];

const programs = installed();
const all = await connected('all');
const listed = await eventually('every server has said what it offers', () => toolsOfAll(all), PATIENCE);
for (const { alias, call, needs } of SERVERS) {
  const count = listed.filter(({ name }) => name.startsWith(`${alias}.`)).length;
  const [tool, args] = call;
  report(`${alias}: ${count} tools`, await all.callTool({ name: `${alias}.${tool}`, arguments: args }), needs);
}
const search = await connected('search');
const few = (await search.listTools()).tools;
for (const { alias, call, needs } of SERVERS) {
  const [tool, args] = call;
  const inner = { name: `${alias}.${tool}`, arguments: args };
  report(`${alias} by hub.call`, await search.callTool({ name: 'hub.call', arguments: inner }), needs);
}
const words = 'read the text of a file';
const found = await search.callTool({ name: 'hub.find', arguments: { words } });
const described = await search.callTool({ name: 'hub.describe', arguments: { names: ['files.read_text_file'] } });

printTable(
  `${SERVERS.length} servers, tokens (o200k)`,
  ['', 'all', 'search'],
  [
    ['tools listed', String(listed.length), String(few.length)],
    ['tools/list', String(tokens(listed)), String(tokens(few))],
    ['instructions', String(tokens(all.getInstructions())), String(tokens(search.getInstructions()))],
    [`hub.find ${JSON.stringify(words)}`, '–', String(tokens(found.content))],
    ['hub.describe of one tool', '–', String(tokens(described.content))],
  ],
);
await Promise.all([all.close(), search.close()]);

/** The list, once it has tools of each server: a slow one comes into it later. */
async function toolsOfAll(client: Client): Promise<Tool[] | undefined> {
  const { tools } = await client.listTools();
  return SERVERS.every(({ alias }) => tools.some(({ name }) => name.startsWith(`${alias}.`))) ? tools : undefined;
}

/** Where the programs are. */
function installed(): string {
  const folder = process.env['BENCH_SERVERS'] ?? place;
  if (folder === place) {
    const install = [
      'install',
      '--prefix',
      place,
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--silent',
    ];
    execFileSync('npm', [...install, ...SERVERS.map((server) => server.install)], { stdio: 'inherit' });
  }
  return join(folder, 'node_modules/.bin');
}

async function connected(expose: 'all' | 'search'): Promise<Client> {
  const children = SERVERS.flatMap(({ alias, program, args = [] }) => [
    ...[alias, '---', process.execPath, join(programs, program), ...args, '---', '--eager', '--cwd', work],
    ...['--env', `MEMORY_FILE_PATH=${join(place, 'memory.json')}`],
  ]);
  const [command, ...args] = bin('mcp-multibroker', '--stdio', '--expose', expose, ...children);
  const env = { ...process.env, XDG_CONFIG_HOME: place, XDG_STATE_HOME: place, XDG_RUNTIME_DIR: place };
  const client = new Client({ name: 'bench', version: '1' });
  const stderr = process.env['BENCH_VERBOSE'] === undefined ? 'ignore' : 'inherit';
  await client.connect(new StdioClientTransport({ command, args, env: env as Record<string, string>, stderr }));
  return client;
}

function report(what: string, { content, isError }: Result, needs: string | undefined): void {
  console.log(`${what}: ${JSON.stringify(content).slice(0, 150)}`);
  const isMissing = needs !== undefined && JSON.stringify(content).includes(needs);
  if (isError === true && !isMissing) throw new Error(`${what}: the call failed`);
}
