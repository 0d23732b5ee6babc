import { z } from 'zod';
import { asFault } from '../../shared/fault.js';
import type { Editor } from '../editor.js';
import { listQuestion } from '../question.js';
import { defineTool } from '../tool.js';

/** Milliseconds an editor has to say what it is doing. */
const PATIENCE = 300;

const SILENT = 'does not answer: probably stopped with Ctrl-Z, or waiting for a shell command or a script to end';

const entry = z.object({
  target: z.string(),
  active: z.boolean().describe('Used last'),
  pid: z.number(),
  cwd: z.string(),
  vim: z.string(),
  mode: z.string().optional().describe("As Vim's mode(1); missing if it does not answer"),
  busy: z.string().optional().describe('Why a change would have to wait'),
});

export const targets = defineTool({
  name: 'targets',
  action: 'read',
  title: 'Connected editors',
  description: 'List the Vim editors that are connected, and whether they are busy. Begin here.',
  input: z.strictObject({}),
  output: z.object({ targets: z.array(entry) }),
  handle: async (_, { editors, allow, signal }) => {
    await allow(listQuestion);
    const { active, all } = editors;
    const list = all.map(async (editor) => ({
      target: editor.name,
      active: editor === active,
      pid: editor.facts.pid,
      cwd: editor.facts.cwd,
      vim: editor.facts.version,
      ...(await pulse(editor, signal)),
    }));
    return { targets: await Promise.all(list) };
  },
  text: ({ targets: list }) =>
    list.length === 0 ? 'No Vim is connected. The person connects one with :Mcp.' : JSON.stringify({ targets: list }),
});

/** What the person is doing in an editor, if it tells at once. */
async function pulse(editor: Editor, signal: AbortSignal): Promise<{ mode?: string; busy?: string }> {
  try {
    const { mode, busy } = await editor.request('pulse', {}, signal, PATIENCE);
    return busy === '' ? { mode } : { mode, busy };
  } catch (error) {
    const { kind, message } = asFault(error);
    signal.throwIfAborted();
    // An older plugin cannot tell.
    if (kind === 'unsupported') return {};
    return { busy: kind === 'timeout' ? SILENT : message };
  }
}
