import type { Text } from '../../child-vim/buffer-text.js';
import { type Edit, resolve } from '../../child-vim/edits.js';
import { hunkOperations } from '../../child-vim/hunks.js';
import { locate } from '../../child-vim/locate.js';
import type { Unit } from '../../child-vim/offsets.js';
import type { Operation } from '../../child-vim/operations.js';
import { parsePatch } from '../../child-vim/patch.js';
import { inOrder, lineOperations } from '../../child-vim/splices.js';

/** A text that is all there; the one empty line of an empty text is none. */
export function textOf(lines: readonly string[]): Text {
  return {
    count: lines.length === 1 && lines[0] === '' ? 0 : lines.length,
    line: (number) => lines[number - 1] ?? '',
    load: () => Promise.resolve(),
  };
}

/** What the plugin does with operations. */
export function applied(lines: readonly string[], operations: readonly Operation[]): string[] {
  const result = textOf(lines).count === 0 ? [] : [...lines];
  for (const [first, last, added] of [...operations].reverse()) result.splice(first - 1, last - first + 1, ...added);
  return result.length === 0 ? [''] : result;
}

/** The line operations that a diff comes to. */
export async function diffOperations(diff: string, lines: readonly string[], fuzz = 0): Promise<Operation[]> {
  return hunkOperations(await locate(parsePatch(diff).hunks, textOf(lines), fuzz)).operations;
}

/** The lines after edits. */
export function edited(lines: readonly string[], edits: readonly Edit[], unit: Unit = 'char'): string[] {
  const text = textOf(lines);
  return applied(lines, lineOperations(inOrder(resolve(edits, unit, text)), text));
}
