import { z } from 'zod';
import { checkTick } from '../editor.js';
import { bufferName, editorQuestion, fileOf } from '../question.js';
import { buffer, bufferFacts, defineTool, expectedTick, target } from '../tool.js';

const line = z.number().int().positive();
const column = z.number().int().positive().describe('In characters, from 1');

export const setCursor = defineTool({
  name: 'set-cursor',
  action: 'write',
  title: 'Move the cursor',
  description:
    "Move the person's cursor, or select text for them. The buffer is shown if it is not, in place of the one in the current window. Ctrl-O brings the person back. Only while they are in Normal mode; editing needs no cursor.",
  input: z.strictObject({
    target,
    buffer,
    line,
    column: column.default(1),
    end: z.strictObject({ line, column }).optional().describe('Select up to this character, inclusive'),
    expected_changedtick: expectedTick.optional(),
  }),
  output: bufferFacts.extend({
    line: z.number(),
    column: z.number(),
    mode: z.string().describe('n, or v with a selection'),
  }),
  idempotent: true,
  handle: async ({ target: name, expected_changedtick: tick, ...place }, { editors, allow, signal, by }) => {
    const editor = editors.find(name);
    const facts = await editor.request('probe', { buffer: place.buffer }, signal);
    if (tick !== undefined) checkTick(facts, tick);
    const params = { ...place, ...(tick === undefined ? {} : { tick }) };
    const where = `line ${place.line}, column ${place.column} of ${bufferName(facts)}`;
    const what = place.end === undefined ? `move the cursor to ${where}` : `select text from ${where}`;
    await allow(editorQuestion('write', editor, what, params, undefined, fileOf(facts)));
    return { target: editor.name, ...(await editor.write('cursor', params, by)) };
  },
});
