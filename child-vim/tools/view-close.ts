import { z } from 'zod';
import { defineTool } from '../tool.js';

export const viewClose = defineTool({
  name: 'view-close',
  action: 'read',
  title: 'Close your view',
  description: 'Close your view.',
  input: z.strictObject({ target: z.string().min(1).max(64).optional() }),
  output: z.object({ target: z.string() }),
  handle: async ({ target: name }, { editors, views, by }) => {
    const editor = editors.find(name);
    views.close(editor, by.client);
    return { target: editor.name };
  },
});
