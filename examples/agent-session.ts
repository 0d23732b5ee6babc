/**
 * An agent fixes two typos while a person types in the same text: a client built on the public SDK, `mcp-vim`, and a
 * real Vim in a terminal. Ends by itself; the exit status is 0 only if the text is exactly right in the end.
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { makeHome } from '../test/kit/home.js';
import { eventually } from '../test/kit/until.js';
import { Vim } from '../test/kit/vim.js';
import { say, textOf } from './say.js';

const PROGRAM = resolve(import.meta.dirname, '../../bin/mcp-vim');
const PLAN = 'Teh plan\n\nShip it on fryday.\n';
/** What the person adds, before and after the edit is made. */
const TYPED = ['Bring a cake', ', and candles.'] as const;
const WANTED = ['The plan', '', 'Ship it on Friday.', TYPED.join('')];
/** What the agent does about the text as it read it. */
const FIXES = [
  { kind: 'replace', old: 'Teh', new: 'The' },
  { kind: 'replace', old: 'fryday', new: 'Friday' },
];
/** How often it tries while the person types on. */
const ATTEMPTS = 20;

type Facts = Readonly<Record<string, unknown>>;

const home = await makeHome();
const file = join(home.path, 'plan.md');
await writeFile(file, PLAN);
const client = new Client({ name: 'agent', version: '1.0.0' });
let vim: Vim | undefined;
try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, '--stdio', '--auto-allow', 'write'],
      env: home.env as Record<string, string>,
      stderr: 'ignore',
    }),
  );
  vim = await Vim.start(home, { files: [file] });
  await vim.ex('Mcp plan');
  await eventually('Vim is connected', async () => ((await call('targets'))['targets'] as unknown[]).length === 1);
  await session(vim);
  say('all is as it should be', WANTED.join('\n'));
} finally {
  await vim?.close();
  await client.close();
  await home.remove();
}

async function session(editor: Vim): Promise<void> {
  const buffer = await editor.eval<number>('bufnr()');
  const read = await call('read-lines', { buffer });
  say('the agent reads the text, and its tick', `${String(read['changedtick'])}\n${String(read['text'])}`);

  const typing = types(editor, `Go${TYPED[0]}`);
  const seen = await call('watch', { buffer, since: read['changedtick'], settle_ms: 0 });
  say('it waits with watch, and hears that the person types', changesOf(seen));

  const late = await client.callTool({ name: 'edit', arguments: edit(buffer, read['changedtick']) });
  if (!/"error":"stale".*"changed_by":\["person"\]/.test(textOf(late))) throw new Error(`edit: ${textOf(late)}`);
  say('its edit of the text that it read is refused', textOf(late));

  const edited = await rebased(buffer, read['changedtick']);
  say('with rebase it is made: no line that it concerns has changed', JSON.stringify(edited));
  same('the person is still typing', await editor.eval('mode()'), 'i');

  await typing;
  const waiting = call('watch', { buffer, since: edited['changedtick'] });
  await types(editor, TYPED[1]);
  say('it waits for what the person types next', changesOf(await waiting));

  editor.type('\x1b');
  await editor.until('mode()', 'n');
  await shows(editor, 'mcp: agent edited lines 1, 3 of plan.md');
  same('the text in Vim', await editor.lines(buffer), WANTED);
  same('nothing was saved', await readFile(file, 'utf8'), PLAN);
  same('the text that the trace replays to', replayed(await call('trace')), WANTED);
}

/** The person types, key by key. */
async function types(editor: Vim, keys: string): Promise<void> {
  for (const key of keys) {
    await editor.typed(key);
    await sleep(30);
  }
}

function edit(buffer: number, tick: unknown): Record<string, unknown> {
  return { buffer, expected_changedtick: tick, operations: FIXES };
}

/** The edit as one of the text now; tried again where the person was faster. */
async function rebased(buffer: number, tick: unknown): Promise<Facts> {
  for (let left = ATTEMPTS; ; left -= 1) {
    const result = await client.callTool({ name: 'edit', arguments: { ...edit(buffer, tick), rebase: true } });
    if (result.isError !== true) return result.structuredContent as Facts;
    if (left === 0 || !textOf(result).includes('"applies":true')) throw new Error(`edit: ${textOf(result)}`);
  }
}

/** What the files of a trace say that the text is. */
function replayed(trace: Facts): unknown {
  const [path = ''] = trace['files'] as string[];
  const args = [PROGRAM, '--replay', path, '--dump-state', '-'];
  const { buffers } = JSON.parse(execFileSync(process.execPath, args, { env: home.env, encoding: 'utf8' })) as {
    buffers: { lines: string[] }[];
  };
  return buffers[0]?.lines;
}

async function call(name: string, input: Record<string, unknown> = {}): Promise<Facts> {
  const result = await client.callTool({ name, arguments: input });
  if (result.isError === true) throw new Error(`${name}: ${textOf(result)}`);
  return result.structuredContent as Facts;
}

function changesOf(watched: Facts): string {
  const changes = watched['changes'] as { who: string; diff?: string }[];
  if (changes.length === 0) throw new Error('nothing was heard of the person');
  return changes.map(({ who, diff }) => `${who}:\n${diff ?? ''}`).join('');
}

async function shows(editor: Vim, row: string): Promise<void> {
  await eventually(`the screen shows ${row}`, () => editor.screen().some((each) => each.includes(row)));
  say('the person sees', [...editor.screen().slice(0, 5), '…', row].join('\n'));
}

function same(what: string, found: unknown, wanted: unknown): void {
  if (isDeepStrictEqual(found, wanted)) return;
  throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}
