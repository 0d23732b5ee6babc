import { parseArgs } from 'node:util';
import { feed } from './feed.js';
import { http } from './http.js';
import { hubs } from './hubs.js';
import { long } from './long.js';
import { many } from './many.js';
import type { Verdict } from './report.js';
import { start } from './start.js';
import { stdio } from './stdio.js';
import { ten } from './ten.js';
import { vim } from './vim.js';

/**
 * `run.js [--strict] [PART...]`: measures the parts named, all by default, and prints medians and ratios; figures are
 * to be compared within one run only. With `--strict` a missed bar is an error.
 */
const PARTS = new Map<string, () => Promise<Verdict[]>>([
  ['stdio', stdio],
  ['http', http],
  ['hubs', hubs],
  ['start', start],
  ['ten', ten],
  ['many', many],
  ['vim', vim],
  ['feed', feed],
  ['long', long],
]);

const { values, positionals } = parseArgs({ options: { strict: { type: 'boolean' } }, allowPositionals: true });
const verdicts: Verdict[] = [];
for (const name of positionals.length > 0 ? positionals : PARTS.keys()) verdicts.push(...(await part(name)));

const missed = verdicts.filter(({ met }) => !met);
console.log(`\n${verdicts.length - missed.length} of ${verdicts.length} bars met`);
for (const { what } of missed) console.log(`missed: ${what}`);
if (values.strict === true && missed.length > 0) process.exitCode = 1;

function part(name: string): Promise<Verdict[]> {
  const measure = PARTS.get(name);
  if (measure === undefined) throw new Error(`no part ${name}; there are: ${[...PARTS.keys()].join(', ')}`);
  return measure();
}
