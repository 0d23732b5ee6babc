import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { asFault } from '../shared/fault.js';
import { log } from '../shared/log.js';

/** Milliseconds that a file must have stayed the same before it is taken for complete. */
const CALM = 100;

/**
 * Tells when a file has changed: its folder is watched, since editors put a new file in the place of the old one, and
 * where it is a symbolic link also the folder that this leads to. Nothing is polled: where the system reports no changes,
 * as on some network file systems, there is SIGHUP.
 */
export class FileWatch {
  readonly #path: string;
  #changed: () => void = () => undefined;
  #watchers: readonly FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The state that was told last, and the one that was there at the last look. */
  #told: string;
  #seen: string;

  /** Notes the state of the file, which is to be read after this. */
  constructor(path: string) {
    this.#path = path;
    this.#told = stateOf(path);
    this.#seen = this.#told;
  }

  /** From now on calls this after each change since then. */
  start(changed: () => void): void {
    this.#changed = changed;
    this.#watch();
    this.#soon();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }

  /** The folders are looked up anew each time: they may have been replaced, and a link may lead elsewhere. */
  #watch(): void {
    for (const watcher of this.#watchers) watcher.close();
    try {
      this.#watchers = foldersOf(this.#path).map((folder) => {
        const watcher = watch(folder, { persistent: false }, () => this.#soon());
        return watcher.on('error', (error) => this.#blind(error));
      });
    } catch (error) {
      this.#watchers = [];
      this.#blind(error);
    }
  }

  #blind(error: unknown): void {
    const next = `run kill -HUP ${process.pid} after a change`;
    log.warn(`changes of ${this.#path} are not noticed: ${asFault(error).message}; ${next}`);
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#look(), CALM);
  }

  #look(): void {
    this.#timer = undefined;
    const state = stateOf(this.#path);
    const isCalm = state === this.#seen;
    this.#seen = state;
    if (state === this.#told) return;
    if (!isCalm) {
      this.#soon();
      return;
    }
    this.#told = state;
    this.#watch();
    this.#changed();
  }
}

function foldersOf(path: string): string[] {
  const folders = [dirname(path)];
  try {
    folders.push(dirname(realpathSync(path)));
  } catch {
    // It is not there now.
  }
  return [...new Set(folders)];
}

/** Differs whenever the file is another one or was written to. */
function stateOf(path: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(path, { bigint: true });
    return [dev, ino, mtimeNs, size].join();
  } catch {
    return 'none';
  }
}
