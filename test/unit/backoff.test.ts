import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Backoff } from '../../shared/backoff.js';

const LONGEST_AFTER = [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000];

describe('the waits before a restart', () => {
  it('grow to a limit, each drawn from the upper half of its range', () => {
    for (let round = 0; round < 50; round += 1) {
      const backoff = new Backoff();
      for (const longest of LONGEST_AFTER) {
        const wait = backoff.next(0);
        assert.ok(wait >= longest / 2 && wait <= longest, `${wait} is not in ${longest / 2}..${longest}`);
      }
    }
  });

  it('differ, so that children which fell together do not rise together', () => {
    const waits = Array.from({ length: 20 }, () => new Backoff().next(0));
    assert.ok(new Set(waits).size > 10);
  });

  it('begin anew after a time without a fall', () => {
    const backoff = new Backoff();
    for (let fall = 0; fall < 6; fall += 1) backoff.next(59_999);
    assert.ok(backoff.next(59_999) >= 8000);
    assert.ok(backoff.next(60_000) <= 250);
  });
});
