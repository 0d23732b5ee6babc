import { z } from 'zod';
import type { Answer } from '../protocol.js';
import { editorQuestion } from '../question.js';
import { bufferFacts, defineTool, place, target, withNul } from '../tool.js';

/** Bytes of text in one answer. */
const MOST_BYTES = 128 * 1024;

const output = bufferFacts.extend({
  active: z.boolean().describe('Whether the person is selecting now; otherwise it is what they selected last'),
  mode: z.enum(['charwise', 'linewise', 'blockwise', 'none']).describe('none: nothing was ever selected here'),
  start: place.optional(),
  end: place.optional().describe('Inclusive; one column beyond the text means that the line break is selected, too'),
  text: z.string().optional().describe('The text as Vim would yank it; of a block, a part of each line'),
  lossy: z.array(z.number()).optional().describe('Lines with bytes that are no text, shown as U+FFFD'),
  left_out: z.number().optional().describe('So many lines at the end are too much for one answer'),
  next: z.number().optional().describe('Read them with read-lines, first and column being next and next_column'),
  next_column: z.number().optional(),
});

export const selection = defineTool({
  name: 'selection',
  action: 'read',
  title: 'The selection',
  description:
    'What the person has selected in the current window, in Visual or Select mode now, else what they selected there last; at most 128 KB. Call it when they say "this" or "the selected".',
  input: z.strictObject({ target }),
  output,
  handle: async ({ target: name }, { editors, allow, signal }) => {
    const editor = editors.find(name);
    await allow(editorQuestion('read', editor, 'read the selection', {}));
    const answer = await editor.request('selection', { bytes: MOST_BYTES }, signal);
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
