import { z } from 'zod';
import { answers } from '../protocol.js';
import { editorQuestion } from '../question.js';
import { defineTool, target } from '../tool.js';

const { lines: _, ...facts } = answers.screen.shape;

export const screen = defineTool({
  name: 'screen',
  action: 'read',
  title: 'The screen',
  description:
    'What the person sees in the terminal now, in any mode: the text of the screen row by row, and the windows of the tab page. Nothing is redrawn. For the text of a buffer use read-lines.',
  input: z.strictObject({ target }),
  output: z.object({
    target: z.string(),
    ...facts,
    mode: z.string().describe("Mode of the person, as Vim's mode(1)"),
    cursor: z
      .object({ row: z.number(), column: z.number() })
      .describe('Cursor of the terminal in screen cells, from 1; may be on the command line'),
    windows: facts.windows.describe(
      'Place and size in screen cells, first and last line shown, cursor in line and character',
    ),
    text: z.string().describe('The rows without trailing blanks, each ended by a newline'),
  }),
  handle: async ({ target: name }, { editors, allow, signal }) => {
    const editor = editors.find(name);
    await allow(editorQuestion('read', editor, 'look at the screen', {}));
    const { lines, ...found } = await editor.request('screen', {}, signal);
    return { target: editor.name, ...found, text: lines.map((line) => `${line}\n`).join('') };
  },
  text: ({ text, ...found }) => `${JSON.stringify(found)}\n${text}`,
});
