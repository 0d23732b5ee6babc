import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median, ratio, timeText } from './figures.js';
import { residentMemory } from './memory.js';
import { bin } from './programs.js';
import { RawClient } from './raw-client.js';
import { printTable, type Verdict } from './report.js';
import { interleaved, type Repeats, type Work } from './rounds.js';
import { sandbox } from './sandbox.js';

const FEW = 10;
const MANY = 1000;
const TOOLS = 100;
/** Milliseconds after which the hub reads the list of a child again, and tells clients of a change, without a wait. */
const CALM = 700;

/** A hub that so many children have dialled. */
interface Dialled {
  readonly client: RawClient;
  readonly children: ChildProcessByStdio<Writable, Readable, null>;
  readonly count: number;
  /** Milliseconds until the lists of all were read. */
  readonly arrival: number;
}

interface Case {
  readonly name: string;
  readonly repeats: Repeats;
  readonly work: (dialled: Dialled) => Work;
  /** How many times the time with few children it may take with many. */
  readonly bar?: number;
}

const CASES: readonly Case[] = [
  { name: 'one small call', bar: 1.15, repeats: { warmUp: 2000, rounds: 40, each: 100 }, work: call },
  { name: 'a changed list, until told', bar: 4, repeats: { warmUp: 2, rounds: 9, each: 1 }, work: change },
  { name: 'the whole list', repeats: { warmUp: 1, rounds: 5, each: 1 }, work: list },
];

/** What it costs that many children have dialled in, each with many tools. */
export async function many(): Promise<Verdict[]> {
  const both = [await dialled(FEW), await dialled(MANY)];
  const rows: string[][] = [];
  const verdicts: Verdict[] = [];
  rows.push(['dialling in, for each', ...both.map(({ arrival, count }) => timeText(arrival / count))]);
  for (const each of CASES) rows.push(row(each, await interleaved(both.map(each.work), each.repeats), verdicts));
  rows.push(['memory of the hub', ...both.map(({ client }) => `${residentMemory(client.pid).toFixed(0)} MB`)]);
  for (const { client, children } of both) {
    await client.close();
    children.stdin.end();
  }
  printTable(
    `dialled-in children with ${TOOLS} tools each`,
    ['', `${FEW} children`, `${MANY} children`, 'ratio', 'bar', ''],
    rows,
  );
  return verdicts;
}

function row({ name, bar }: Case, [few = [], more = []]: readonly number[][], verdicts: Verdict[]): string[] {
  const quotient = ratio(more, few);
  const cells = [name, timeText(median(few)), timeText(median(more)), quotient.toFixed(2)];
  if (bar === undefined) return cells;
  const met = quotient <= bar;
  verdicts.push({ what: `many children, ${name}`, met });
  return [...cells, `≤ ${bar.toFixed(2)}`, met ? 'met' : 'MISSED'];
}

async function dialled(count: number): Promise<Dialled> {
  const env = sandbox();
  const name = ['--name', `many-${count}`];
  const [program, ...args] = bin('mcp-multibroker', ...name, '--print-url');
  const url = execFileSync(program, args, { env }).toString().trim();
  const client = new RawClient(bin('mcp-multibroker', '--stdio', ...name), env);
  await client.initialize();
  await sleep(CALM);
  const command = [fileURLToPath(new URL('./dialled-children.js', import.meta.url)), url, String(count), String(TOOLS)];
  const children = spawn(process.execPath, command, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const [chunk] = (await Promise.race([
    once(children.stdout, 'data'),
    once(children, 'exit').then(() => ['NaN']),
  ])) as unknown[];
  const all = { client, children, count, arrival: Number(String(chunk)) };
  const found = await tools(client);
  if (found !== count * TOOLS)
    throw new Error(`${count} children with ${TOOLS} tools each are listed as ${found} tools`);
  return all;
}

/** How many tools the hub lists, on all pages. */
async function tools(client: RawClient): Promise<number> {
  let found = 0;
  let cursor: string | undefined;
  do {
    const answer = await client.request('tools/list', cursor === undefined ? {} : { cursor });
    const text = answer.toString('latin1');
    found += text.split('"name":"').length - 1;
    cursor = /"nextCursor":"([^"]+)"/.exec(text.slice(-200))?.[1];
  } while (cursor !== undefined);
  return found;
}

function call({ client, count }: Dialled): Work {
  let turn = 0;
  return () => {
    turn += 1;
    return client.request('tools/call', { name: `c${turn % count}.t7`, arguments: { text: 'hello' } });
  };
}

function list({ client }: Dialled): Work {
  return () => tools(client);
}

function change({ client }: Dialled): Work {
  const work = async (): Promise<void> => {
    const told = client.notification('notifications/tools/list_changed');
    await client.request('tools/call', { name: 'c5.change', arguments: {} });
    await told;
  };
  return Object.assign(work, { before: () => sleep(CALM) });
}
