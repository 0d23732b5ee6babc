import { randomBytes } from 'node:crypto';
import { link, open, rename, unlink } from 'node:fs/promises';
import { systemFault } from './fault.js';

/**
 * Writes a file that only its owner can read (0600): whole under another name first, so that whoever looks sees nothing
 * or all of it. A file that is there already is kept or replaced; whether this one was written.
 * @throws Fault `gone` when the system refuses.
 */
export async function writePrivate(path: string, text: string, existing: 'keep' | 'replace'): Promise<boolean> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    // A link, unlike a renaming, does not take the place of what is there.
    await (existing === 'keep' ? link(draft, path) : rename(draft, path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw systemFault(`cannot write ${path}`, error);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}
