/** The main job: a client that knows one entry, the hub, works in a running Vim. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { it, type TestContext } from 'node:test';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { cleanup } from '../kit/cleanup.js';
import { type Home, makeHome } from '../kit/home.js';
import { PROGRAM as HUB } from '../kit/hub.js';
import { allGone } from '../kit/processes.js';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { change, PROGRAM as VIM } from './broker.js';

/** A client of either SDK, as far as the test needs one. */
interface Assistant {
  readonly questions: string[];
  call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const SPAWNED = ['vim', '---', 'mcp-vim', '--name', 'editor', '---', '--eager'];
const CAPABILITIES = { elicitation: {} };
const INFO = { name: 'test', version: '0' };
const YES = { action: 'accept' as const, content: { decision: 'allow' } };

async function home(t: TestContext): Promise<Home> {
  const made = await makeHome();
  cleanup(t, () => made.remove());
  cleanup(t, () => allGone(made.env));
  return made;
}

function command(
  { env }: Home,
  args: readonly string[],
): { command: string; args: string[]; env: Record<string, string>; stderr: 'ignore' } {
  return { command: process.execPath, args: [HUB, '--stdio', ...args], env, stderr: 'ignore' };
}

async function newAssistant(t: TestContext, at: Home, args: readonly string[]): Promise<Assistant> {
  const client = new NewClient(INFO, { capabilities: CAPABILITIES });
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return YES;
  });
  await client.connect(new NewTransport(command(at, args)));
  cleanup(t, () => client.close());
  return {
    questions,
    close: () => client.close(),
    call: (name, input, signal) =>
      client.callTool({ name, arguments: input }, signal === undefined ? {} : { signal }) as Promise<
        Record<string, unknown>
      >,
  };
}

async function oldAssistant(t: TestContext, at: Home, args: readonly string[]): Promise<Assistant> {
  const client = new OldClient(INFO, { capabilities: CAPABILITIES });
  const questions: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return YES;
  });
  await client.connect(new OldTransport(command(at, args)));
  cleanup(t, () => client.close());
  return {
    questions,
    close: () => client.close(),
    call: (name, input, signal) =>
      client.callTool({ name, arguments: input }, undefined, signal === undefined ? {} : { signal }),
  };
}

async function connectedVim(t: TestContext, at: Home, assistant: Assistant): Promise<Vim> {
  const vim = await Vim.start(at);
  cleanup(t, () => vim.close());
  await vim.ex('Mcp ed');
  await eventually('Vim is connected', async () =>
    JSON.stringify(await assistant.call('vim.targets', {})).includes('"ed"'),
  );
  return vim;
}

for (const [sdk, start] of [
  ['the first SDK', oldAssistant],
  ['the second SDK', newAssistant],
] as const) {
  it(`a client of ${sdk} reads unsaved text, asks, edits and cancels through the hub`, async (t) => {
    const at = await home(t);
    const assistant = await start(t, at, SPAWNED);
    const vim = await connectedVim(t, at, assistant);
    const buffer = await vim.buffer(['one', 'two']);
    const read = await assistant.call('vim.read-lines', { buffer });
    const { text, changedtick } = read['structuredContent'] as { text: string; changedtick: number };
    assert.equal(text, 'one\ntwo\n');

    const edit = { buffer, expected_changedtick: changedtick, diff: change(2, 'two', 'TWO') };
    const edited = await assistant.call('vim.apply-diff', edit);
    assert.ok(!edited['isError'], JSON.stringify(edited));
    assert.deepEqual(await vim.lines(buffer), ['one', 'TWO']);
    assert.equal(assistant.questions.length, 1);
    assert.match(assistant.questions[0] ?? '', /^vim: Allow in the editor ed: change buffer \d+/);

    const stale = await assistant.call('vim.apply-diff', edit);
    assert.ok(stale['isError'] === true && assistant.questions.length === 1);

    const now = await vim.tick(buffer);
    vim.type('V');
    await vim.until('mode()', 'V');
    const stop = new AbortController();
    const waiting = assistant.call(
      'vim.apply-diff',
      { ...edit, expected_changedtick: now, diff: change(1, 'one', 'ONE') },
      stop.signal,
    );
    await eventually('the person has said yes', () => assistant.questions.length === 2);
    stop.abort('changed my mind');
    await assert.rejects(waiting);
    vim.type('\x1b');
    await vim.until('mode()', 'n');
    const after = await assistant.call('vim.read-lines', { buffer });
    assert.match(JSON.stringify(after), /one\\nTWO/);
  });
}

it('an mcp-vim that dials in serves like one that was spawned, and comes back to the next hub', async (t) => {
  const at = await home(t);
  const hub = ['--name', 'mine'];
  const url = execFileSync(process.execPath, [HUB, '--print-url', ...hub], { env: at.env, encoding: 'utf8' }).trim();
  const broker = spawn(process.execPath, [VIM, '--connect', `${url}vim`], { env: at.env, stdio: 'ignore' });
  cleanup(t, () => broker.kill());
  for (const start of [oldAssistant, newAssistant]) {
    const assistant = await start(t, at, hub);
    await eventually('mcp-vim has dialled in', () => assistant.call('vim.targets', {}).catch(() => undefined));
    const vim = await connectedVim(t, at, assistant);
    const buffer = await vim.buffer(['one']);
    const edit = { target: 'ed', buffer, expected_changedtick: await vim.tick(buffer), diff: change(1, 'one', 'two') };
    const edited = await assistant.call('vim.apply-diff', edit);
    assert.ok(!edited['isError'], JSON.stringify(edited));
    assert.deepEqual([await vim.lines(buffer), assistant.questions.length], [['two'], 1]);
    vim.type(':qa!\r');
    await assistant.close();
  }
});
