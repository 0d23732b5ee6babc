import { z } from 'zod';
import { Fault } from '../../shared/fault.js';
import { anyFile, editorQuestion } from '../question.js';
import { defineTool, target } from '../tool.js';

/** Bytes of the file that are looked at, and characters of an answer. */
const LOOKED_AT = 1024 * 1024;
const MOST = 32 * 1024;
/** Characters of a line; longer ones come without their texts. */
const LONGEST = 2048;

export const trace = defineTool({
  name: 'trace',
  action: 'read',
  title: 'What was done',
  description:
    'The record of an editor as JSON Lines: texts, changes with who made them, events, calls. mcp-vim --replay takes its files.',
  input: z.strictObject({
    target,
    after: z
      .int()
      .nonnegative()
      .default(0)
      .meta({ maximum: undefined })
      .describe('seq of a line; the last ones if there is more'),
  }),
  output: z.object({
    target: z.string(),
    files: z.array(z.string()).describe('With all of it, the oldest first'),
    lines: z.array(z.looseObject({})).describe('cut: without its texts'),
  }),
  handle: async ({ target: name, after }, { editors, allow }) => {
    const editor = editors.find(name);
    // It has the texts of all files that were followed.
    await allow(editorQuestion('read', editor, 'read the trace', { after }, undefined, anyFile));
    await editor.feed.sync();
    const { trace: kept } = editor.feed;
    if (kept === undefined)
      throw new Fault('unsupported', 'no trace is kept: mcp-vim runs with --no-trace, or cannot write');
    const lines: Record<string, unknown>[] = [];
    let room = MOST;
    for (const json of kept.since(after, LOOKED_AT).toReversed()) {
      const line = shown(json);
      room -= Math.min(json.length, LONGEST);
      if (room < 0) break;
      lines.unshift(line);
    }
    return { target: editor.name, files: kept.paths, lines };
  },
  text: ({ lines, ...facts }) => [facts, ...lines].map((line) => JSON.stringify(line)).join('\n'),
});

function shown(json: string): Record<string, unknown> {
  const line = JSON.parse(json) as Record<string, unknown>;
  if (json.length <= LONGEST) return line;
  const { lines: _, changes: __, ...rest } = line;
  return { ...rest, cut: true };
}
