import { z } from 'zod';
import { visibleLine } from '../../shared/escape.js';
import { Fault } from '../../shared/fault.js';
import type { Editor } from '../editor.js';
import { anyFile, bufferName, editorQuestion } from '../question.js';
import { defineTool } from '../tool.js';

/** Buffers of one answer. */
const PAGE = 200;

export const stopEditor = defineTool({
  name: 'stop-editor',
  action: 'open',
  title: 'End an editor',
  description: 'End an editor that start-editor started.',
  input: z.strictObject({
    target: z.string().min(1).max(64),
    discard: z.boolean().default(false).describe('Unsaved changes'),
  }),
  output: z.object({ target: z.string() }),
  destructive: true,
  handle: async ({ target: name, discard }, { editors, headless, allow, signal }) => {
    const editor = editors.find(name);
    if (headless?.has(editor) !== true) {
      throw new Fault('unsupported', `${editor.name} was not started by start-editor`, {
        next: 'Only the person ends their own editors.',
      });
    }
    const unsaved = await unsavedIn(editor, signal);
    if (unsaved.length > 0 && !discard) {
      throw new Fault('unsupported', `${editor.name} has unsaved changes in ${unsaved.join(', ')}`, {
        next: 'Save them, or set discard.',
      });
    }
    const what = `end this editor${unsaved.length === 0 ? '' : ` and lose what is unsaved in ${unsaved.join(', ')}`}`;
    await allow(editorQuestion('open', editor, visibleLine(what), { discard }, undefined, anyFile));
    await headless.stop(editor);
    return { target: editor.name };
  },
});

/** Buffers with changes that a file is missing. */
async function unsavedIn(editor: Editor, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const asked = { unlisted: true, offset, limit: PAGE, recent: 0 };
    const state = await editor.request('state', asked, signal);
    total = state.total;
    for (const { modified, buftype, ...facts } of state.buffers) {
      if (modified === true && (buftype === undefined || buftype === 'acwrite')) found.push(bufferName(facts));
    }
  }
  return found;
}
