import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault, systemFault } from './fault.js';
import { withLock } from './file-lock.js';
import { configDirectory, privateDirectory } from './paths.js';
import { writePrivate } from './private-file.js';

const LENGTH = 32;
/** Bytes of the file at most; whoever rotates in a loop is stopped there. */
const LARGEST = 8192;

/** What this user's tokens and ports are derived from, 32 random bytes each. */
export interface Secrets {
  /** From which tokens are derived. */
  readonly current: Buffer;
  /** From which ports are derived: the first there was, so that a rotation moves no port. */
  readonly first: Buffer;
  /** Those before, whose tokens are accepted for some time yet; the newest first. */
  readonly earlier: readonly Earlier[];
}

interface Earlier {
  readonly secret: Buffer;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** The file that has them, in the folder of the configuration. */
export function secretPath(): string {
  return join(configDirectory(), 'secret');
}

/**
 * The secrets of this user, kept in the file `secret` of the configuration folder (0600 in 0700). Made once: of several
 * processes that race, one wins and all get its value.
 * @throws Fault `denied` when the file is not private, `invalid` when it is damaged.
 */
export async function masterSecret(): Promise<Secrets> {
  await privateDirectory(configDirectory());
  const path = secretPath();
  return readSecrets(path) ?? (await create(path));
}

/**
 * Puts a new secret in the place of the current one. The tokens of those before are accepted for so many milliseconds more,
 * or for as long as was said before if that is less.
 * @throws Fault as {@link masterSecret}, and `busy` after more rotations than the file can hold.
 */
export async function rotateSecret(grace: number): Promise<void> {
  await privateDirectory(configDirectory());
  const path = secretPath();
  await withLock(`${path}.lock`, async () => {
    const { current, first, earlier } = readSecrets(path) ?? (await create(path));
    const now = Date.now();
    const before = [{ secret: current, until: now + grace }, ...earlier]
      .map(({ secret, until }) => ({ secret, until: Math.min(until, now + grace) }))
      .filter(({ until }) => until > now);
    const text = written({ current: randomBytes(LENGTH), first, earlier: before });
    if (text.length > LARGEST) {
      throw new Fault('busy', 'too many earlier tokens are accepted yet', { next: 'Rotate with a smaller --grace.' });
    }
    await writePrivate(path, text, 'replace');
  });
}

/**
 * What the file has, or nothing where there is none.
 * @throws Fault as {@link masterSecret}.
 */
export function readSecrets(path: string): Secrets | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw systemFault(`cannot read ${path}`, error);
  }
  try {
    const found = fstatSync(file);
    if ((found.mode & 0o077) !== 0 || found.uid !== (process.getuid?.() ?? found.uid)) {
      throw new Fault('denied', `${path} can be read by others`, {
        next: `Run chmod 600 on it, or remove it for a new one.`,
      });
    }
    const secrets = found.isFile() && found.size <= LARGEST ? parsed(readFileSync(file, 'utf8')) : undefined;
    if (secrets !== undefined) return secrets;
    throw new Fault('invalid', `${path} is damaged`, { next: 'Remove it; a new one is made, and the URLs change.' });
  } finally {
    closeSync(file);
  }
}

/** A secret on the first line; after a rotation also `first SECRET` and, for each before, `until MILLISECONDS SECRET`. */
function parsed(text: string): Secrets | undefined {
  const [head = '', ...lines] = text.trim().split('\n');
  const current = secretOf(head);
  let first = current;
  const earlier: Earlier[] = [];
  for (const line of lines) {
    const [, word, until, rest = ''] = /^(?:(first)|until (\d{1,15})) (\S+)$/.exec(line) ?? [];
    const secret = secretOf(rest);
    if (secret === undefined) return undefined;
    if (word === 'first') first = secret;
    else earlier.push({ secret, until: Number(until) });
  }
  return current === undefined || first === undefined ? undefined : { current, first, earlier };
}

function written({ current, first, earlier }: Secrets): string {
  const lines = earlier.map(({ secret, until }) => `until ${until} ${textOf(secret)}`);
  return [textOf(current), `first ${textOf(first)}`, ...lines, ''].join('\n');
}

function secretOf(text: string): Buffer | undefined {
  const secret = Buffer.from(text.trim(), 'base64url');
  return secret.length === LENGTH ? secret : undefined;
}

function textOf(secret: Buffer): string {
  return secret.toString('base64url');
}

async function create(path: string): Promise<Secrets> {
  await writePrivate(path, `${textOf(randomBytes(LENGTH))}\n`, 'keep');
  const secrets = readSecrets(path);
  if (secrets === undefined) throw new Fault('gone', `${path} vanished while it was made`);
  return secrets;
}
