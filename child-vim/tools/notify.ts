import { z } from 'zod';
import { editorQuestion } from '../question.js';
import { checkText, defineTool, target } from '../tool.js';

export const notify = defineTool({
  name: 'notify',
  action: 'notify',
  title: 'Tell the person',
  description:
    'Show the person a message in Vim: one short line in the message area, anything longer in a popup that goes away by itself.',
  input: z.strictObject({
    target,
    text: z.string().regex(/\S/).max(2000),
    level: z.enum(['info', 'warning', 'error']).default('info'),
  }),
  output: z.object({
    target: z.string(),
    shown: z.enum(['message', 'popup', 'later']).describe('later: when the person is done with a prompt'),
  }),
  handle: async ({ target: name, text, level }, { editors, allow, signal }) => {
    checkText('text', text);
    const editor = editors.find(name);
    await allow(editorQuestion('notify', editor, `show a message (${level})`, { text, level }, text));
    return { target: editor.name, ...(await editor.request('notify', { text, level }, signal)) };
  },
});
