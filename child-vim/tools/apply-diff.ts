import { z } from 'zod';
import { Fault } from '../../shared/fault.js';
import { hunkOperations } from '../hunks.js';
import { locate } from '../locate.js';
import { parsePatch, spanOf } from '../patch.js';
import { changed, movedHunks } from '../rebasing.js';
import { buffer, bufferFacts, checkText, defineTool, expectedTick, rebase, target } from '../tool.js';

export const applyDiff = defineTool({
  name: 'apply-diff',
  action: 'write',
  title: 'Apply a diff',
  description:
    'Apply a unified diff to a buffer: all hunks or none, as one undo step. Context has to match exactly; line numbers and counts may be wrong. The file is not saved.',
  input: z.strictObject({
    target,
    buffer,
    expected_changedtick: expectedTick,
    diff: z.string().describe('Unified; --- and +++ lines may be left out'),
    rebase,
    fuzz: z.number().int().min(0).max(2).default(0).describe('Context lines that need not match'),
  }),
  output: bufferFacts.extend({
    hunks: z.array(
      z.object({
        first: z.number(),
        last: z.number(),
        offset: z.number().describe('Lines off'),
        fuzz: z.number(),
      }),
    ),
    added: z.number(),
    removed: z.number(),
  }),
  handle: async ({ target: name, buffer: number, expected_changedtick: tick, diff, fuzz: most, rebase }, call) => {
    checkText('diff', diff);
    const { hunks, creates } = parsePatch(diff);
    const editor = call.editors.find(name);
    const { planned, changed: facts } = await changed({
      ...{ editor, call, rebase, concerned: { buffer: number, tick, ...spanOf(hunks) } },
      resolve: async (text) => {
        if (creates && text.count > 0) {
          throw new Fault('invalid', `the diff creates a file, but buffer ${number} is not empty`);
        }
        return await locate(hunks, text, most);
      },
      move: movedHunks,
      plan: async (placed) => ({ placed, ...hunkOperations(placed) }),
    });
    const { added, removed, ...found } = facts;
    const made = planned.placed.map(({ offset, fuzz }, index) => {
      return { first: 1, last: 0, ...planned.ranges[index], offset, fuzz };
    });
    return { target: editor.name, ...found, hunks: made, added, removed };
  },
});
