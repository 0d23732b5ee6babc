import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, systemFault } from './fault.js';
import { configDirectory, privateDirectory } from './paths.js';
import { writePrivate } from './private-file.js';

const LENGTH = 32;

/**
 * The 32 random bytes from which this user's tokens and ports are derived, kept in the file `secret` of the
 * configuration folder (0600 in 0700). Created once: of several processes that race, one wins and all get its value.
 * @throws Fault `denied` when the file is not private, `invalid` when it is damaged.
 */
export async function masterSecret(): Promise<Buffer> {
  const path = join(await privateDirectory(configDirectory()), 'secret');
  return (await read(path)) ?? (await create(path));
}

async function read(path: string): Promise<Buffer | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw systemFault(`cannot read ${path}`, error);
  }
  try {
    const { mode, uid } = await file.stat();
    if ((mode & 0o077) !== 0 || uid !== (process.getuid?.() ?? uid)) {
      throw new Fault('denied', `${path} can be read by others`, {
        next: `Run chmod 600 on it, or remove it for a new one.`,
      });
    }
    const secret = Buffer.from((await file.readFile('utf8')).trim(), 'base64url');
    if (secret.length === LENGTH) return secret;
    throw new Fault('invalid', `${path} is damaged`, { next: 'Remove it; a new one is made, and the URLs change.' });
  } finally {
    await file.close();
  }
}

async function create(path: string): Promise<Buffer> {
  await writePrivate(path, `${randomBytes(LENGTH).toString('base64url')}\n`, 'keep');
  const secret = await read(path);
  if (secret === undefined) throw new Fault('gone', `${path} vanished while it was made`);
  return secret;
}
