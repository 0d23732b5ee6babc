import { z } from 'zod';
import type { Editor } from '../editor.js';
import { look } from '../in-view.js';
import { bufferName, editorQuestion, fileOf } from '../question.js';
import { buffer, defineTool, target } from '../tool.js';

const size = z.int().positive().max(300).meta({ maximum: undefined });
/** Columns that Vim has at least. */
const NARROWEST = 12;

export const viewOpen = defineTool({
  name: 'view-open',
  action: 'read',
  title: 'Open a view',
  description: 'Open your own view of a buffer, with its own caret; one for each editor.',
  input: z.strictObject({
    target,
    buffer,
    line: z.int().positive().optional().describe("Default: the person's"),
    rows: size.default(24),
    columns: size.default(80),
  }),
  output: z.object({ target: z.string(), changedtick: z.number() }),
  handle: async ({ target: name, buffer: number, line, rows, columns }, { editors, views, allow, signal, by }) => {
    const editor = editors.find(name);
    const facts = await editor.request('probe', { buffer: number }, signal);
    await allow(editorQuestion('read', editor, `look at ${bufferName(facts)}`, { number }, undefined, fileOf(facts)));
    const caret = line === undefined ? await person(editor, number, signal) : { line, column: 1 };
    const release = await editor.feed.hold(number, signal);
    try {
      const width = Math.max(columns, NARROWEST);
      const view = { buffer: number, rows, columns: width, caret, tick: facts.changedtick, kept: {}, release };
      const seen = await look(editor, view, undefined, signal);
      const { caret: place, tick } = seen;
      views.open(editor, by.client, { ...view, caret: place, tick });
      return { target: editor.name, changedtick: tick };
    } catch (error) {
      release();
      throw error;
    }
  },
});

/** Where the person is in a buffer, or the beginning of it. */
async function person(editor: Editor, number: number, signal: AbortSignal) {
  const asked = { unlisted: false, offset: 0, limit: 1, recent: 0 };
  const { cursor, windows } = await editor.request('state', asked, signal);
  const { buffer: current, ...place } = cursor;
  if (current === number) return place;
  return { line: windows.find((window) => window.buffer === number)?.line ?? 1, column: 1 };
}
