import { z } from 'zod';
import type { Files } from '../../shared/rule.js';
import { withNul } from '../nul.js';
import { once } from '../once.js';
import { editorQuestion, filesAt } from '../question.js';
import { search, vimPattern } from '../search-buffers.js';
import { buffer, checkText, defineTool, target } from '../tool.js';

const output = z.object({
  target: z.string(),
  matches: z.array(
    z.object({
      buffer: z.number(),
      line: z.number(),
      column: z.number(),
      text: z.string().describe('The line, a long one cut around the match'),
      cut: z.literal(true).optional(),
    }),
  ),
  buffers: z
    .array(
      z.object({
        buffer: z.number(),
        filename: z.string(),
        changedtick: z.number(),
        changed: z.boolean().optional().describe('During the search: lines may have moved'),
      }),
    )
    .describe('Those with matches'),
  searched: z.number(),
  total: z.number().optional().describe('Missing where counting would take long'),
  next: z.number().optional().describe('offset of the next call, if there may be more'),
});

export const grep = defineTool({
  name: 'grep',
  action: 'read',
  title: 'Search buffers',
  description:
    'Find a pattern in the text of buffers as it is in the editor now, unsaved changes included. Counts up to 100 matches in one line.',
  input: z.strictObject({
    target,
    pattern: z.string().min(1).max(2000).describe("Vim regex with 'magic', or \\v before it"),
    literal: z.boolean().default(false).describe('The pattern is plain text'),
    ignore_case: z.boolean().default(false),
    buffer: buffer.optional().describe('Default: all that are listed and loaded'),
    first: z.number().int().positive().default(1),
    last: z.number().int().positive().optional(),
    offset: z.number().int().nonnegative().default(0),
    limit: z.number().int().positive().max(1000).default(100),
  }),
  output,
  handle: async ({ target: name, pattern, literal, ignore_case, buffer: number = 0, ...range }, call) => {
    checkText('pattern', pattern);
    const { first, last = Number.MAX_SAFE_INTEGER, offset, limit } = range;
    const wanted = { pattern: vimPattern(pattern, literal, ignore_case), buffer: number, first, last, offset, limit };
    const editor = call.editors.find(name);
    const find = once(() => search(editor, wanted, call.signal));
    const files = async (): Promise<Files> => filesAt((await find()).buffers.map(({ filename }) => filename));
    await call.allow(editorQuestion('read', editor, `search for ${pattern}`, wanted, undefined, files));
    const { buffers, matches, count, isComplete } = await find();
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
