import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { locate } from '../../child-vim/locate.js';
import { type Operation, operations } from '../../child-vim/operations.js';
import { parsePatch } from '../../child-vim/patch.js';
import { preview } from '../../shared/escape.js';

/** A text that is all there. */
function textOf(lines: readonly string[]): Parameters<typeof locate>[1] {
  return {
    facts: { buffer: 1, filename: '', changedtick: 1, line_count: lines.length, modified: false },
    range: (first, last) => Promise.resolve(lines.slice(first - 1, last)),
    all: () => Promise.resolve([...lines]),
  };
}

/** What the plugin does with operations. */
function applied(lines: readonly string[], ops: readonly Operation[]): string[] {
  const result = [...lines];
  for (const [first, last, added] of [...ops].reverse()) result.splice(first - 1, last - first + 1, ...added);
  return result;
}

/** Replaces `removed` lines before `at` (from 0) by `added`; changes are in order and leave a line between them. */
interface Change {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** A unified diff with a hunk for each change and as much context as fits, its line numbers off by `shift`. */
function unified(lines: readonly string[], changes: readonly Change[], context: number, shift: number): string {
  let grown = 0;
  return changes
    .map(({ at, removed, added }, index) => {
      const next = changes[index + 1];
      // Lines between two changes are context of one of them only.
      const before = Math.min(context, index === 0 ? at : Math.floor((at - end(changes[index - 1])) / 2));
      const after = next === undefined ? lines.length - at - removed : Math.ceil((next.at - at - removed) / 2);
      const old = before + removed + Math.min(context, after);
      const start = at - before + (old === 0 ? 0 : 1) + shift;
      const header = `@@ -${start},${old} +${start + grown},${old - removed + added.length} @@`;
      grown += added.length - removed;
      const signed = (sign: string, from: number, to: number): string[] =>
        lines.slice(from, to).map((line) => sign + line);
      const context1 = signed(' ', at - before, at);
      const context2 = signed(' ', at + removed, at + removed + Math.min(context, after));
      return [
        header,
        ...context1,
        ...signed('-', at, at + removed),
        ...added.map((line) => `+${line}`),
        ...context2,
        '',
      ].join('\n');
    })
    .join('');
}

function end(change: Change | undefined): number {
  return change === undefined ? 0 : change.at + change.removed;
}

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
  .filter(({ changes }) => changes.length > 0);

describe('unified diffs', () => {
  it('come out as the changes they were made from', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ lines, changes, context }) => {
        const ops = operations(
          await locate(parsePatch(unified(lines, changes, context, 0)), textOf(lines)),
          new Set(),
          false,
        );
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
        fc.pre(first.removed > 0 && first.at + 1 + shift - context > 0);
        const ops = operations(
          await locate(parsePatch(unified(unique, changes, context, shift)), textOf(unique)),
          new Set(),
          false,
        );
        const wanted = applied(
          unique,
          changes.map(({ at, removed, added }) => [at + 1, at + removed, added] as const),
        );
        assert.deepEqual(applied(unique, ops), wanted);
        const other = unique.map((line) => `${line}.`);
        await assert.rejects(
          locate(parsePatch(unified(unique, changes, context, shift)), textOf(other)),
          /matches nowhere/,
        );
      }),
      { numRuns: 300 },
    );
  });

  it('are never misread, whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string(), fc.constant('@@ -1,1 +1,1 @@'))), (lines) => {
        try {
          for (const { lines: body } of parsePatch(lines.join('\n'))) assert.ok(body.length > 0);
        } catch (error) {
          assert.equal((error as { kind?: string }).kind, 'invalid');
        }
      }),
      { numRuns: 500 },
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
