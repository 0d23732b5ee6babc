import assert from 'node:assert/strict';
import { it } from 'node:test';
import { calmly } from '../../hub/calm.js';

it('what is done calmly is done at once, then once for all that is asked for in a while', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  let done = 0;
  const ask = calmly(() => {
    done += 1;
  }, 100);
  const after = (asked: number, milliseconds: number): number => {
    for (let each = 0; each < asked; each += 1) ask();
    mock.timers.tick(milliseconds);
    return done;
  };
  assert.deepEqual(
    [after(1, 0), after(10, 99), after(0, 1), after(0, 1000), after(1, 0), after(0, 1000), after(3, 1000)],
    [1, 1, 2, 2, 3, 3, 5],
  );
});
