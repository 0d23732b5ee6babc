import { z } from 'zod';
import { answers } from '../protocol.js';
import { editorQuestion } from '../question.js';
import { buffer, defineTool, place, target } from '../tool.js';

const MOST = 200;

const output = answers.state.extend({
  target: z.string(),
  mode: z.string().describe("As Vim's mode(1)"),
  project_root: z.string().describe('With .git, package.json or the like; or empty'),
  cursor: place.extend({ buffer: z.number() }),
  tab: z.number(),
  tabs: z.number(),
  windows: answers.state.shape.windows.describe('Of the tab page: first and last line shown, cursor line'),
  buffers: answers.state.shape.buffers.describe(
    'Left out where ordinary: current, alternate, visible, modified, readonly, bomb if false; loaded, listed, modifiable, endofline if true; filetype, buftype if empty; fileencoding if utf-8; fileformat if unix',
  ),
  total: z.number(),
  recent: z.array(z.string()).optional().describe('Files edited before'),
});

export const state = defineTool({
  name: 'state',
  action: 'read',
  title: 'Buffers and cursor',
  description: 'List buffers with their changedtick, windows, and where the person is.',
  input: z.strictObject({
    target,
    buffer: buffer.optional(),
    unlisted: z.boolean().default(false),
    offset: z.number().int().nonnegative().default(0),
    limit: z.number().int().positive().max(MOST).default(50),
    recent: z.number().int().nonnegative().max(50).default(0).describe('So many files edited before, too'),
  }),
  output,
  handle: async ({ target: name, ...params }, { editors, allow, signal }) => {
    const editor = editors.find(name);
    await allow(editorQuestion('read', editor, 'list the buffers', params));
    const { recent, ...found } = await editor.request('state', params, signal);
    return { target: editor.name, ...found, ...(params.recent > 0 ? { recent } : {}) };
  },
  text: ({ buffers, ...facts }) =>
    [
      JSON.stringify(facts),
      'buffer changedtick line_count filename and what is not ordinary:',
      ...buffers.map(row),
    ].join('\n'),
});

/** A buffer in one line: what all have in order, then the flags that are set and the rest as name=value. */
function row(facts: z.infer<typeof output>['buffers'][number]): string {
  const { buffer: number, changedtick, line_count, filename, last_used: _, ...rest } = facts;
  const flags = Object.entries(rest).map(([name, value]) => (value === true ? name : `${name}=${String(value)}`));
  return [number, changedtick, line_count, JSON.stringify(filename), ...flags].join(' ');
}
