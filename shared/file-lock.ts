import { lstat, readlink, rm, symlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, systemFault } from './fault.js';

/** How long the lock of another process is waited for, in milliseconds, and how often it is tried. */
const PATIENCE = 15_000;
const TRY = 20;
/** A lock that is older belongs to nobody: it is held for milliseconds. */
const OLDEST = 10_000;

/**
 * Does something while no other process of this machine does anything under the same lock: a link that is there meanwhile
 * and leads to the number of the process that made it, so that it has that from the first moment. The lock of a process that was killed is taken away.
 * @throws Fault `busy` when it cannot be had for a long time, and what the work throws.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE;
  while (!(await taken(path))) {
    if (Date.now() > deadline) {
      throw new Fault('busy', `another process holds the lock ${path}`, { next: 'Remove that file if none does.' });
    }
    await removeDead(path);
    await sleep(TRY * (0.5 + Math.random()));
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** Makes the link, if it is not there. */
async function taken(path: string): Promise<boolean> {
  try {
    await symlink(String(process.pid), path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw systemFault(`cannot make the lock ${path}`, error);
  }
}

/**
 * Takes a dead lock away, which one process may do at a time: another would take away the lock that came after it. Whoever
 * is killed while it does so leaves a lock that only its age frees.
 */
async function removeDead(path: string): Promise<void> {
  if (!(await isDead(path))) return;
  const broom = `${path}.dead`;
  if (!(await taken(broom))) {
    if (await isOld(broom)) await rm(broom, { force: true });
    return;
  }
  try {
    if (await isDead(path)) await rm(path, { force: true });
  } finally {
    await rm(broom, { force: true });
  }
}

async function isDead(path: string): Promise<boolean> {
  const pid = Number(await readlink(path).catch(() => ''));
  return (pid > 0 && !isRunning(pid)) || (await isOld(path));
}

async function isOld(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > OLDEST;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
