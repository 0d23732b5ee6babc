import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, ratio, timeText } from './figures.js';
import { residentMemory } from './memory.js';
import { bin, type Command, echoChild } from './programs.js';
import { printTable, type Verdict } from './report.js';
import { sandbox } from './sandbox.js';

/** One start: milliseconds to the first answer and the memory then held, in MB. */
interface Start {
  readonly time: number;
  readonly memory: number;
}

const ROUNDS = 15;
/** Milliseconds in which what is loaded behind the first answer has come too, and the longest wait for an answer. */
const SETTLE = 300;
const PATIENCE = 10_000;

const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
});

const BARE: Command = [process.execPath, '-e', `process.stdin.once('data', () => process.stdout.write('{}\\n'))`];

const PROGRAMS: readonly (readonly [string, Command])[] = [
  ['bare Node.js', BARE],
  ['mcp-multibroker, no child', bin('mcp-multibroker', '--stdio')],
  ['mcp-multibroker, one eager', bin('mcp-multibroker', '--stdio', 'x', '---', ...echoChild, '---', '--eager')],
  ['mcp-vim --stdio', bin('mcp-vim', '--stdio')],
];

/** From the start of a program to its answer to `initialize`, and what it then holds; beside a Node.js that does nothing. */
export async function start(): Promise<Verdict[]> {
  const env = sandbox();
  const able = [];
  for (const program of PROGRAMS) {
    if (await works(program[1], env)) able.push(program);
    else console.log(`\n${program[0]} gives no answer here: left out`);
  }
  const found = able.map((): Start[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, [, command]] of able.entries()) found[at]?.push(await started(command, env));
  }
  const rows = able.map(([name], at) => row(name, found[at] ?? [], found[0] ?? []));
  printTable('start', ['', 'to the first answer', 'ratio', 'memory', 'ratio'], rows);
  return [];
}

function row(name: string, starts: readonly Start[], bare: readonly Start[]): string[] {
  const times = starts.map(({ time }) => time);
  const memory = starts.map((each) => each.memory);
  return [
    name,
    timeText(median(times)),
    ratio(
      times,
      bare.map(({ time }) => time),
    ).toFixed(2),
    Number.isNaN(median(memory)) ? '–' : `${median(memory).toFixed(1)} MB`,
    ratio(
      memory,
      bare.map((each) => each.memory),
    ).toFixed(2),
  ];
}

async function works(command: Command, env: NodeJS.ProcessEnv): Promise<boolean> {
  return started(command, env).then(
    () => true,
    () => false,
  );
}

/** Starts a program, greets it, takes the figures and ends it. */
async function started([program, ...args]: Command, env: NodeJS.ProcessEnv): Promise<Start> {
  const begin = performance.now();
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${HELLO}\n`);
  try {
    await Promise.race([
      once(child.stdout, 'data'),
      ended.then(never),
      sleep(PATIENCE, undefined, { ref: false }).then(never),
    ]);
    const time = performance.now() - begin;
    await sleep(SETTLE);
    return { time, memory: residentMemory(child.pid ?? 0) };
  } finally {
    child.stdin.end();
    const slow = setTimeout(() => child.kill(), PATIENCE);
    await ended;
    clearTimeout(slow);
  }
}

function never(): never {
  throw new Error('no answer');
}
