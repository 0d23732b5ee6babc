import { z } from 'zod';
import { answers } from '../protocol.js';
import { anyFile, editorQuestion } from '../question.js';
import { defineTool, target } from '../tool.js';

const { lines: _, ...facts } = answers.screen.shape;

export const screen = defineTool({
  name: 'screen',
  action: 'read',
  title: 'The screen',
  description:
    'What the person sees in the terminal now, in any mode: the screen row by row, and the windows. For the text of a buffer use read-lines.',
  input: z.strictObject({ target }),
  output: z.object({
    target: z.string(),
    ...facts,
    mode: z.string(),
    cursor: z.object({ row: z.number(), column: z.number() }).describe('In screen cells; may be on the command line'),
    windows: facts.windows.describe('Place and size in cells; first and last line shown'),
    text: z.string(),
  }),
  handle: async ({ target: name }, { editors, allow, signal }) => {
    const editor = editors.find(name);
    await allow(editorQuestion('read', editor, 'look at the screen', {}, undefined, anyFile));
    const { lines, ...found } = await editor.request('screen', {}, signal);
    return { target: editor.name, ...found, text: lines.map((line) => `${line}\n`).join('') };
  },
  text: ({ text, ...found }) => `${JSON.stringify(found)}\n${text}`,
});
