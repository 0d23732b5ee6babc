/**
 * An MCP server without any SDK: newline-delimited JSON-RPC on standard input and output. Its options:
 * `--started FILE` adds its process id to a file · `--say TEXT` writes to standard error · `--exit CODE` ends at once
 * · `--instructions TEXT` · `--junk` prints what is no message before and between messages · `--bytewise` writes one
 * byte at a time · `--tool NAME` has one more; may be repeated · `--entry TEXT` has one that is written so ·
 * `--greet-after MS` answers `initialize` so late
 * · `--list FILE` has those of a file, too, as they are there when it is asked · `--calls FILE` adds each call to a file.
 */
import { appendFileSync, closeSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Lines } from '../../shared/lines.js';

type Message = Record<string, unknown>;
/** An error that a call is answered with. */
class Failure {
  readonly error: Message;

  constructor(error: Message) {
    this.error = error;
  }
}
type Handle = (args: Message, id: unknown, meta: Message) => unknown;

const { values } = parseArgs({
  strict: false,
  options: {
    started: { type: 'string' },
    say: { type: 'string' },
    exit: { type: 'string' },
    instructions: { type: 'string' },
    junk: { type: 'boolean' },
    bytewise: { type: 'boolean' },
    tool: { type: 'string', multiple: true },
    entry: { type: 'string' },
    'greet-after': { type: 'string' },
    list: { type: 'string' },
    calls: { type: 'string' },
  },
});

let written: Promise<void> = Promise.resolve();
let asked = 0;
const answers = new Map<unknown, (message: Message) => void>();
let begun = 0;
/** What the client side can do. */
let offered: unknown;
const cancelled: unknown[] = [];
const added: string[] = Array.isArray(values.tool) ? values.tool.map(String) : [];
const held: ((text: string) => void)[] = [];

/** Stands for an answer that never comes. */
const SILENT = Symbol('silent');

const TOOLS = new Map<string, Handle>([
  ['echo', (args) => JSON.stringify(args)],
  ['pid', () => String(process.pid)],
  ['env', () => JSON.stringify(process.env)],
  ['big', ({ size }) => '\u{1f600}'.repeat(Number(size) / 4)],
  ['slow', () => slow()],
  ['hold', () => new Promise((resolve) => held.push(resolve))],
  ['release', () => release()],
  ['begun', () => String(begun)],
  ['say', ({ text }) => say(String(text))],
  ['client', () => JSON.stringify(offered)],
  ['cancelled', () => JSON.stringify(cancelled)],
  ['ask', (args) => ask('elicitation/create', args)],
  ['sample', (args) => ask('sampling/createMessage', args)],
  ['roots', () => ask('roots/list', {})],
  ['progress', ({ steps, pause }, _, meta) => progress(Number(steps), meta, pause)],
  ['die', ({ signal }) => die(signal)],
  ['add', ({ name }) => add(String(name))],
  ['same', () => add()],
  ['shout', ({ lines }) => shout(Number(lines))],
  ['hush', () => hush()],
  ['fail', (error) => new Failure(error)],
]);

if (typeof values.started === 'string') appendFileSync(values.started, `${process.pid}\n`);
if (typeof values.say === 'string') process.stderr.write(`${values.say}\n`);
if (typeof values.exit === 'string') process.exit(Number(values.exit));
process.stdout.on('error', () => undefined);
if (values.junk === true) write('Starting up on port 0 ...\n\n{"not":"a message"}\n');
// Not readline: newer versions of it end a line at U+2028 too.
const lines = new Lines();
process.stdin.on('data', (chunk: Buffer) => {
  lines.push(chunk, (line) => take(JSON.parse(line.toString()) as Message));
});

function take(message: Message): void {
  const { id, method } = message;
  const params = (message['params'] ?? {}) as Message;
  if (method === undefined) answers.get(id)?.(message);
  else if (method === 'notifications/cancelled') cancelled.push(params['reason']);
  else if (method === 'initialize') greet(id, params);
  else if (method === 'ping') send({ id, result: {} });
  else if (method === 'tools/list') write(toolsAnswer(id));
  else if (method === 'tools/call') void call(id, params);
  else if (id !== undefined) send({ id, error: { code: -32601, message: `no ${String(method)}` } });
}

function greet(id: unknown, params: Message): void {
  const answer = (): void => send({ id, result: greeting(params) });
  if (typeof values['greet-after'] === 'string') setTimeout(answer, Number(values['greet-after']));
  else answer();
}

function greeting({ protocolVersion, capabilities: can }: Message): Message {
  offered = can;
  const instructions = typeof values.instructions === 'string' ? { instructions: values.instructions } : {};
  const capabilities = { tools: { listChanged: true } };
  return { protocolVersion, capabilities, serverInfo: { name: 'plain', version: '1' }, ...instructions };
}

function toolsAnswer(id: unknown): string {
  const entries = [...TOOLS.keys(), ...added].map((name) => JSON.stringify({ name, inputSchema: { type: 'object' } }));
  if (typeof values.entry === 'string') entries.push(values.entry);
  if (typeof values.list === 'string') entries.push(...readFileSync(values.list, 'utf8').trim().split('\n'));
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":[${entries.join()}]}}\n`;
}

async function call(id: unknown, { name, arguments: args = {}, _meta: meta = {} }: Message): Promise<void> {
  if (typeof values.calls === 'string') appendFileSync(values.calls, `${JSON.stringify([name, args])}\n`);
  const handle = TOOLS.get(String(name)) ?? (() => `this is ${String(name)}`);
  const outcome = await handle(args as Message, id, meta as Message);
  if (outcome instanceof Failure) send({ id, error: outcome.error });
  else if (outcome !== SILENT) send({ id, result: { content: [{ type: 'text', text: outcome }] } });
}

function ask(method: string, params: Message): Promise<string> {
  const id = `question ${asked}`;
  asked += 1;
  send({ id, method, params });
  return new Promise((resolve) => {
    answers.set(id, ({ result, error }) => resolve(JSON.stringify(result ?? error)));
  });
}

/** With a pause in milliseconds after each step, or without one, so that all steps come in one piece with the answer. */
async function progress(steps: number, { progressToken }: Message, pause: unknown): Promise<string> {
  for (let step = 1; step <= steps; step += 1) {
    send({ method: 'notifications/progress', params: { progressToken, progress: step, total: steps } });
    if (typeof pause === 'number') await sleep(pause);
  }
  return 'done';
}

function slow(): symbol {
  begun += 1;
  return SILENT;
}

/** Answers the calls of `hold`. */
function release(): string {
  for (const answer of held.splice(0)) answer('held');
  return 'released';
}

function die(signal: unknown): unknown {
  process.stderr.write('these are my last words\n');
  if (signal === undefined) process.exit(3);
  process.kill(process.pid, signal as NodeJS.Signals);
  return SILENT;
}

function add(name?: string): string {
  if (name !== undefined) added.push(name);
  send({ method: 'notifications/tools/list_changed' });
  return 'told';
}

/** Says much on standard error. */
function shout(lines: number): string {
  process.stderr.write(`${'a'.repeat(999)}\n`.repeat(lines));
  return 'said';
}

/** Says something on standard error; each line of it is one. */
function say(text: string): string {
  process.stderr.write(`${text}\n`);
  return 'said';
}

/** Closes standard output and lives on. */
function hush(): symbol {
  closeSync(1);
  setInterval(() => undefined, 60_000);
  return SILENT;
}

function send(message: Message): void {
  write(`${values.junk === true ? 'debug: sending\n' : ''}${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function write(text: string): void {
  if (values.bytewise === true) written = written.then(() => writeBytes(Buffer.from(text)));
  else process.stdout.write(text);
}

async function writeBytes(bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += 1) {
    await new Promise((resolve) => process.stdout.write(bytes.subarray(at, at + 1), resolve));
  }
}
