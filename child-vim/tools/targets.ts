import { z } from 'zod';
import { defineTool } from '../tool.js';

const output = z.object({
  targets: z.array(
    z.object({
      target: z.string(),
      active: z.boolean().describe('Whether @active means this one'),
      pid: z.number(),
      cwd: z.string().describe('Working directory when it connected'),
      vim: z.string().describe('Version, as v:versionlong'),
    }),
  ),
});

export const targets = defineTool({
  name: 'targets',
  action: 'read',
  title: 'Connected editors',
  description: 'List the Vim editors that are connected. Begin here.',
  input: z.strictObject({}),
  output,
  handle: async (_, { editors, allow }) => {
    await allow({ action: 'read', subject: 'targets', message: 'List the connected editors?', exact: {} });
    const { active } = editors;
    const list = editors.all.map((editor) => ({
      target: editor.name,
      active: editor === active,
      pid: editor.facts.pid,
      cwd: editor.facts.cwd,
      vim: editor.facts.version,
    }));
    return { targets: list };
  },
  text: ({ targets: list }) =>
    list.length === 0 ? 'No Vim is connected. The person connects one with :Mcp.' : JSON.stringify({ targets: list }),
});
