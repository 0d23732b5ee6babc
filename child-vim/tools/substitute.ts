import { z } from 'zod';
import { Fault } from '../../shared/fault.js';
import type { Answer } from '../protocol.js';
import { bufferName, editorQuestion, fileOf } from '../question.js';
import { literal as literally, multiline } from '../substitution.js';
import { buffer, bufferFacts, checkText, defineTool, expectedTick, target } from '../tool.js';

export const substitute = defineTool({
  name: 'substitute',
  action: 'write',
  title: 'Substitute',
  description:
    "Replace what matches a Vim pattern in a buffer (Vim's :s), as one undo step. Nothing is done if nothing matches. The file is not saved.",
  input: z.strictObject({
    target,
    buffer,
    expected_changedtick: expectedTick,
    pattern: z.string().min(1).describe("Vim regex with 'magic', case-sensitive; a newline is a line break"),
    replacement: z
      .string()
      .describe(
        'As in :s: & and \\0 are the match, \\1 a group, a newline or \\r a line break; expressions (\\=) are refused',
      ),
    literal: z.boolean().default(false).describe('Take pattern and replacement as plain text'),
    ignore_case: z.boolean().default(false),
    all: z.boolean().default(true).describe('Not only the first match of a line'),
    first: z.number().int().positive().default(1),
    last: z.number().int().positive().optional().describe('Default: the last line'),
    expected_count: z.number().int().positive().optional().describe('Else nothing is done'),
  }),
  output: bufferFacts.extend({
    count: z.number(),
    lines: z.array(z.number()).describe('The first 20 lines with matches'),
    touched: z.number().describe('Lines with matches'),
  }),
  handle: async (args, { editors, allow, signal, by }) => {
    const { buffer: number, expected_changedtick: tick, ignore_case, all, first, expected_count: expected } = args;
    checkText('pattern', args.pattern);
    checkText('replacement', args.replacement);
    const editor = editors.find(args.target);
    const facts = await editor.probe(number, tick, signal);
    const texts = args.literal ? literally(args) : multiline(args);
    const params = { ...texts, buffer: number, tick, ignore_case, all, first, last: args.last ?? facts.line_count };
    const found = await editor.write('matches', params, by);
    if (expected !== undefined && expected !== found.count) throw otherCount(expected, found);
    const what = `replace ${found.count} matches in ${found.touched} lines of ${bufferName(facts)}`;
    await allow(editorQuestion('write', editor, what, params, shown(args, found), fileOf(facts)));
    const after = await editor.write('substitute', { ...params, count: found.count }, by);
    const { count, lines, touched } = found;
    return { target: editor.name, ...after, count, lines, touched };
  },
});

type Found = Answer<'matches'>;

function otherCount(expected: number, { count, lines, touched }: Found): Fault {
  return new Fault('invalid', `${count} matches, not ${expected}: in ${listed(lines, touched)}`, {
    next: 'Nothing was done. Make the pattern or the range narrower, or expect this count.',
    data: { count, lines, touched },
  });
}

function listed(lines: readonly number[], touched: number): string {
  return `lines ${lines.join(', ')}${touched > lines.length ? ` and ${touched - lines.length} more` : ''}`;
}

/** The texts as they were given, and what becomes of the first lines. */
function shown(texts: { pattern: string; replacement: string }, { lines, touched, samples }: Found): string {
  const head = `pattern: ${texts.pattern}\nreplacement: ${texts.replacement}\n${listed(lines, touched)}\n`;
  const changes = samples.map(({ first, before, after }) =>
    [`@@ line ${first} @@`, ...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`), ''].join('\n'),
  );
  return head + changes.join('');
}
