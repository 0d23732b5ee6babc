import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parsePatch } from '../../child-vim/patch.js';
import { shownChanges } from '../../child-vim/shown.js';
import { preview } from '../../shared/escape.js';
import { applied, diffOperations, textOf } from '../kit/text.js';
import { type Change, end, unified } from '../kit/unified.js';

const word = fc.constantFrom('', 'a', 'b', ' ', '-', '+x', '@@', 'ü🙂', '\\');

const cases = fc
  .record({
    lines: fc.array(word, { minLength: 1, maxLength: 30 }),
    steps: fc.array(fc.record({ skip: fc.nat(6), removed: fc.nat(3), added: fc.array(word, { maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 4,
    }),
    context: fc.nat(3),
  })
  .map(({ lines, steps, context }) => {
    const changes: Change[] = [];
    for (const { skip, removed, added } of steps) {
      const at = end(changes.at(-1)) + skip + (changes.length > 0 ? 1 : 0);
      if (at + removed <= lines.length && removed + added.length > 0) changes.push({ at, removed, added });
    }
    return { lines, changes, context };
  })
  .filter(({ lines, changes }) => changes.length > 0 && lines.join('\n') !== '');

describe('unified diffs', () => {
  it('come out as the changes they were made from', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ lines, changes, context }) => {
        const ops = await diffOperations(unified(lines, changes, context, 0), lines);
        const wanted = applied(
          lines,
          changes.map(({ at, removed, added }) => [at + 1, at + removed, added] as const),
        );
        assert.deepEqual(applied(lines, ops), wanted);
      }),
      { numRuns: 500 },
    );
  });

  it('are found where they stand, and never applied where their context does not', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: -5, max: 5 }), async ({ lines, changes, context }, shift) => {
        const unique = lines.map((line, index) => `${index} ${line}`);
        const first = changes[0] as Change;
        fc.pre(first.at + 1 + shift - context > 0 && changes.every(({ removed }) => removed > 0));
        const ops = await diffOperations(unified(unique, changes, context, shift), unique);
        const wanted = applied(
          unique,
          changes.map(({ at, removed, added }) => [at + 1, at + removed, added] as const),
        );
        assert.deepEqual(applied(unique, ops), wanted);
        const other = unique.map((line) => `${line}.`);
        await assert.rejects(diffOperations(unified(unique, changes, context, shift), other), /matches nowhere/);
      }),
      { numRuns: 300 },
    );
  });

  it('do not depend on the counts in their headers', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(9), fc.nat(9), async ({ lines, changes, context }, old, now) => {
        fc.pre(changes.every(({ removed }) => removed > 0));
        const unique = lines.map((line, index) => `${index} ${line}`);
        const diff = unified(unique, changes, context, 0);
        const wrong = diff.replaceAll(/@@ -(\d+),\d+ \+(\d+),\d+ @@/g, `@@ -$1,${old} +$2,${now} @@`);
        assert.deepEqual(await diffOperations(wrong, unique), await diffOperations(diff, unique));
      }),
      { numRuns: 300 },
    );
  });

  it('are never misread, whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string(), fc.constant('@@ -1,1 +1,1 @@'))), (lines) => {
        try {
          parsePatch(lines.join('\n'));
        } catch (error) {
          assert.match((error as { kind: string }).kind, /^(invalid|unsupported)$/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are shown as what they do', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ lines, changes, context }) => {
        const ops = await diffOperations(unified(lines, changes, context, 0), lines);
        const again = await diffOperations(shownChanges(ops, textOf(lines)), lines);
        assert.deepEqual(applied(lines, again), applied(lines, ops));
      }),
      { numRuns: 300 },
    );
  });
});

describe('previews', () => {
  it('hold only characters that look like themselves', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        assert.doesNotMatch(preview(text, 100), /[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}/u);
      }),
    );
  });
});
