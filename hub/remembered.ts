import { createHash } from 'node:crypto';
import type Conf from 'conf';
import { asFault } from '../shared/fault.js';
import { checkedMembers } from '../shared/json-check.js';
import { log } from '../shared/log.js';
import { privateDirectory, stateDirectory } from '../shared/paths.js';
import { type Item, itemsIn } from './item.js';
import { type Catalogue, LIST_NAMES, LISTS, type ListName, NO_LISTS } from './protocol.js';
import { type Source, sourceKey } from './source.js';

/** A catalogue as it is stored: each list as the text of its entries, so that nothing of them is changed. */
interface Stored extends Omit<Catalogue, 'lists'> {
  readonly lists: Readonly<Record<string, string>>;
}

type Store = Conf<Record<string, Stored>>;

/**
 * What children offered when they last ran, so that a lazy one need not be started to be listed. Can be lost at any
 * time: then the child is asked.
 */
export class Remembered {
  #store: Promise<Store | undefined> | undefined;

  async read(alias: string, source: Source): Promise<Catalogue | undefined> {
    const store = await this.#open();
    const stored = store?.get(keyOf(alias, source));
    return stored === undefined ? undefined : restored(alias, stored);
  }

  write(alias: string, source: Source, catalogue: Catalogue): void {
    const lists = LIST_NAMES.map((list) => [list, text(catalogue.lists[list])] as const);
    void this.#write(keyOf(alias, source), { ...catalogue, lists: Object.fromEntries(lists) });
  }

  async #write(key: string, stored: Stored): Promise<void> {
    const store = await this.#open();
    try {
      if (JSON.stringify(store?.get(key)) !== JSON.stringify(stored)) store?.set(key, stored);
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

function text(items: readonly Item[]): string {
  return `[${items.map(({ bytes }) => bytes.toString()).join()}]`;
}

/** What was stored; `undefined` where it is not what is stored here. */
function restored(alias: string, stored: Stored): Catalogue | undefined {
  try {
    const lists = LIST_NAMES.map((list) => [list, itemsFrom(alias, list, stored.lists[list])] as const);
    return { ...stored, lists: { ...NO_LISTS, ...Object.fromEntries(lists) } };
  } catch (error) {
    log.warn(`what ${alias} offered last cannot be read: ${asFault(error).message}`);
    return undefined;
  }
}

/** @throws Fault `protocol` for what is no list. */
function itemsFrom(alias: string, list: ListName, stored: unknown): Item[] {
  const bytes = Buffer.from(`{"list":${typeof stored === 'string' ? stored : '?'}}`);
  const span = checkedMembers(bytes).get('list');
  return span === undefined ? [] : itemsIn(bytes, span, LISTS[list].key, `what ${alias} offered last`);
}

/** A child is the same one as long as it is had in the same way. */
function keyOf(alias: string, source: Source): string {
  return createHash('sha256')
    .update(JSON.stringify([alias, sourceKey(source)]))
    .digest('hex')
    .slice(0, 32);
}
