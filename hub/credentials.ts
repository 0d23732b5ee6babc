import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { log } from '../shared/log.js';
import { privateDirectory, stateDirectory } from '../shared/paths.js';
import { writePrivate } from '../shared/private-file.js';

/** What the hub keeps for signing in to one server. */
export interface Kept {
  readonly tokens?: StoredOAuthTokens;
  /** How the hub is known to authorization servers, by issuer. */
  readonly clients?: Readonly<Record<string, StoredOAuthClientInformation>>;
  /** The authorization server that gave a token to the client that the person names; its secret is for no other one. */
  readonly bound?: { readonly id: string; readonly issuer: string };
  /** The scope that the person was asked for last, and when, in milliseconds since 1970. */
  readonly asked?: { readonly scope: string; readonly at: number };
  /** The port to which browsers were told to return; some authorization servers take no other. */
  readonly port?: number;
}

/** What is kept for one server, in a file that only the person can read; several hubs may use it. */
export class Credentials {
  readonly #url: string;
  #writing: Promise<unknown> = Promise.resolve();
  #known: Promise<Kept> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** The file. */
  get path(): string {
    return join(folder(), `${createHash('sha256').update(this.#url).digest('hex').slice(0, 32)}.json`);
  }

  /** The token that was there when it was last looked at. */
  async token(): Promise<string | undefined> {
    this.#known ??= this.read();
    return (await this.#known).tokens?.access_token;
  }

  /** What is there now; nothing where it cannot be read. */
  async read(): Promise<Kept> {
    this.#known = this.#look();
    return await this.#known;
  }

  async #look(): Promise<Kept> {
    try {
      return hidden(JSON.parse(await readFile(this.path, 'utf8')) as Kept);
    } catch {
      return {};
    }
  }

  /** Keeps more, or other things, beside what is there. */
  async add(more: Kept): Promise<void> {
    const written = this.#writing.then(async () => this.#write({ ...(await this.read()), ...more }));
    this.#writing = written.catch(() => undefined);
    await written;
  }

  /** Forgets a part of it. */
  async forget(name: keyof Kept): Promise<void> {
    await this.#writing;
    const { [name]: _, ...rest } = await this.read();
    await this.#write(rest);
  }

  async #write(kept: Kept): Promise<void> {
    await privateDirectory(stateDirectory());
    await privateDirectory(folder());
    await writePrivate(this.path, JSON.stringify(kept), 'replace');
    this.#known = Promise.resolve(hidden(kept));
  }
}

/** What is kept, which from now on is seen nowhere. */
function hidden(kept: Kept): Kept {
  const { access_token: access, refresh_token: refresh } = kept.tokens ?? {};
  for (const token of [access, refresh]) if (token !== undefined) log.hide(token);
  return kept;
}

function folder(): string {
  return join(stateDirectory(), 'oauth');
}
