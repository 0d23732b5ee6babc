import { z } from 'zod';
import { BufferText } from '../buffer-text.js';
import { locate } from '../locate.js';
import { operations } from '../operations.js';
import { parsePatch } from '../patch.js';
import { bufferName, editorQuestion } from '../question.js';
import { shownChanges } from '../shown.js';
import { buffer, bufferFacts, checkText, defineTool, expectedTick, target } from '../tool.js';

export const applyDiff = defineTool({
  name: 'apply-diff',
  action: 'write',
  title: 'Apply a diff',
  description:
    'Apply a unified diff to a buffer: all hunks or none, as one undo step. Context has to match exactly; a hunk may stand some lines off. The file is not saved.',
  input: z.strictObject({
    target,
    buffer,
    expected_changedtick: expectedTick,
    diff: z.string().min(1).describe('Unified diff of this one file; --- and +++ lines may be left out'),
  }),
  output: bufferFacts.extend({
    hunks: z.array(z.object({ first: z.number(), offset: z.number().describe('Lines off from where the diff said') })),
    added: z.number(),
    removed: z.number(),
  }),
  handle: async ({ target: name, buffer: number, expected_changedtick: tick, diff }, { editors, allow, signal }) => {
    checkText('diff', diff);
    const hunks = parsePatch(diff);
    const editor = editors.find(name);
    const text = new BufferText(editor, number, tick, signal);
    const placed = await locate(hunks, text);
    const facts = text.facts ?? (await editor.probe(number, tick, signal));
    const ops = operations(placed, text.lossy, await text.isEmpty());
    await allow(
      editorQuestion('write', editor, `change ${bufferName(facts)}`, { number, tick, ops }, shownChanges(placed)),
    );
    const after = await editor.write('edit', { buffer: number, tick, ops }, signal);
    return {
      target: editor.name,
      ...after,
      hunks: placed.map(({ hunk, at }) => ({ first: at, offset: at - hunk.first })),
      added: ops.reduce((sum, [, , lines]) => sum + lines.length, 0),
      removed: ops.reduce((sum, [first, last]) => sum + last - first + 1, 0),
    };
  },
});
