import { z } from 'zod';
import type { Files } from '../../shared/rule.js';
import { withNul } from '../nul.js';
import { once } from '../once.js';
import type { Answer } from '../protocol.js';
import { editorQuestion, filesAt } from '../question.js';
import { bufferFacts, defineTool, place, target } from '../tool.js';

/** Bytes of text in one answer. */
const MOST_BYTES = 128 * 1024;

const output = bufferFacts.extend({
  active: z.boolean().describe('Selecting now; else what was selected last'),
  mode: z.enum(['charwise', 'linewise', 'blockwise', 'none']).describe('none: there never was one'),
  start: place.optional(),
  end: place.optional().describe('Inclusive; a column beyond the text is the line break'),
  text: z.string().optional().describe('As Vim would yank it'),
  lossy: z.array(z.number()).optional(),
  left_out: z.number().optional().describe('Lines at the end, too much for one answer'),
  next: z.number().optional().describe('Read them by read-lines with first and column'),
  next_column: z.number().optional(),
});

export const selection = defineTool({
  name: 'selection',
  action: 'read',
  title: 'The selection',
  description:
    'What the person has selected in the current window, else what they selected there last. Call it when they say "this" or "the selected".',
  input: z.strictObject({ target }),
  output,
  handle: async ({ target: name }, { editors, allow, signal }) => {
    const editor = editors.find(name);
    const read = once(() => editor.request('selection', { bytes: MOST_BYTES }, signal));
    const files = async (): Promise<Files> => filesAt([(await read()).filename]);
    await allow(editorQuestion('read', editor, 'read the selection', {}, undefined, files));
    const answer = await read();
    const { lines, lossy = [], left_out = 0, next, next_column = 0, ...found } = answer;
    return {
      target: editor.name,
      ...found,
      ...(lines === undefined ? {} : { text: asYanked(answer.mode, lines, next_column) }),
      ...(lossy.length > 0 ? { lossy } : {}),
      ...(left_out > 0 ? { left_out, next, ...(next_column > 0 ? { next_column } : {}) } : {}),
    };
  },
  text: ({ text, ...facts }) =>
    `${JSON.stringify(facts)}\n${text ?? `Nothing is selected in buffer ${facts.buffer}, and nothing was before.`}`,
});

/** Lines as Vim puts them into a register; whole ones end with a newline. */
function asYanked(mode: Answer<'selection'>['mode'], lines: readonly string[], cut: number): string {
  return lines.map(withNul).join('\n') + (mode === 'linewise' && cut === 0 ? '\n' : '');
}
