import { z } from 'zod';
import { editorQuestion } from '../question.js';
import { bufferFacts, checkText, defineTool, target } from '../tool.js';

export const newBuffer = defineTool({
  name: 'new',
  action: 'open',
  title: 'New buffer',
  description:
    'Make a buffer without a name, without showing it. With text it counts as modified. Show it with set-cursor; the person decides where to save it.',
  input: z.strictObject({
    target,
    text: z.string().default('').describe('Its lines; the newline after the last one may be left out'),
    filetype: z
      .string()
      .regex(/^[\w.-]*$/)
      .max(64)
      .default('')
      .describe("Vim's 'filetype', as markdown"),
  }),
  output: bufferFacts,
  handle: async ({ target: name, text, filetype }, { editors, allow, by }) => {
    checkText('text', text);
    const editor = editors.find(name);
    await allow(editorQuestion('open', editor, 'make a new buffer', { text, filetype }, text, async () => []));
    const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
    return { target: editor.name, ...(await editor.write('new', { lines, filetype }, by)) };
  },
});
