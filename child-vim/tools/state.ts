import { z } from 'zod';
import { answers } from '../protocol.js';
import { editorQuestion } from '../question.js';
import { buffer, defineTool, target } from '../tool.js';

const MOST = 200;

export const state = defineTool({
  name: 'state',
  action: 'read',
  title: 'Buffers and cursor',
  description: 'List the buffers of an editor with their changedtick, and where the person is.',
  input: z.strictObject({
    target,
    buffer: buffer.optional().describe('Only this buffer'),
    unlisted: z.boolean().default(false).describe('Unlisted buffers too'),
    offset: z.number().int().nonnegative().default(0).describe('Skip so many buffers'),
    limit: z.number().int().positive().max(MOST).default(50),
  }),
  output: answers.state.extend({
    target: z.string(),
    mode: z.string().describe("Mode of the person, as Vim's mode(1)"),
    cursor: z.object({
      buffer: z.number(),
      line: z.number(),
      column: z.number().describe('In characters, from 1'),
    }),
    windows: z.number().describe('Windows in the current tab page'),
    total: z.number().describe('Buffers there are, of which offset and limit choose'),
  }),
  handle: async ({ target: name, ...params }, { editors, allow, signal }) => {
    const editor = editors.find(name);
    await allow(editorQuestion('read', editor, 'list the buffers', params));
    return { target: editor.name, ...(await editor.request('state', params, signal)) };
  },
});
