import { z } from 'zod';
import type { Files } from '../../shared/rule.js';
import { READ_BYTES } from '../limits.js';
import { withNul } from '../nul.js';
import { once } from '../once.js';
import { editorQuestion, filesAt } from '../question.js';
import { PAGE, readText } from '../read-text.js';
import { buffer, bufferFacts, defineTool, seenTick, target } from '../tool.js';

/** Pages in one answer. */
const PAGES = READ_BYTES / PAGE;

const output = bufferFacts.extend({
  first: z.number(),
  last: z.number().describe('first - 1 if there is none'),
  next: z.number().optional().describe('first of the next call, if there is more'),
  next_column: z.number().optional().describe('column of the next call, if the last line is cut'),
  text: z.string(),
  lossy: z.array(z.number()).optional().describe('Lines with bytes that are no text (U+FFFD); not to be changed'),
});

export const readLines = defineTool({
  name: 'read-lines',
  action: 'read',
  title: 'Read lines',
  description: 'Read lines of a buffer as they are in the editor now, unsaved changes included, 128 KB at most.',
  input: z.strictObject({
    target,
    buffer,
    first: z
      .number()
      .int()
      .refine((line) => line !== 0, 'lines are counted from 1, or from -1 at the end')
      .default(1)
      .describe('Negative: from the end'),
    last: z.number().int().positive().optional().describe('Default: as many as fit'),
    column: z.number().int().positive().default(1).describe('Where in the first line to begin, in characters'),
    expected_changedtick: seenTick,
  }),
  output,
  handle: async (
    { target: name, buffer: number, first, last, column, expected_changedtick: tick },
    { editors, allow, signal },
  ) => {
    const editor = editors.find(name);
    const wanted = { buffer: number, first, last: last ?? Number.MAX_SAFE_INTEGER, column, tick };
    const read = once(() => readText(editor, wanted, PAGES, signal));
    const files = async (): Promise<Files> => filesAt([(await read()).facts.filename]);
    const exact = { number, first, last };
    await allow(editorQuestion('read', editor, `read buffer ${number}`, exact, undefined, files));
    const { facts, lines, lossy, next, ...found } = await read();
    const isCut = next !== undefined && next.column > 1;
    return {
      target: editor.name,
      ...facts,
      first: found.first,
      last: found.first + lines.length - 1,
      ...(next === undefined ? {} : { next: next.line }),
      ...(isCut ? { next_column: next.column } : {}),
      text: lines.map(withNul).join('\n') + (isCut || lines.length === 0 ? '' : '\n'),
      ...(lossy.length > 0 ? { lossy: [...lossy] } : {}),
    };
  },
  text: ({ text, ...facts }) => `${JSON.stringify(facts)}\n${text}`,
});
