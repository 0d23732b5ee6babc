/**
 * Runs all tests on the built files: the fast ones in one process, those with processes and editors of their own beside
 * each other. Arguments choose folders: `node dist/test/run.js vim`; those that want further programs run only if named.
 */
import { spawnSync } from 'node:child_process';
import { testFiles } from './kit/files.js';

const SETS: readonly {
  readonly name: string;
  readonly files: readonly string[];
  readonly atOnce: number;
  readonly wants?: string;
}[] = [
  { name: 'fast', files: ['dist/test/fast.js'], atOnce: 1 },
  { name: 'hub', files: testFiles('hub'), atOnce: 2 },
  { name: 'vim', files: testFiles('vim'), atOnce: 2 },
  { name: 'dialog', files: testFiles('dialog'), atOnce: 1, wants: 'Xvfb, yad, zenity, xdotool and ImageMagick' },
];

const chosen = process.argv.slice(2);
let failed = false;
for (const { name, files, atOnce, wants } of SETS) {
  if (chosen.length > 0 ? !chosen.includes(name) : wants !== undefined) continue;
  console.log(`\n${name}${wants === undefined ? '' : `, with ${wants}`}`);
  const args = ['--test', '--test-reporter=spec', '--test-timeout=180000'];
  args.push(`--test-concurrency=${atOnce}`, ...files);
  failed = spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0 || failed;
}
process.exitCode = failed ? 1 : 0;
