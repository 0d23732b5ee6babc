import { median, ratio, timeText } from './figures.js';
import { LeanClient } from './lean-client.js';
import { behindHub, behindParser, behindRelay, echoChild } from './programs.js';
import { printTable, type Verdict } from './report.js';
import { interleaved, type Repeats, type Work } from './rounds.js';
import { sandbox } from './sandbox.js';

/** A way from client to child, and the name that its `echo` and `text` begin with there. */
interface Way {
  readonly client: LeanClient;
  readonly prefix: string;
}

interface Case {
  readonly name: string;
  readonly repeats: Repeats;
  readonly work: (way: Way) => Work;
  /** How many times the byte relay's time the hub may take. */
  readonly bar?: number;
}

const MEGABYTE = 1024 * 1024;
const AT_ONCE = 64;

const CASES: readonly Case[] = [
  { name: 'one small call', bar: 1.15, repeats: { warmUp: 2000, rounds: 60, each: 100 }, work: small },
  { name: `${AT_ONCE} small calls at once`, bar: 1.25, repeats: { warmUp: 50, rounds: 60, each: 10 }, work: atOnce },
  { name: 'a result of 1 MB', bar: 1.25, repeats: { warmUp: 10, rounds: 30, each: 5 }, work: long(MEGABYTE) },
  { name: 'a result of 10 MB', repeats: { warmUp: 2, rounds: 12, each: 2 }, work: long(10 * MEGABYTE) },
];

/**
 * Calls over stdio: client to child directly, through a process that only passes bytes, through one that parses and
 * writes each message, and through the hub.
 */
export async function stdio(): Promise<Verdict[]> {
  const env = sandbox();
  const ways = [
    { client: new LeanClient(echoChild, env), prefix: '' },
    { client: new LeanClient(behindRelay, env), prefix: '' },
    { client: new LeanClient(behindParser, env), prefix: '' },
    { client: new LeanClient(behindHub, env), prefix: 'x.' },
  ];
  await Promise.all(ways.map(({ client }) => client.initialize()));
  await Promise.all(ways.map(({ client }) => client.request('tools/list', {})));
  const rows: string[][] = [];
  const verdicts: Verdict[] = [];
  for (const each of CASES) rows.push(row(each, await interleaved(ways.map(each.work), each.repeats), verdicts));
  await Promise.all(ways.map(({ client }) => client.close()));
  printTable('stdio', ['', 'direct', 'byte relay', 'parsing relay', 'hub', 'hub / byte relay', 'bar', ''], rows);
  return verdicts;
}

function row({ name, bar }: Case, figures: readonly number[][], verdicts: Verdict[]): string[] {
  const [, relay = [], , hub = []] = figures;
  const quotient = ratio(hub, relay);
  const cells = [name, ...figures.map((each) => timeText(median(each))), quotient.toFixed(2)];
  if (bar === undefined) return cells;
  const met = quotient <= bar;
  verdicts.push({ what: `stdio, ${name}`, met });
  return [...cells, `≤ ${bar.toFixed(2)}`, met ? 'met' : 'MISSED'];
}

function small({ client, prefix }: Way): Work {
  return () => client.call(`${prefix}echo`, { text: 'hello' });
}

function atOnce(way: Way): Work {
  const one = small(way);
  return () => Promise.all(Array.from({ length: AT_ONCE }, one));
}

function long(bytes: number): (way: Way) => Work {
  return ({ client, prefix }) => {
    return async () => {
      const got = await client.call(`${prefix}text`, { bytes });
      if (got < bytes) throw new Error(`a result of ${bytes} bytes came as ${got}`);
    };
  };
}
