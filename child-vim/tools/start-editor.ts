import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { visibleLine } from '../../shared/escape.js';
import { Fault } from '../../shared/fault.js';
import { resolvedPath } from '../../shared/path-pattern.js';
import { filesAt } from '../question.js';
import { bufferFacts, defineTool } from '../tool.js';

export const startEditor = defineTool({
  name: 'start-editor',
  action: 'open',
  title: 'Start an editor',
  description: 'Start a Vim without a screen as a target of its own; it ends with this server. Save before.',
  input: z.strictObject({
    path: z.string().min(1).optional().describe('Absolute; of a file to open in it'),
    name: z
      .string()
      .regex(/^[\w.-]{1,40}$/)
      .optional()
      .describe('The target is headless-NAME'),
  }),
  output: bufferFacts,
  handle: async ({ path, name }, { allow, headless, signal }) => {
    if (headless === undefined) throw new Fault('unsupported', 'no editor can be started here');
    // A name of its own: what the person allows in their editors does not hold in one that a client starts.
    const own = name === undefined ? 'headless' : `headless-${name}`;
    const place = await checkedFile(path);
    const what = path === undefined ? '' : ` on ${visibleLine(path)}`;
    const message = `Start a Vim without a screen, as the editor ${own}${what}?`;
    const files = place === undefined ? {} : { files: async () => filesAt([place]) };
    await allow({ action: 'open', subject: `target:${own}`, message, exact: { path, place, own }, ...files });
    const editor = await headless.start(own, place, signal);
    const { cursor } = await editor.request('state', { unlisted: false, offset: 0, limit: 1, recent: 0 }, signal);
    const { modifiable: _, name: __, ...facts } = await editor.request('probe', { buffer: cursor.buffer }, signal);
    return { target: editor.name, ...facts };
  },
});

/** Where a file really lies, which is what the rules are asked about and what is opened; a folder or a pipe would not do. */
async function checkedFile(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  if (!isAbsolute(path)) throw new Fault('invalid', 'path is to be absolute');
  if (path.includes('\0')) throw new Fault('invalid', 'path holds a NUL');
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile()) throw new Fault('unsupported', `${path} is not a regular file`);
  return resolvedPath(path) ?? path;
}
