import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { it } from 'node:test';

const SESSION = resolve(import.meta.dirname, '../../examples/agent-session.js');

it('the example of an agent that fixes two typos while a person types comes to the right text', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SESSION], { encoding: 'utf8', timeout: 120_000 });
  assert.equal(status, 0, stderr);
  const titles = stdout.match(/(?<=^== ).*$/gm) ?? [];
  assert.deepEqual(titles, [
    'the agent reads the text, and its tick',
    'it waits with watch, and hears that the person types',
    'its edit of the text that it read is refused',
    'with rebase it is made: no line that it concerns has changed',
    'it waits for what the person types next',
    'the person sees',
    'all is as it should be',
  ]);
  assert.match(stdout, /\n {3}The plan\n {3}\n {3}Ship it on Friday\.\n {3}Bring a cake, and candles\.\n$/);
});
