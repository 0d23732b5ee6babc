import assert from 'node:assert/strict';
import { eventually, soon } from '../../kit/until.js';
import type { Result } from '../broker.js';
import { type Plan, plan, takes, textAfter } from './agent.js';
import { checkKept } from './checks.js';
import { current, ESC, isBroken, REDO, type Scene, UNDO } from './scene.js';
import { type BufferSnapshot, begin, look, type Snapshot, textAt } from './snapshot.js';

/** One call of the agent; `meanwhile`, while the person types. */
export async function agentCall(scene: Scene, meanwhile: boolean): Promise<void> {
  const before = await begin(scene.vim);
  const buffer = chosen(scene, before);
  const next = plan(scene.random, buffer);
  let isDone = false;
  const call = scene.call(next, `at ${before.mode}${meanwhile ? ', meanwhile' : ''}`).finally(() => {
    isDone = true;
  });
  if (meanwhile) await scene.type();
  const isFree = !meanwhile && !scene.half && isReady(before, next);
  if (!isFree && !meanwhile) await waits(scene, before, () => isDone);
  // Once it waits for Normal mode, it does, wherever the person goes.
  if (!isFree) await finish(scene, takesLine(before, next) ? { ...next, effect: 'history' } : next, () => isDone);
  const result = await soon(`answer to ${next.tool}`, call);
  if (result.isError) refused(scene, result, buffer, !isFree);
  else if (isFree) await made(scene, before, buffer, next, result);
  else await madeMeanwhile(scene, buffer, next, result);
}

/** Most edits are where the person is. */
function chosen({ random }: Scene, seen: Snapshot): BufferSnapshot {
  const own = current(seen);
  return own !== undefined && random.chance(0.7) ? own : random.pick(seen.buffers);
}

/** While a call waits nothing changes. */
async function waits({ vim, tally }: Scene, before: Snapshot, isDone: () => boolean): Promise<void> {
  const isWaiting = async (): Promise<boolean> => (await vim.eval("exists('#mcp_gate#SafeState')")) === 1;
  await eventually('the call waits or is done', async () => isDone() || (await isWaiting()));
  const { buffers } = await look(vim);
  if (isDone() || !(await isWaiting())) return;
  tally.waited += 1;
  assert.deepEqual(buffers, before.buffers, 'a call that waits changes nothing');
}

/** The person ends what stands in the way of a call. */
async function finish(scene: Scene, next: Plan, isDone: () => boolean): Promise<void> {
  for (let typed = 0; !isDone(); typed += 1) {
    const seen = await look(scene.vim);
    if (!scene.half && isReady(seen, next)) return;
    await scene.type(typed < 3 ? undefined : wayBack(seen));
  }
}

/** A call is refused only where the person could change the text before it was carried out. */
function refused({ tally }: Scene, { text }: Result, { lines }: BufferSnapshot, isExcused: boolean): void {
  // `gi` can cut a character in two, and such a line is never written.
  if (lines.some(isBroken) && text.includes('bytes that are no text')) return;
  assert.match(text, isExcused ? /"error":"stale"/ : /^nothing is refused here/);
  tally.stale += 1;
}

/** The person did nothing meanwhile: all is known. */
async function made(scene: Scene, before: Snapshot, old: BufferSnapshot, next: Plan, { value }: Result): Promise<void> {
  const after = await look(scene.vim);
  const now = after.buffers.find(({ buffer }) => buffer === old.buffer);
  assert.ok(now !== undefined);
  checkText(scene, old, next, value, now.lines);
  if (next.effect === 'history') assert.deepEqual(after.kept, before.kept);
  else checkKept(before, after, old.buffer, next.effect);
  if ('changedtick' in value && value['buffer'] === old.buffer) assert.equal(value['changedtick'], now.tick);
  scene.note(after);
  if (!isEdit(next)) return;
  scene.tally.edits += 1;
  if (scene.random.chance(0.5)) return;
  if (before.buffer !== old.buffer) await undoByAgent(scene, old, now);
  else if (before.mode === 'n' && before.cmdwin === '') await undoByPerson(scene, old, now);
}

/** The person typed meanwhile, so that only the text right after the edit is known. */
async function madeMeanwhile(scene: Scene, old: BufferSnapshot, next: Plan, { value }: Result): Promise<void> {
  const tick = value['changedtick'];
  // Without a tick to hold to, the text may have changed before.
  if (typeof tick !== 'number' || !('expected_changedtick' in next.args)) return;
  const lines = await textAt(scene.vim, old.buffer, tick);
  if (lines !== undefined) checkText(scene, old, next, value, lines);
  if (isEdit(next)) scene.tally.edits += 1;
}

function checkText(
  scene: Scene,
  { buffer, lines }: BufferSnapshot,
  { effect }: Plan,
  value: Result['value'],
  now: readonly string[],
): void {
  if (effect !== 'history') {
    assert.deepEqual(now, textAfter(lines, effect));
    return;
  }
  const { changed, seq_cur: sequence } = value;
  const wanted = changed === false ? lines : scene.noted(buffer, sequence);
  if (wanted !== undefined) assert.deepEqual(now, wanted, `the text of the undo sequence ${String(sequence)}`);
}

async function undoByPerson(scene: Scene, before: BufferSnapshot, after: BufferSnapshot): Promise<void> {
  await scene.type(UNDO);
  assert.deepEqual(current(await look(scene.vim))?.lines, before.lines, 'one undo takes back the edit, and only that');
  await scene.type(REDO);
  assert.deepEqual(current(await look(scene.vim))?.lines, after.lines, 'one redo brings it back');
}

async function undoByAgent(scene: Scene, old: BufferSnapshot, now: BufferSnapshot): Promise<void> {
  let tick: unknown = now.tick;
  for (const [tool, wanted] of [
    ['undo', old.lines],
    ['redo', now.lines],
  ] as const) {
    const before = await begin(scene.vim);
    const result = await scene.call({ tool, args: { buffer: old.buffer, expected_changedtick: tick } }, 'elsewhere');
    assert.equal(result.isError, false, result.text);
    const after = await look(scene.vim);
    assert.deepEqual(after.buffers.find(({ buffer }) => buffer === old.buffer)?.lines, wanted);
    // Which column the person last wanted, Vim works out anew in a line that has become shorter.
    const place = ({ kept, mode, cursor }: Snapshot): unknown[] => [kept, mode, cursor.slice(0, 4)];
    assert.deepEqual(place(after), place(before));
    tick = result.value['changedtick'];
  }
}

function isEdit({ effect }: Plan): boolean {
  return effect !== 'history' && effect.length > 0;
}

/** Whether the person is where a call is carried out at once; the text that follows `c` is still part of an operator. */
function isReady(seen: Snapshot, next: Plan): boolean {
  const { mode, state, cmdwin } = seen;
  const modes = next.effect === 'history' || takesLine(seen, next) ? ['n'] : ['n', 'i', 'R'];
  return modes.includes(mode) && !state.includes('o') && cmdwin === '';
}

function takesLine(seen: Snapshot, { effect, args }: Plan): boolean {
  return args['buffer'] === seen.buffer && takes(effect, seen.cursor[1]);
}

/** What leads back to Normal mode. */
function wayBack({ mode, cmdwin }: Snapshot): string {
  if (mode.startsWith('r')) return '\r';
  return mode === 'n' && cmdwin !== '' ? ':q\r' : ESC;
}
