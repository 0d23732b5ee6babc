import { z } from 'zod';
import { editorQuestion } from '../question.js';
import { search, vimPattern } from '../search-buffers.js';
import { buffer, checkText, defineTool, target, withNul } from '../tool.js';

const output = z.object({
  target: z.string(),
  matches: z.array(
    z.object({
      buffer: z.number(),
      line: z.number(),
      column: z.number().describe('In characters, from 1'),
      text: z.string().describe('The line; one above 400 bytes is cut around the match, with … at the cut'),
      cut: z.literal(true).optional(),
    }),
  ),
  buffers: z
    .array(
      z.object({
        buffer: z.number(),
        filename: z.string(),
        changedtick: z.number(),
        changed: z.boolean().optional().describe('It was changed during the search: lines may have moved'),
      }),
    )
    .describe('Those with matches'),
  searched: z.number().describe('Buffers searched'),
  total: z.number().optional().describe('All matches; missing where counting them would take long'),
  next: z.number().optional().describe('offset of the next call, if there are, or may be, more matches'),
});

export const grep = defineTool({
  name: 'grep',
  action: 'read',
  title: 'Search buffers',
  description:
    'Find a pattern in the text of buffers as it is in the editor now, unsaved changes included. Counts up to 100 matches in one line.',
  input: z.strictObject({
    target,
    pattern: z
      .string()
      .min(1)
      .max(2000)
      .describe("Vim regular expression with 'magic': \\( \\| \\) \\+ \\= \\{2,} \\< \\>, or \\v at its start"),
    literal: z.boolean().default(false).describe('The pattern is plain text'),
    ignore_case: z.boolean().default(false),
    buffer: buffer.optional().describe('Default: all listed buffers that are loaded, except terminals'),
    first: z.number().int().positive().default(1).describe('First line to search'),
    last: z.number().int().positive().optional().describe('Last line to search'),
    offset: z.number().int().nonnegative().default(0).describe('Skip so many matches'),
    limit: z.number().int().positive().max(1000).default(100).describe('Most matches in the answer'),
  }),
  output,
  handle: async ({ target: name, pattern, literal, ignore_case, buffer: number = 0, ...range }, call) => {
    checkText('pattern', pattern);
    const { first, last = Number.MAX_SAFE_INTEGER, offset, limit } = range;
    const wanted = { pattern: vimPattern(pattern, literal, ignore_case), buffer: number, first, last, offset, limit };
    const editor = call.editors.find(name);
    await call.allow(editorQuestion('read', editor, `search for ${pattern}`, wanted));
    const { buffers, matches, count, isComplete } = await search(editor, wanted, call.signal);
    const end = offset + matches.length;
    const matched = new Set(matches.map((match) => match.buffer));
    return {
      target: editor.name,
      matches: matches.map(({ cut, text, ...match }) => ({ ...match, text: withNul(text), ...(cut ? { cut } : {}) })),
      buffers: buffers.filter((one) => matched.has(one.buffer)),
      searched: buffers.length,
      ...(isComplete ? { total: count } : {}),
      ...(count > end || !isComplete ? { next: end } : {}),
    };
  },
  text: ({ matches, buffers, ...facts }) =>
    [
      JSON.stringify(facts),
      ...buffers.flatMap((one) => [
        JSON.stringify(one),
        ...matches
          .filter((match) => match.buffer === one.buffer)
          .map((match) => `${match.line}:${match.column}: ${match.text}`),
      ]),
    ].join('\n'),
});
