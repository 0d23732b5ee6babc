import { z } from 'zod';
import type { Editor } from '../editor.js';
import { look, modeName, played } from '../in-view.js';
import { answers } from '../protocol.js';
import { anyFile, bufferName, editorQuestion, fileOf } from '../question.js';
import { type Call, defineTool, target } from '../tool.js';

const { lines: _, ...facts } = answers.screen.shape;

export const screen = defineTool({
  name: 'screen',
  action: 'read',
  title: 'The screen',
  description:
    'What the person sees in the terminal now, or your view: the screen row by row, and the windows. For text use read-lines.',
  input: z.strictObject({ target, view: z.boolean().default(false).describe('Yours') }),
  output: z.object({
    target: z.string(),
    ...facts,
    mode: z.string(),
    cursor: z.object({ row: z.number(), column: z.number() }).describe('In screen cells; may be on the command line'),
    windows: facts.windows.describe('Place and size in cells; first and last line shown'),
    text: z.string(),
  }),
  handle: async ({ target: name, view }, call) => {
    const { editors, allow, signal } = call;
    const editor = editors.find(name);
    if (view) return await ownScreen(editor, call);
    await allow(editorQuestion('read', editor, 'look at the screen', {}, undefined, anyFile));
    const { lines, ...found } = await editor.request('screen', {}, signal);
    return { target: editor.name, ...found, text: lines.map((line) => `${line}\n`).join('') };
  },
  text: ({ text, ...found }) => `${JSON.stringify(found)}\n${text}`,
});

/** What the view of a client shows, as Vim would draw it. */
async function ownScreen(editor: Editor, { views, allow, signal, by }: Call) {
  const view = views.of(editor, by.client);
  const { buffer, rows, columns } = view;
  const facts = await editor.request('probe', { buffer }, signal);
  await allow(editorQuestion('read', editor, `look at ${bufferName(facts)}`, { buffer }, undefined, fileOf(facts)));
  const sight = await look(editor, view, undefined, signal);
  const drawn = await played(editor, view, sight, { keys: '', remap: false }, signal);
  const { topline, line, column } = drawn.view;
  Object.assign(view, { caret: { ...sight.caret, topline }, tick: sight.tick });
  const [first, last] = drawn.shown;
  const place = { row: 1, column: 1, height: rows, width: columns, first, last, cursor: { line, column } };
  return {
    target: editor.name,
    mode: modeName(drawn),
    ...{ rows, columns, cursor: drawn.cursor },
    windows: [{ buffer, filename: facts.filename, ...place }],
    text: drawn.screen.map((row) => `${row}\n`).join(''),
  };
}
