import { z } from 'zod';
import { editorQuestion } from '../question.js';
import { bufferFacts, checkText, defineTool, target } from '../tool.js';

export const open = defineTool({
  name: 'open',
  action: 'open',
  title: 'Open a file',
  description:
    'Load a file into the buffer list without showing it. A file that is open already is not read again; one that does not exist becomes an empty buffer.',
  input: z.strictObject({
    target,
    path: z
      .string()
      .min(1)
      .max(4096)
      .describe("Literal; relative to Vim's working directory. A leading ~/ is the home directory"),
  }),
  output: bufferFacts.extend({
    swap: z
      .object({ pid: z.number(), host: z.string(), user: z.string(), dirty: z.boolean() })
      .partial()
      .optional()
      .describe('Another Vim may be editing the file, or have crashed'),
  }),
  idempotent: true,
  handle: async ({ target: name, path }, { editors, allow, signal }) => {
    checkText('path', path);
    const editor = editors.find(name);
    await allow(editorQuestion('open', editor, `open the file ${path}`, { path }));
    return { target: editor.name, ...(await editor.write('open', { path }, signal)) };
  },
});
