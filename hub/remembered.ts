import { createHash } from 'node:crypto';
import type Conf from 'conf';
import { asFault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import { privateDirectory, stateDirectory } from '../shared/paths.js';
import type { Catalogue } from './protocol.js';
import { type Source, sourceKey } from './source.js';

type Store = Conf<Record<string, Catalogue>>;

/**
 * What children offered when they last ran, so that a lazy one need not be started to be listed. Can be lost at any
 * time: then the child is asked.
 */
export class Remembered {
  #store: Promise<Store | undefined> | undefined;

  async read(alias: string, source: Source): Promise<Catalogue | undefined> {
    const store = await this.#open();
    return store?.get(keyOf(alias, source));
  }

  write(alias: string, source: Source, catalogue: Catalogue): void {
    void this.#write(keyOf(alias, source), catalogue);
  }

  async #write(key: string, catalogue: Catalogue): Promise<void> {
    const store = await this.#open();
    try {
      if (JSON.stringify(store?.get(key)) !== JSON.stringify(catalogue)) store?.set(key, catalogue);
    } catch (error) {
      log.warn(`what the children offer cannot be remembered: ${asFault(error).message}`);
    }
  }

  #open(): Promise<Store | undefined> {
    this.#store ??= openStore().catch((error: unknown) => {
      log.warn(`what the children offered last cannot be read: ${asFault(error).message}`);
      return undefined;
    });
    return this.#store;
  }
}

async function openStore(): Promise<Store> {
  const { default: Conf } = await import('conf');
  const cwd = await privateDirectory(stateDirectory());
  return new Conf({
    cwd,
    configName: 'catalogues',
    configFileMode: 0o600,
    clearInvalidConfig: true,
    accessPropertiesByDotNotation: false,
  });
}

/** A child is the same one as long as it is had in the same way. */
function keyOf(alias: string, source: Source): string {
  return createHash('sha256')
    .update(JSON.stringify([alias, sourceKey(source)]))
    .digest('hex')
    .slice(0, 32);
}
