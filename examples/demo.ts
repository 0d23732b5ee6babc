/**
 * The main job, with real parts: a client built on the public SDK knows one entry, the hub; behind it are `mcp-vim`
 * with a real Vim in a terminal, and the filesystem server. `--keep` leaves it running.
 */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Home, makeHome } from '../test/kit/home.js';
import { eventually } from '../test/kit/until.js';
import { Vim } from '../test/kit/vim.js';
import { say, textOf } from './say.js';

const ROOT = resolve(import.meta.dirname, '../..');
const HUB = join(ROOT, 'bin/mcp-multibroker');
const keep = process.argv.includes('--keep');

if (spawnSync('vim', ['--version']).status !== 0) {
  console.error('The demo needs Vim on PATH (Debian: apt-get install vim).');
  process.exit(1);
}

const home = await makeHome();
const file = join(home.path, 'poem.txt');
await writeFile(file, 'Roses are red,\nViolets are blew,\nSugar is sweet,\n');

/** The command line that a client's configuration would hold. */
const args = [
  ...['--stdio', 'vim', '---', 'mcp-vim', '--name', 'editor', '---', '--eager'],
  ...['files', `stdio:npx @modelcontextprotocol/server-filesystem ${home.path}`],
];

const client = new Client({ name: 'demo', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } } });
client.setRequestHandler('elicitation/create', ({ params }) => {
  say('the person is asked, and says yes', params.message);
  return { action: 'accept', content: { decision: 'allow' } };
});
const interrupted = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
});
let vim: Vim | undefined;
try {
  await Promise.race([interrupted, run()]);
} finally {
  await vim?.close();
  await client.close();
  await home.remove();
}

async function run(): Promise<void> {
  await client.connect(transport(home));
  vim = await Vim.start(home, { files: [file] });
  await story(client, vim);
  if (keep) await stay();
}

function transport({ env }: Home): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [HUB, ...args],
    cwd: ROOT,
    env: env as Record<string, string>,
    stderr: 'ignore',
  });
}

async function story(mcp: Client, editor: Vim): Promise<void> {
  const { tools } = await mcp.listTools();
  say('one entry, the tools of two servers', tools.map(({ name }) => name).join('  '));

  await editor.ex('Mcp demo');
  await eventually('Vim is connected', async () => ((await call('vim.targets'))['targets'] as unknown[]).length === 1);
  editor.type('Go(not saved yet)\x1b');
  await editor.until('mode()', 'n');
  await show('Vim, with a line that was typed and not saved', editor, '(not saved yet)');

  const buffer = await editor.eval<number>('bufnr()');
  const read = await call('vim.read-lines', { buffer });
  say('vim.read-lines sees it', String(read['text']));
  const onDisk = await call('files.read_text_file', { path: file });
  say('files.read_text_file does not', String(onDisk['content']));

  editor.type('ggA \x1b');
  await editor.until('getline(1)', 'Roses are red, ');
  const diff = '@@ -2 +2 @@\n-Violets are blew,\n+Violets are blue,\n';
  const old = await mcp.callTool({
    name: 'vim.apply-diff',
    arguments: { buffer, diff, expected_changedtick: read['changedtick'] },
  });
  say('the person typed meanwhile, so an edit of the old text is refused', textOf(old));

  const { changedtick } = await call('vim.read-lines', { buffer });
  const edited = await call('vim.apply-diff', { buffer, diff, expected_changedtick: changedtick });
  await show('the edit, made in Vim and not saved', editor, 'Violets are blue,');

  const undone = await call('vim.undo', { buffer, expected_changedtick: edited['changedtick'] });
  await editor.until('getline(2)', 'Violets are blew,');
  say('one vim.undo takes it back', JSON.stringify(undone));

  await cancelled(mcp, editor, { buffer, diff, expected_changedtick: undone['changedtick'] });
  await show('Vim in the end: the cancelled edit was never made', editor, 'Violets are blew,');
}

/** While the person selects text an edit waits; the assistant gives up before they are done. */
async function cancelled(mcp: Client, editor: Vim, edit: Record<string, unknown>): Promise<void> {
  editor.type('V');
  await editor.until('mode()', 'V');
  const stop = new AbortController();
  const waiting = mcp.callTool({ name: 'vim.apply-diff', arguments: edit }, { signal: stop.signal });
  setTimeout(() => stop.abort('the person stopped it'), 500);
  const outcome = await waiting.then(textOf, (error: unknown) => `cancelled: ${String(error)}`);
  editor.type('\x1b');
  await editor.until('mode()', 'n');
  await sleep(200);
  say('an edit waits while the person selects text, and is cancelled', outcome);
}

async function call(name: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: input });
  if (result.isError === true) throw new Error(`${name}: ${textOf(result)}`);
  return result.structuredContent as Record<string, unknown>;
}

/** Shows the screen once it holds that row. */
async function show(title: string, editor: Vim, row: string): Promise<void> {
  const rows = await eventually(`the screen shows ${row}`, () => {
    const found = editor.screen();
    return found.includes(row) ? found : undefined;
  });
  console.log(`\n== ${title}`);
  for (const line of [...rows.slice(0, 6), ...rows.slice(-1)]) console.log(`   | ${line}`);
}

async function stay(): Promise<void> {
  const entry = { command: process.execPath, args: [HUB, ...args], cwd: ROOT, env: home.env };
  say('the entry for a client of yours', JSON.stringify({ mcpServers: { tools: entry } }, null, 2));
  const url = spawnSync(process.execPath, [join(ROOT, 'bin/mcp-vim'), '--name', 'editor', '--print-url'], {
    env: home.env,
  });
  say('in a Vim of yours, with the plugin from vim/', `:Mcp ${url.stdout.toString().trim()}mine`);
  console.log('\nCtrl-C ends it.');
  await interrupted;
}
