import { BufferText } from './buffer-text.js';
import type { Editor } from './editor.js';
import { checkKept, type Operation, totals } from './operations.js';
import type { Answer } from './protocol.js';
import { bufferName, editorQuestion, fileOf } from './question.js';
import type { Stretch } from './remembered.js';
import { CONTEXT, shownChanges } from './shown.js';
import type { Call } from './tool.js';

/** What came of a change. */
type Changed = Answer<'edit'> & { readonly added: number; readonly removed: number };

/** A change that is worked out and not made yet. */
export interface Plan {
  readonly operations: readonly Operation[];
}

/** A change that was made, and what it was. */
export interface Made<P extends Plan> {
  readonly planned: P;
  readonly changed: Changed;
}

/**
 * Has a change of lines worked out by `plan`, and makes it after the person has seen it as a diff and allowed it; what
 * changes nothing needs no question. `concerned` is what the plan will look at, as far as that is known.
 * @throws Fault `stale` when the buffer is not at the tick, `unsupported` where a line would be lost that cannot be written,
 * and what planning, asking and writing throw.
 */
export async function change<P extends Plan>(
  editor: Editor,
  concerned: Stretch,
  call: Pick<Call, 'allow' | 'isFree' | 'by'>,
  plan: (text: BufferText) => Promise<P>,
): Promise<Made<P>> {
  const isFree = call.isFree('write');
  const { text, planned } = await workedOut(editor, concerned, isFree, call.by.signal, plan);
  const { operations } = planned;
  const { facts } = text;
  if (operations.length === 0) return { planned, changed: { ...facts, added: 0, removed: 0 } };
  const { buffer, changedtick: tick } = facts;
  const ops = text.count === 0 ? operations.map(([, , lines]) => intoNothing(lines)) : operations;
  const diff = isFree ? undefined : await shownIn(text, operations);
  const exact = { buffer, tick, ops };
  await call.allow(editorQuestion('write', editor, `change ${bufferName(facts)}`, exact, diff, fileOf(facts)));
  const now = await editor.write('edit', { buffer, tick, ops }, call.by);
  editor.remembered.changed(tick, ops, now);
  return { planned, changed: { ...now, ...totals(operations) } };
}

/**
 * A plan on the lines that are remembered, where that will do: then Vim, which checks the tick, is asked only once. Not
 * where the person is asked, who should see no change that is out of date; and where something is wrong with a plan, it is
 * told of the text as Vim has it now.
 */
async function workedOut<P extends Plan>(
  editor: Editor,
  concerned: Stretch,
  isFree: boolean,
  signal: AbortSignal,
  plan: (text: BufferText) => Promise<P>,
): Promise<{ readonly text: BufferText; readonly planned: P }> {
  const on = async (text: BufferText): Promise<{ text: BufferText; planned: P }> => {
    const planned = await plan(text);
    for (const [first, last] of planned.operations) await text.load(first, last);
    checkKept(planned.operations, text);
    return { text, planned };
  };
  const remembered = isFree ? BufferText.remembered(editor, concerned, signal) : undefined;
  const early = remembered === undefined ? undefined : await on(remembered).catch(() => undefined);
  if (early !== undefined && early.planned.operations.length > 0) return early;
  return await on(await BufferText.open(editor, concerned, signal));
}

async function shownIn(text: BufferText, operations: readonly Operation[]): Promise<string> {
  for (const [first, last] of operations) await text.load(first - CONTEXT, last + CONTEXT);
  return shownChanges(operations, text);
}

/**
 * The one empty line that stands for an empty text gives way to the first text put in, unless that has such a line itself:
 * the person may be typing there.
 */
function intoNothing(lines: readonly string[]): Operation {
  if (lines.length > 1 && lines.at(-1) === '') return [1, 0, lines.slice(0, -1)];
  if (lines.length > 1 && lines[0] === '') return [2, 1, lines.slice(1)];
  return [1, 1, lines];
}
