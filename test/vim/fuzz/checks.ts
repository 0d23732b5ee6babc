import assert from 'node:assert/strict';
import type { Operation } from '../../../child-vim/operations.js';
import type { BufferSnapshot, Snapshot, WindowSnapshot } from './snapshot.js';

/** What a window shows, and how far behind its last character the cursor can be. */
interface Text {
  readonly lines: readonly string[];
  readonly beyond: 0 | 1;
}

/** Where a line went, or undefined when it gave way. A line that another took the place of counts as there. */
function whereTo(line: number, effect: readonly Operation[]): number | undefined {
  let moved = line;
  for (const [first, last, lines] of effect) {
    if (first <= line && line <= last && line - first >= lines.length) return undefined;
    if (last < line) moved += lines.length - (last - first + 1);
  }
  return moved;
}

/** Whether an operation changes lines `first` to `last` or puts any between them. */
function touches(effect: readonly Operation[], first: number, last: number): boolean {
  return effect.some(([from, to]) => (from > to ? from > first && from <= last : from <= last && to >= first));
}

/** The person's things after lines of a buffer were changed, held against those before. */
export function checkKept(before: Snapshot, after: Snapshot, buffer: number, effect: readonly Operation[]): void {
  assert.deepEqual(after.kept, before.kept, 'registers, search, layout and the like are as they were');
  if (effect.length === 0) assert.equal(after.jumps, before.jumps, 'no jump was made');
  assert.equal(after.mode, before.mode, 'the mode is as it was');
  assert.equal(after.errmsg, 'none', 'the plugin made no error');
  for (const old of before.buffers) checkBuffer(old, found(after, old.buffer), old.buffer === buffer ? effect : []);
  for (const old of before.windows) {
    const lines = before.buffers.find((each) => each.buffer === old.buffer)?.lines ?? [];
    // Only who is typing stands behind the last character.
    const beyond = before.mode !== 'n' && old.window === before.kept['window'] ? 1 : 0;
    checkWindow(old, { lines, beyond }, after, old.buffer === buffer ? effect : []);
  }
  const own = before.buffer === buffer ? effect : [];
  const folds = before.folds.filter(([first, last]) => !touches(own, first - 1, last + 1));
  const moved = folds.map(([first, last]) => [whereTo(first, own), whereTo(last, own)]);
  for (const fold of moved) {
    assert.ok(
      after.folds.some(([first, last]) => first === fold[0] && last === fold[1]),
      `the closed fold ${fold.join('-')} stays closed; now ${JSON.stringify(after.folds)}`,
    );
  }
}

function found({ buffers }: Snapshot, number: number): BufferSnapshot {
  const buffer = buffers.find((each) => each.buffer === number);
  assert.ok(buffer !== undefined, `buffer ${number} is there`);
  return buffer;
}

function checkBuffer(before: BufferSnapshot, after: BufferSnapshot, effect: readonly Operation[]): void {
  if (effect.length === 0) assert.deepEqual(after.lines, before.lines, `the text of buffer ${before.buffer} stays`);
  for (const [name, [line, column]] of Object.entries(before.marks)) {
    const moved = line > 0 ? whereTo(line, effect) : undefined;
    if (moved !== undefined) assert.deepEqual(after.marks[name], [moved, column], `mark ${name} goes with its line`);
  }
}

function checkWindow(before: WindowSnapshot, text: Text, after: Snapshot, effect: readonly Operation[]): void {
  const now = after.windows.find(({ window }) => window === before.window);
  assert.ok(now !== undefined, 'the windows are as they were');
  const line = whereTo(before.line, effect);
  if (line !== undefined) assert.equal(now.line, line, `the cursor of window ${before.window} goes with its line`);
  const isSame = !touches(effect, before.line, before.line);
  if (isSame && isPlace(text, before)) {
    assert.deepEqual(now.column, before.column, `the column in window ${before.window} stays`);
  }
  const top = whereTo(before.topline, effect);
  const isShift = !touches(effect, before.topline, Math.max(before.line, before.topline));
  // Off the screen the cursor can be only in a window that is not the current one, until that is entered or drawn anew.
  const isSeen = before.line >= before.topline && before.line < before.topline + before.height;
  if (top !== undefined && isShift && isSeen) {
    assert.equal(now.topline, top, `the view of window ${before.window} goes with its text`);
  }
}

/** Whether a cursor is at a character; what the person does in another window, and `gi`, can leave it in between. */
function isPlace({ lines, beyond }: Text, { line, column: [column = 1] }: WindowSnapshot): boolean {
  const bytes = Buffer.from(lines[line - 1] ?? '');
  return column <= Math.max(1, bytes.length + beyond) && ((bytes[column - 1] ?? 0) & 0xc0) !== 0x80;
}
