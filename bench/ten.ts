import { LeanClient } from './lean-client.js';
import { residentMemory } from './memory.js';
import { bin, echoChild } from './programs.js';
import { printTable, type Verdict } from './report.js';
import { sandbox } from './sandbox.js';

const CHILDREN = 10;
const CALLS = 200;
/** Megabytes. */
const MOST = 70;

/** Resident memory of a hub with ten spawned children, each called many times. */
export async function ten(): Promise<Verdict[]> {
  const names = Array.from({ length: CHILDREN }, (_, number) => `c${number}`);
  const children = names.flatMap((name) => [name, '---', ...echoChild, '---', '--eager']);
  const client = new LeanClient(bin('mcp-multibroker', '--stdio', ...children), sandbox());
  await client.initialize();
  await client.request('tools/list', {});
  for (let round = 0; round < CALLS; round += 1) {
    for (const name of names) await client.call(`${name}.echo`, { text: 'hello' });
  }
  const memory = residentMemory(client.pid);
  await client.close();
  const met = memory <= MOST;
  const cells = ['memory of the hub', `${memory.toFixed(0)} MB`, `≤ ${MOST} MB`, met ? 'met' : 'MISSED'];
  printTable(`${CHILDREN} spawned children, ${CALLS} calls to each`, ['', '', 'bar', ''], [cells]);
  return [{ what: `memory with ${CHILDREN} children`, met }];
}
