import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from './processes.js';

/**
 * An environment, made in a folder, in which the person's browser, as the system knows it, does at once what pages want; or
 * nothing where nobody `looks`.
 */
export async function browsing(env: Environment, folder: string, looks = true): Promise<Environment> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  const browser = join(bin, 'xdg-open');
  const visit = 'fetch(process.argv[2]).then((page) => page.text())';
  await writeFile(browser, `#!${process.execPath}\n${looks ? visit : ''}\n`);
  await chmod(browser, 0o755);
  return { ...env, PATH: `${bin}:${env['PATH'] ?? ''}` };
}
