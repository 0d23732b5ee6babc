import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An environment whose configuration, state and sockets lie in a folder of their own, removed when this process ends. */
export function sandbox(): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { ...process.env, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, XDG_RUNTIME_DIR: folder };
}
