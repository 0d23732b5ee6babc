import { randomBytes } from 'node:crypto';
import { readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateDirectory, runtimeDirectory } from '../shared/paths.js';

/** Longest path of a unix socket, in bytes: `sun_path` less its end. */
const MAX_SOCKET_PATH = 103;

/** Where `:Mcp` without arguments looks for a broker. */
export interface Announcement {
  readonly name: string;
  readonly pid: number;
  /** `http://HOST:PORT/TOKEN/`. */
  readonly url: string;
  /** A unix socket beside the file, or ''. */
  readonly socket: string;
  /** What was decided beforehand on its command line. */
  readonly permissions: string;
}

/** What a running broker of this name left, or `undefined`. Only its own user can have written into that folder. */
export async function announced(name: string): Promise<Announcement | undefined> {
  const path = fileOf(await privateDirectory(runtimeDirectory()), name);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Announcement;
  } catch {
    return undefined;
  }
}

/** The path for a broker's unix socket, or undefined where it would be too long. */
export async function socketPath(name: string): Promise<string | undefined> {
  const path = join(await privateDirectory(runtimeDirectory()), `vim-${name}.sock`);
  return Buffer.byteLength(path) <= MAX_SOCKET_PATH ? path : undefined;
}

/** Leaves the file by which editors of the same user find this broker; returns what takes it away again. */
export async function announce(announcement: Announcement): Promise<() => Promise<void>> {
  const directory = await privateDirectory(runtimeDirectory());
  const path = fileOf(directory, announcement.name);
  const draft = join(directory, `draft.${randomBytes(8).toString('hex')}`);
  await writeFile(draft, `${JSON.stringify(announcement)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
  return async () => {
    await unlink(path).catch(() => undefined);
    if (announcement.socket !== '') await unlink(announcement.socket).catch(() => undefined);
  };
}

function fileOf(directory: string, name: string): string {
  return join(directory, `vim-${name}.json`);
}
