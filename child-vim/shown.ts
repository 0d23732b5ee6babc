import { type Lines, slice } from './buffer-text.js';
import type { Operation } from './operations.js';

/** Lines shown around a change. */
export const CONTEXT = 3;

/** Line operations as a unified diff; the lines they replace and {@link CONTEXT} around them have to be there. */
export function shownChanges(operations: readonly Operation[], lines: Lines): string {
  let shift = 0;
  let diff = '';
  for (const group of groups(operations)) {
    const first = Math.max((group[0]?.[0] ?? 1) - CONTEXT, 1);
    const last = Math.min((group.at(-1)?.[1] ?? 0) + CONTEXT, lines.count);
    const body: string[] = [];
    let next = first;
    for (const [from, to, added] of group) {
      body.push(...signed(' ', slice(lines, next, from - 1)), ...signed('-', slice(lines, from, to)));
      body.push(...signed('+', added));
      next = to + 1;
    }
    body.push(...signed(' ', slice(lines, next, last)));
    const grown = group.reduce((sum, [from, to, added]) => sum + added.length - (to - from + 1), 0);
    const old = last - first + 1;
    diff += `@@ -${range(first, old)} +${range(first + shift, old + grown)} @@\n${body.join('\n')}\n`;
    shift += grown;
  }
  return diff;
}

/** Changes whose context touches are shown together. */
function groups(operations: readonly Operation[]): Operation[][] {
  const found: Operation[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const operation of operations) {
    if (operation[0] - end > 2 * CONTEXT) found.push([]);
    found.at(-1)?.push(operation);
    end = operation[1] + 1;
  }
  return found;
}

/** Of no lines, the line before is named. */
function range(first: number, count: number): string {
  return `${count === 0 ? first - 1 : first},${count}`;
}

function signed(sign: string, lines: readonly string[]): string[] {
  return lines.map((line) => sign + line);
}
