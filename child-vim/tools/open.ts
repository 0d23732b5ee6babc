import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { Files } from '../../shared/rule.js';
import type { Editor } from '../editor.js';
import { editorQuestion, filesAt } from '../question.js';
import { bufferFacts, checkText, defineTool, target } from '../tool.js';

export const open = defineTool({
  name: 'open',
  action: 'open',
  title: 'Open a file',
  description:
    'Load a file into the buffer list without showing it. A file that is open already is not read again; one that does not exist becomes an empty buffer.',
  input: z.strictObject({
    target,
    path: z
      .string()
      .min(1)
      .max(4096)
      .describe("Literal; relative to Vim's working directory. A leading ~/ is the home directory"),
  }),
  output: bufferFacts.extend({
    swap: z
      .object({ pid: z.number(), host: z.string(), user: z.string(), dirty: z.boolean() })
      .partial()
      .optional()
      .describe('Another Vim may be editing the file, or have crashed'),
  }),
  idempotent: true,
  handle: async ({ target: name, path }, { editors, allow, signal, by }) => {
    checkText('path', path);
    const editor = editors.find(name);
    let place = path;
    const files = async (): Promise<Files> => {
      const found = filesAt([await fullPath(editor, path, signal)]);
      // What was looked up in the rules is what is opened then.
      if (found !== 'any') [place = path] = found;
      return found;
    };
    await allow(editorQuestion('open', editor, `open the file ${path}`, { path }, undefined, files));
    return { target: editor.name, ...(await editor.write('open', { path: place }, by)) };
  },
});

/** The path as Vim takes it; `..` stays, since what it means depends on links. */
async function fullPath(editor: Editor, path: string, signal: AbortSignal): Promise<string> {
  if (path.startsWith('~/')) return homedir() + path.slice(1);
  if (isAbsolute(path)) return path;
  const { cwd } = await editor.request('state', { unlisted: false, offset: 0, limit: 1, recent: 0 }, signal);
  return `${cwd}/${path}`;
}
