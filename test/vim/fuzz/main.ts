/**
 * Plays seeds by hand: `node dist/test/vim/fuzz/main.js [--seed FIRST] [--seeds COUNT] [--rounds COUNT]`. See
 * docs/testing.md.
 */
import { parseArgs } from 'node:util';
import { makeHome } from '../../kit/home.js';
import { Broker } from '../broker.js';
import { play } from './run.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '60' },
  },
});

const home = await makeHome();
const broker = await Broker.start(home, ['--auto-allow', 'write,save,open']);
const first = Number(values.seed);
let failed = 0;
try {
  for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
    const start = performance.now();
    try {
      const tally = await play(seed, Number(values.rounds), home, broker);
      console.log(`seed ${seed} ${(performance.now() - start).toFixed(0)} ms ${JSON.stringify(tally)}`);
    } catch (error) {
      failed += 1;
      console.log(error instanceof Error ? error.message : error);
    }
  }
} finally {
  await broker.close();
  await home.remove();
}
console.log(`${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
