/**
 * Measures the hub by the public conformance suite: `run.js [WORD...]`. Rows are those whose description has all the words:
 * `server` or `client`, a revision, a way. A row has the checks that passed and failed, and those of scenarios that the
 * revision does not require. Exits with 1 where less passes than did.
 */
import { join } from 'node:path';
import { ROOT } from '../kit/hub.js';
import { type Bar, CLIENT, SERVER } from './bars.js';
import { type Revision, type Score, Suite } from './suite.js';
import { Stage, WAYS } from './ways.js';

interface Side {
  readonly command: string;
  readonly signsIn: boolean;
}

const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28'];
const DRIVER = join(ROOT, 'dist/test/conformance/client.js');
/** What the suite starts as the client, and whether it is for the scenarios in which a person signs in. */
const CLIENTS: ReadonlyMap<string, Side> = new Map([
  ['direct', { command: `node ${DRIVER} direct`, signsIn: false }],
  ['hub', { command: `node ${DRIVER} hub`, signsIn: false }],
  ['hub signing in', { command: `node ${DRIVER} hub`, signsIn: true }],
]);

const chosen = process.argv.slice(2);
const isChosen = (...about: readonly string[]): boolean => chosen.every((word) => about.join(' ').includes(word));

const suite = await Suite.install();
for (const revision of REVISIONS) {
  for (const [way, open] of WAYS) {
    if (isChosen('server', revision, way)) report('server', revision, way, await server(open, revision), SERVER);
  }
}
for (const revision of REVISIONS) {
  for (const [way, side] of CLIENTS) {
    if (isChosen('client', revision, way)) report('client', revision, way, await client(side, revision), CLIENT);
  }
}

type Open = (stage: Stage, era: 'legacy' | 'modern') => Promise<string>;

async function server(open: Open, revision: Revision): Promise<Score> {
  const stage = await Stage.open();
  try {
    return await suite.server(await open(stage, revision === '2025-11-25' ? 'legacy' : 'modern'), revision);
  } finally {
    await stage.close();
  }
}

/** One scenario after the other: side by side they fail on a machine with few processors. */
async function client({ command, signsIn }: Side, revision: Revision): Promise<Score> {
  const total: Score = { passed: 0, failed: 0, besides: 0, besidesFailed: 0, faults: [] };
  for (const scenario of await suite.clientScenarios(revision)) {
    if (scenario.startsWith('auth/') !== signsIn) continue;
    const score = await suite.client(command, scenario, revision);
    total.passed += score.passed;
    total.failed += score.failed;
    total.faults.push(...score.faults);
  }
  return total;
}

type Bars = Readonly<Record<string, Bar>>;

function report(side: string, revision: Revision, way: string, score: Score, bars: Bars): void {
  const { passed, failed, besides, besidesFailed, faults } = score;
  const bar = bars[`${revision} ${way}`];
  const isMet = bar === undefined || (faults.length === 0 && passed >= bar[0] && besides >= bar[1]);
  if (!isMet) process.exitCode = 1;
  const verdict = bar === undefined ? 'open' : isMet ? 'met' : `missed: ${bar[0]}/0 and ${bar[1]}/0`;
  const columns = [side, revision, way.padEnd(31), `${passed}/${failed}`.padStart(7)];
  columns.push(`and ${besides}/${besidesFailed}`.padEnd(9), verdict, faults.join(', '));
  console.log(columns.join('  ').trimEnd());
}
