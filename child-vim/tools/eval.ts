import { z } from 'zod';
import { unrestrictedQuestion } from '../question.js';
import { checkText, defineTool, patience, target } from '../tool.js';

export const evaluate = defineTool({
  name: 'eval',
  action: 'exec',
  title: 'Evaluate an expression',
  description:
    'Evaluate a Vim expression (legacy script) and answer its value as JSON, as getbufvar(3, "&filetype"). It may call any function.',
  input: z.strictObject({ target, expression: z.string().min(1), timeout: patience }),
  output: z.object({
    target: z.string(),
    value: z.unknown(),
    notes: z.array(z.string()).optional().describe('Parts that JSON cannot hold, given as text'),
  }),
  destructive: true,
  handle: async ({ target: name, expression, timeout }, { editors, allow, by }) => {
    checkText('expression', expression);
    const editor = editors.find(name);
    const params = { expression };
    await allow(unrestrictedQuestion('eval', editor, 'evaluate this expression', params, expression));
    const { value, notes } = await editor.run('eval', params, by, timeout * 1000);
    return { target: editor.name, value, ...(notes.length > 0 ? { notes } : {}) };
  },
});
