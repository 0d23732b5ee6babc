import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Pending } from '../../shared/pending.js';

it('what is pending is taken once, by its own id, also after the table was exchanged', () => {
  const pending = new Pending<number | string, string>();
  for (let round = 0; round < 100; round += 1) {
    pending.set(round, 'number');
    pending.set(String(round), 'string');
    assert.deepEqual([pending.size, pending.has(round), pending.get(String(round))], [2, true, 'string']);
    assert.deepEqual([pending.take(round), pending.take(round)], ['number', undefined]);
    assert.deepEqual([pending.take(String(round)), pending.size], ['string', 0]);
  }
  pending.set(1, 'one');
  pending.set(2, 'two');
  assert.deepEqual([pending.takeAll(), pending.size, pending.get(1)], [['one', 'two'], 0, undefined]);
});
