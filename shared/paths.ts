import { lstat, mkdir } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { Fault, systemFault } from './fault.js';

const FOLDER = 'mcp-multibroker';

/** Where configuration and the master secret live: `$XDG_CONFIG_HOME/mcp-multibroker`, by default below `~/.config`. */
export function configDirectory(): string {
  return join(baseDirectory('XDG_CONFIG_HOME', join(homedir(), '.config')), FOLDER);
}

/** Where remembered facts live that can be lost: `$XDG_STATE_HOME/mcp-multibroker`, by default below `~/.local/state`. */
export function stateDirectory(): string {
  return join(baseDirectory('XDG_STATE_HOME', join(homedir(), '.local', 'state')), FOLDER);
}

/** Where sockets and discovery files live while a broker runs: below `$XDG_RUNTIME_DIR`, else below the temporary folder. */
export function runtimeDirectory(): string {
  const base = process.env['XDG_RUNTIME_DIR'];
  if (base !== undefined && isAbsolute(base)) return join(base, FOLDER);
  return join(tmpdir(), `${FOLDER}-${process.getuid?.() ?? 0}`);
}

/**
 * Makes sure that a folder exists, is the user's own and closed to everybody else (0700).
 * @throws Fault `denied` where somebody else could reach into it.
 */
export async function privateDirectory(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw systemFault(`cannot create the folder ${path}`, error);
  }
  const found = await lstat(path);
  const own = process.getuid?.() ?? found.uid;
  if (!found.isDirectory() || found.uid !== own || (found.mode & 0o077) !== 0) {
    throw new Fault('denied', `${path} must be a folder of your own with mode 0700`, {
      next: `Check who made it, then remove it or run chmod 700 on it.`,
    });
  }
  return path;
}

function baseDirectory(variable: string, fallback: string): string {
  const value = process.env[variable];
  return value !== undefined && isAbsolute(value) ? value : fallback;
}
