import type { Operation } from '../../../child-vim/operations.js';
import type { Random } from '../../kit/random.js';
import { type Change, end, unified } from '../../kit/unified.js';
import { words } from './person.js';
import type { BufferSnapshot } from './snapshot.js';

/** One call of the agent, and what has to come of it. */
export interface Plan {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The lines it changes, none where it leaves the text as it is; `history` where that is the undo tree's to say. */
  readonly effect: readonly Operation[] | 'history';
}

/** What the agent can do, the more often the more often it stands here. A new tool is one entry more. */
const OPERATIONS: readonly ((random: Random, buffer: BufferSnapshot) => Plan)[] = [
  ...Array.from({ length: 8 }, () => diff),
  ...Array.from({ length: 3 }, () => edit),
  (_, buffer) => ({ tool: 'undo', args: guarded(buffer), effect: 'history' }),
  (_, buffer) => ({ tool: 'redo', args: guarded(buffer), effect: 'history' }),
  (_, { buffer }) => ({ tool: 'read-lines', args: { buffer }, effect: [] }),
  () => ({ tool: 'state', args: {}, effect: [] }),
  (_, buffer) => ({ tool: 'save', args: guarded(buffer), effect: [] }),
  (random) => ({ tool: 'open', args: { path: random.pick(['a', 'b', 'c']) }, effect: [] }),
];

/** What the agent does next with a buffer. */
export function plan(random: Random, buffer: BufferSnapshot): Plan {
  return random.pick(OPERATIONS)(random, buffer);
}

/** The text after operations on lines: a buffer is never without a line. */
export function textAfter(lines: readonly string[], effect: readonly Operation[]): readonly string[] {
  const found = [...lines];
  for (const [first, last, added] of [...effect].reverse()) found.splice(first - 1, last - first + 1, ...added);
  return found.length === 0 ? [''] : found;
}

/** Whether a line goes away without another in its place: nobody can go on typing in it. */
export function takes(effect: Plan['effect'], line: number): boolean {
  if (effect === 'history') return false;
  return effect.some(([first, last, lines]) => first + lines.length <= line && line <= last);
}

/** An edit that certainly changes the text. */
export function diff(random: Random, buffer: BufferSnapshot): Plan {
  const { lines } = buffer;
  const changes = changesOf(random, lines);
  const context = random.below(4);
  const effect = changes.map(({ at, removed, added }): Operation => {
    // The one line of an empty text gives way to what is put in before it, unless it is kept as context.
    const givesWay = lines.length === 1 && lines[0] === '' && at === 0 && context === 0;
    return [at + 1, givesWay ? 1 : at + removed, added];
  });
  const text = unified(lines, changes, context, 0);
  return { tool: 'apply-diff', args: { ...guarded(buffer), diff: text }, effect };
}

/** The same by line operations of `edit`, with a line between them that stays, and no line as it was. */
function edit(random: Random, buffer: BufferSnapshot): Plan {
  const { lines } = buffer;
  if (lines.length === 1 && lines[0] === '') return diff(random, buffer);
  const changes = changesOf(random, lines)
    .filter(({ at }, index, all) => index === 0 || at > end(all[index - 1]))
    .map((change) => ({ ...change, added: change.added.map((line) => `${line} ${random.below(1e6)}`) }));
  const operations = changes.map(({ at, removed, added }) =>
    removed === 0
      ? { kind: 'insert-lines', after: at, text: text(added) }
      : { kind: 'lines', first: at + 1, last: at + removed, text: text(added) },
  );
  const effect = changes.map(({ at, removed, added }): Operation => [at + 1, at + removed, added]);
  return { tool: 'edit', args: { ...guarded(buffer), operations }, effect };
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function changesOf(random: Random, lines: readonly string[]): Change[] {
  const found: Change[] = [];
  const isEmpty = lines.length === 1 && lines[0] === '';
  const most = isEmpty ? 1 : 1 + random.below(4);
  for (let n = 0; n < most; n += 1) {
    const from = end(found.at(-1));
    // The one line of an empty text is none.
    const at = isEmpty ? 0 : from + random.below(lines.length - from + 1);
    const removed = Math.min(random.chance(0.04) ? lines.length : random.below(4), lines.length - at);
    const added = Array.from({ length: random.below(removed === 0 ? 3 : 4) }, () => words(random));
    // The empty line that stands for an empty text is there again when it is taken away.
    if (added.length === 0 && (removed === 0 || isEmpty)) added.push(words(random));
    found.push({ at, removed, added });
    if (at + removed >= lines.length) break;
  }
  return found;
}

function guarded({ buffer, tick }: BufferSnapshot): Record<string, unknown> {
  return { buffer, expected_changedtick: tick };
}
