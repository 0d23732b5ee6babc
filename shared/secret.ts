import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, systemFault } from './fault.js';
import { configDirectory, privateDirectory } from './paths.js';

const LENGTH = 32;

/**
 * The 32 random bytes from which this user's tokens and ports are derived, kept in the file `secret` of the
 * configuration folder (0600 in 0700). Created once: of several processes that race, one wins and all get its value.
 * @throws Fault `denied` when the file is not private, `invalid` when it is damaged.
 */
export async function masterSecret(): Promise<Buffer> {
  const folder = await privateDirectory(configDirectory());
  const path = join(folder, 'secret');
  return (await read(path)) ?? (await create(folder, path));
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

/** Written whole under another name and then linked: whoever looks sees nothing or all of it, and the first one stays. */
async function create(folder: string, path: string): Promise<Buffer> {
  const draft = join(folder, `secret.${randomBytes(8).toString('hex')}`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(LENGTH).toString('base64url')}\n`);
    await file.sync();
    await file.close();
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw systemFault(`cannot create ${path}`, error);
    });
  } finally {
    await unlink(draft);
  }
  const secret = await read(path);
  if (secret === undefined) throw new Fault('gone', `${path} vanished while it was made`);
  return secret;
}
