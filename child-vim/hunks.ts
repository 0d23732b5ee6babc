import { Fault } from '../shared/fault.js';
import type { Placed } from './locate.js';
import type { Operation } from './operations.js';

/** The changes of one hunk. */
interface Part {
  readonly hunk: number;
  readonly operation: Operation;
}

/** Where a hunk ended up: its changed lines in the new text. `last` is `first - 1` where nothing is left. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * The changes that placed hunks come to, in order, and where each hunk ended up. Context is never written.
 * @throws Fault `invalid` naming two hunks that change the same lines.
 */
export function hunkOperations(placed: readonly Placed[]): { operations: Operation[]; ranges: Range[] } {
  const parts = placed
    .flatMap((one, hunk) => partsOf(one, hunk))
    .toSorted((a, b) => a.operation[0] - b.operation[0] || a.operation[1] - b.operation[1]);
  for (const [index, b] of parts.entries()) {
    const a = parts[index - 1];
    if (a !== undefined && meet(a.operation, b.operation)) throw overlapping(placed, a, b);
  }
  return { operations: parts.map(({ operation }) => operation), ranges: rangesOf(placed, parts) };
}

function partsOf({ hunk: { lines }, at }: Placed, hunk: number): Part[] {
  const found: Part[] = [];
  let next = at;
  let removed = 0;
  let added: string[] = [];
  const flush = (): void => {
    if (removed > 0 || added.length > 0) found.push({ hunk, operation: [next - removed, next - 1, added] });
    removed = 0;
    added = [];
  };
  for (const { sign, text } of lines) {
    if (sign === ' ') flush();
    if (sign !== '+') next += 1;
    if (sign === '-') removed += 1;
    if (sign === '+') added.push(text);
  }
  flush();
  return found;
}

/** What is put in before a line that changes as well stands before it; of two such texts the first one comes first. */
function meet(a: Operation, b: Operation): boolean {
  return a[1] >= b[0];
}

function overlapping(placed: readonly Placed[], a: Part, b: Part): Fault {
  const [one, other] = [a, b].map(({ hunk }) => placed[hunk]?.hunk.header);
  return new Fault('invalid', `the hunks ${one} and ${other} both change line ${b.operation[0]}`, {
    next: 'All hunks refer to the same text. Make one hunk of the two.',
  });
}

function rangesOf(placed: readonly Placed[], parts: readonly Part[]): Range[] {
  const found: (Range | undefined)[] = placed.map(() => undefined);
  let shift = 0;
  for (const { hunk, operation } of parts) {
    const [from, to, lines] = operation;
    const first = from + shift;
    found[hunk] = { first: found[hunk]?.first ?? first, last: first + lines.length - 1 };
    shift += lines.length - (to - from + 1);
  }
  return found.map((range, hunk) => range ?? { first: placed[hunk]?.at ?? 1, last: (placed[hunk]?.at ?? 1) - 1 });
}
