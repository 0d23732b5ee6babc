import { z } from 'zod';
import { editorQuestion } from '../question.js';
import { buffer, bufferFacts, defineTool, target } from '../tool.js';

/** Bytes of text in one answer. */
const MOST_BYTES = 128 * 1024;
const MOST_LINES = 10_000;

const output = bufferFacts.extend({
  first: z.number(),
  last: z.number().describe('Last line of this answer; first - 1 if there is none'),
  next: z.number().optional().describe('Where to go on reading, if there is more of what was asked'),
  text: z.string().describe('The lines, each ended by a newline'),
  lossy: z
    .array(z.number())
    .optional()
    .describe('Lines with bytes that are no text, shown as U+FFFD; they cannot be changed'),
});

export const readLines = defineTool({
  name: 'read-lines',
  action: 'read',
  title: 'Read lines',
  description: 'Read lines of a buffer as they are in the editor now, unsaved changes included.',
  input: z.strictObject({
    target,
    buffer,
    first: z.number().int().positive().default(1),
    last: z.number().int().positive().optional().describe('Default: as many as fit into one answer'),
  }),
  output,
  handle: async ({ target: name, buffer: number, first, last }, { editors, allow, signal }) => {
    const editor = editors.find(name);
    await allow(editorQuestion('read', editor, `read buffer ${number}`, { number, first, last }));
    const bound = Math.min(last ?? Number.MAX_SAFE_INTEGER, first + MOST_LINES - 1);
    const answer = await editor.request('read', { buffer: number, first, last: bound, bytes: MOST_BYTES }, signal);
    const { lines, lossy, ...facts } = answer;
    const end = first + lines.length - 1;
    const more = end < Math.min(last ?? facts.line_count, facts.line_count);
    return {
      target: editor.name,
      ...facts,
      last: end,
      ...(more ? { next: end + 1 } : {}),
      // Vim keeps a NUL of the file as a newline in the line.
      text: lines.map((line) => `${line.replaceAll('\n', '\0')}\n`).join(''),
      ...(lossy.length > 0 ? { lossy } : {}),
    };
  },
  text: ({ text, ...facts }) => `${JSON.stringify(facts)}\n${text}`,
});
