import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Client } from '../../hub/client.js';
import { Tree } from '../../hub/tree.js';

const client = (): Client => ({}) as Client;

it('a hub tells those behind it of all in front, when these have changed, and is never behind itself', () => {
  let changes = 0;
  const tree = new Tree(() => {
    changes += 1;
  });
  const [own = ''] = tree.path();
  const [one, two] = [client(), client()];
  tree.learn(one, ['x', 'y']);
  tree.learn(two, ['y', 7, null, 'z'.repeat(65)]);
  assert.deepEqual([tree.path(), changes], [[own, 'x', 'y'], 1]);
  assert.throws(() => tree.learn(two, ['z', own]), { kind: 'invalid', message: /would be a loop/ });
  for (const nothing of [undefined, {}, 'x', []]) tree.learn(two, nothing);
  tree.forget(one);
  tree.forget(one);
  assert.deepEqual([tree.path(), changes], [[own], 2]);
});

it('hubs find a loop of any length in whichever order it is closed', () => {
  const size = 4;
  for (let first = 0; first < size; first += 1) {
    for (const step of [1, 3]) {
      const behind = new Map<number, number>();
      const hubs: Tree[] = [];
      let refused = 0;
      const seats = Array.from({ length: size }, client);
      const tell = (from: number): void => {
        const to = behind.get(from);
        const hub = hubs[from];
        if (to === undefined || hub === undefined) return;
        try {
          hubs[to]?.learn(seats[from] as Client, hub.path());
        } catch {
          refused += 1;
          behind.delete(from);
        }
      };
      for (let at = 0; at < size; at += 1) hubs.push(new Tree(() => tell(at)));
      for (let at = 0; at < size; at += 1) {
        const from = (first + at * step) % size;
        behind.set(from, (from + 1) % size);
        tell(from);
      }
      assert.ok(refused > 0);
    }
  }
});
