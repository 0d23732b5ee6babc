import { z } from 'zod';
import { bufferName, editorQuestion, fileOf } from '../question.js';
import { buffer, defineTool, expectedTick, type Tool, target } from '../tool.js';

const output = z.object({
  target: z.string(),
  buffer: z.number(),
  filename: z.string(),
  changedtick: z.number(),
  changed: z.boolean().describe('false at the end of the branch'),
  seq_cur: z.number().describe('Reached in the undo tree'),
  seq_last: z.number(),
  modified: z.boolean(),
});

/** One step in the undo tree that the person uses too. */
function step(name: 'undo' | 'redo', title: string, description: string): Tool {
  return defineTool({
    name,
    action: 'write',
    title,
    description: `${description} Steps of the person count as well. Saves nothing.`,
    input: z.strictObject({ target, buffer, expected_changedtick: expectedTick }),
    output,
    handle: async ({ target: wanted, buffer: number, expected_changedtick: tick }, { editors, allow, signal, by }) => {
      const editor = editors.find(wanted);
      const facts = await editor.probe(number, tick, signal);
      const exact = { name, number, tick };
      await allow(editorQuestion('write', editor, `${name} in ${bufferName(facts)}`, exact, undefined, fileOf(facts)));
      return { target: editor.name, ...(await editor.write(name, { buffer: number, tick }, by)) };
    },
  });
}

export const undo = step('undo', 'Undo', "Move one step back in the buffer's undo tree.");
export const redo = step('redo', 'Redo', "Move one step forward in the buffer's undo tree, on Vim's current branch.");
