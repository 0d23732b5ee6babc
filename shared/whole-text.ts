import { randomBytes } from 'node:crypto';
import { constants, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { visibleText } from './escape.js';
import { Fault } from './fault.js';
import { privateDirectory, runtimeDirectory } from './paths.js';
import { writePrivate } from './private-file.js';
import { MOST_SHOWN } from './prompt.js';
import { shutdown } from './shutdown.js';

/** The files that are there now. */
const left = new Set<string>();

/**
 * Leaves a file, for the person alone, with the whole text of a question that shows the beginning; its path.
 * @throws Fault `denied` when it is too long to be looked at.
 */
export async function leaveWhole(message: string, details: string): Promise<string> {
  checkLength(details);
  const path = join(await privateDirectory(runtimeDirectory()), `question-${randomBytes(6).toString('hex')}.txt`);
  if (left.size === 0) shutdown.add('the texts of questions', () => [...left].forEach(removeWhole));
  left.add(path);
  await writePrivate(path, `${message}\n\n${visibleText(details)}\n`, 'keep');
  return path;
}

/** Bytes of such a file at most. */
const LARGEST = 4 * MOST_SHOWN;

/** What such a file of this person's has, which another program of ours may have left; nothing for any other path. */
export async function readWhole(path: string): Promise<string | undefined> {
  const name = basename(path);
  if (!/^question-[0-9a-f]{12}\.txt$/.test(name) || path !== join(runtimeDirectory(), name)) return undefined;
  try {
    await privateDirectory(runtimeDirectory());
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      return found.isFile() && found.size <= LARGEST ? await file.readFile('utf8') : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** @throws Fault `denied` for a text that nobody can be expected to look at. */
export function checkLength(details: string): void {
  if (details.length <= MOST_SHOWN) return;
  throw new Fault('denied', `the person cannot be shown ${details.length} characters, and is not asked`, {
    next: `Do it in parts of at most ${MOST_SHOWN} characters.`,
  });
}

/** Takes that file away. */
export function removeWhole(path: string): void {
  left.delete(path);
  try {
    unlinkSync(path);
  } catch {
    // The person has.
  }
}
