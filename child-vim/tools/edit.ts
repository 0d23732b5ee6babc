import { z } from 'zod';
import { loadFor, edit as operation, resolve, spanOf } from '../edits.js';
import { EDIT_OPERATIONS } from '../limits.js';
import { UNITS } from '../offsets.js';
import { changed, movedSplices } from '../rebasing.js';
import { inOrder, lineOperations, loadAround, outcomes } from '../splices.js';
import { buffer, bufferFacts, checkText, defineTool, expectedTick, rebase, target } from '../tool.js';

export const edit = defineTool({
  name: 'edit',
  action: 'write',
  title: 'Edit a buffer',
  description:
    'Change a buffer: all operations or none, as one undo step. All refer to the text at expected_changedtick; no two may overlap or begin at one place. Texts are literal. Lines end in LF, the last one too. The file is not saved.',
  input: z.strictObject({
    target,
    buffer,
    expected_changedtick: expectedTick,
    operations: z
      .array(operation)
      .min(1)
      .max(EDIT_OPERATIONS)
      .describe(
        'Lines and columns count from 1. The column after the last character is the end of the line. A number as position is an offset from 0 into the whole text. lines, insert-lines and document take whole lines.',
      ),
    rebase,
    unit: z.enum(UNITS).default('char').describe('Of columns and offsets; char is a code point'),
  }),
  output: bufferFacts.extend({
    operations: z
      .array(z.object({ first: z.number(), last: z.number(), count: z.number() }))
      .describe('The lines that each made, at how many places'),
    added: z.number(),
    removed: z.number(),
  }),
  handle: async (
    { target: name, buffer: number, expected_changedtick: tick, operations: edits, unit, rebase },
    call,
  ) => {
    for (const [index, one] of edits.entries()) {
      for (const [key, value] of Object.entries(one)) {
        if (typeof value === 'string') checkText(`operations[${index}].${key}`, value);
      }
    }
    const editor = call.editors.find(name);
    const { planned, changed: facts } = await changed({
      ...{ editor, call, rebase, concerned: { buffer: number, tick, ...spanOf(edits) } },
      resolve: async (text) => {
        await loadFor(edits, text);
        return inOrder(resolve(edits, unit, text));
      },
      move: movedSplices,
      plan: async (splices, text) => {
        await loadAround(splices, text);
        return { operations: lineOperations(splices, text), splices };
      },
    });
    const { added, removed, ...found } = facts;
    const made = outcomes(planned.splices, edits.length);
    return { target: editor.name, ...found, operations: made, added, removed };
  },
});
