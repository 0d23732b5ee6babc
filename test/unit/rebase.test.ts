import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Mirror } from '../../child-vim/mirror.js';
import { moved } from '../../child-vim/rebase.js';
import { apply, type LineChange, type Revision, unapply } from '../../child-vim/revision.js';

/** Gaps before changes, lines that go and lines that come. */
const steps = fc.array(fc.array(fc.tuple(fc.nat(4), fc.nat(2), fc.nat(3)), { minLength: 1, maxLength: 4 }), {
  maxLength: 5,
});

let fresh = 0;

/** A revision of a text by steps, with lines that are nowhere else. */
function revisionOf(
  lines: readonly string[],
  parts: readonly (readonly [number, number, number])[],
  from: number,
): Revision {
  const changes: LineChange[] = [];
  let next = 1;
  for (const [gap, removed, added] of parts) {
    const first = next + gap + (changes.length > 0 ? 1 : 0);
    if (first + removed > lines.length) break;
    if (removed + added === 0) continue;
    const now = Array.from({ length: added }, () => {
      fresh += 1;
      return `new ${fresh}`;
    });
    changes.push({ first, old: lines.slice(first - 1, first - 1 + removed), now });
    next = first + removed;
  }
  return { from, to: from + 1, at: 0, by: ['person'], changes };
}

function history(parts: Parameters<typeof revisionOf>[1][]): { old: string[]; now: string[]; revisions: Revision[] } {
  const old = Array.from({ length: 12 }, (_, line) => `line ${line}`);
  const now = [...old];
  const revisions = parts.map((part, tick) => {
    const revision = revisionOf(now, part, tick);
    apply(revision.changes, now);
    return revision;
  });
  return { old, now, revisions };
}

describe('lines of an old text', () => {
  it('are the same where they went to, and went nowhere if one of them is not there', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 12 }), fc.nat(3), (parts, first, more) => {
        const { old, now, revisions } = history(parts);
        const last = Math.min(first + more, old.length);
        const wanted = old.slice(first - 1, last);
        const to = moved({ first, last }, revisions);
        if (to !== undefined) assert.deepEqual(now.slice(to.first - 1, to.last), wanted);
        else
          assert.ok(!now.join('\n').includes(`${wanted.join('\n')}\n`) || wanted.some((line) => !now.includes(line)));
      }),
    );
  });

  it('have a place between them as long as nothing was put in there', () => {
    const place = { first: 3, last: 2 };
    const at = (first: number, old: string[], now: string[]): Revision => {
      return { from: 1, to: 2, at: 0, by: ['person'], changes: [{ first, old, now }] };
    };
    assert.deepEqual(moved(place, [at(1, [], ['x'])]), { first: 4, last: 3 });
    assert.deepEqual(moved(place, [at(2, ['b'], ['B'])]), place);
    assert.deepEqual(moved(place, [at(3, ['c'], ['C'])]), place);
    assert.equal(moved(place, [at(3, [], ['x'])]), undefined);
    assert.equal(moved(place, [at(2, ['b', 'c'], ['x'])]), undefined);
  });
});

describe('the text of a buffer', () => {
  it('is known at each tick that it had', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (parts) => {
        const { old, now, revisions } = history(parts);
        const mirror = new Mirror(0, [...old]);
        for (const revision of revisions) mirror.advance(revision, undefined);
        assert.deepEqual(mirror.lines, now);
        const past = await mirror.since(0);
        assert.deepEqual([past?.lines, past?.revisions], [old, revisions]);
        const back = [...now];
        for (const { changes } of revisions.toReversed()) unapply(changes, back);
        assert.deepEqual(back, old);
        assert.equal(await mirror.since(-1), undefined);
      }),
    );
  });

  it('is forgotten at ticks long past, and what it holds stays small', async () => {
    const mirror = new Mirror(0, ['0']);
    for (let tick = 0; tick < 20_000; tick += 1) {
      const [first] = mirror.replaced(1, 1, [`${tick} ${'x'.repeat(500)}`]);
      assert.ok(first !== undefined);
      mirror.advance({ from: tick, to: tick + 1, at: 0, by: ['editor'], changes: [first] }, undefined);
    }
    assert.equal(await mirror.since(1000), undefined);
    assert.equal((await mirror.since(19_900))?.revisions.length, 100);
  });
});
