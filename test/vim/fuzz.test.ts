import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Home, makeHome } from '../kit/home.js';
import { Broker } from './broker.js';
import { play } from './fuzz/run.js';

const SEEDS = 20;
const ROUNDS = 40;

/** How to play more of them is told in docs/testing.md. */
describe('a person who types anything and an agent who edits', { concurrency: 2 }, () => {
  let home: Home;
  let broker: Broker;

  before(async () => {
    home = await makeHome();
    broker = await Broker.start(home, ['--auto-allow', 'write,save,open']);
  });
  after(async () => {
    await broker.close();
    await home.remove();
  });

  for (let seed = 1; seed <= SEEDS; seed += 1) {
    it(`leave each other alone, seed ${seed}`, async () => {
      const { edits } = await play(seed, ROUNDS, home, broker);
      assert.ok(edits > 0, 'the agent got to edit');
    });
  }
});
