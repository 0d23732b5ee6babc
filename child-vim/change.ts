import type { BufferText } from './buffer-text.js';
import type { Editor } from './editor.js';
import { checkKept, type Operation, totals } from './operations.js';
import type { Answer } from './protocol.js';
import { bufferName, editorQuestion } from './question.js';
import { CONTEXT, shownChanges } from './shown.js';
import type { Call } from './tool.js';

/** What came of a change. */
export type Changed = Answer<'edit'> & { readonly added: number; readonly removed: number };

/**
 * Makes changes of lines after the person has seen them as a diff and allowed them; what changes nothing needs no question.
 * @throws Fault `unsupported` where a line would be lost that cannot be written, and what asking and writing throw.
 */
export async function change(
  operations: readonly Operation[],
  text: BufferText,
  editor: Editor,
  { allow, signal }: Pick<Call, 'allow' | 'signal'>,
): Promise<Changed> {
  const { facts } = text;
  const { buffer, changedtick: tick } = facts;
  checkKept(operations, text);
  if (operations.length === 0) return { ...facts, added: 0, removed: 0 };
  for (const [first, last] of operations) await text.load(first - CONTEXT, last + CONTEXT);
  const ops = text.count === 0 ? operations.map(([, , lines]) => intoNothing(lines)) : operations;
  const diff = shownChanges(operations, text);
  await allow(editorQuestion('write', editor, `change ${bufferName(facts)}`, { buffer, tick, ops }, diff));
  return { ...(await editor.write('edit', { buffer, tick, ops }, signal)), ...totals(operations) };
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
