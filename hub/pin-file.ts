import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { asFault, Fault } from '../shared/fault.js';
import { withLock } from '../shared/file-lock.js';
import { privateDirectory, stateDirectory } from '../shared/paths.js';
import { writePrivate } from '../shared/private-file.js';

/** What is known of one tool: how it was when it was approved, and what the person refused after that. */
const APPROVED = z.strictObject({ definition: z.string(), refused: z.string().optional() });
export type Approved = Readonly<z.infer<typeof APPROVED>>;

/** By the server's own names; in pairs, because a name may be any text. */
const TOOLS = z.array(z.tuple([z.string(), APPROVED]));

/** The approved definitions of the tools of one server, in a file of the person's that several hubs may have. */
export class PinFile {
  readonly #name: string;
  #known: ReadonlyMap<string, Approved> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** As they were read last. @throws Fault `denied` where they cannot be: then nothing is approved. */
  async known(): Promise<ReadonlyMap<string, Approved>> {
    return this.#known ?? (await this.read());
  }

  /** As they are in the file now; none where there is no file. @throws as {@link known}. */
  async read(): Promise<ReadonlyMap<string, Approved>> {
    this.#known = await readTools(await this.#path());
    return this.#known;
  }

  /** Changes the file while no other process does; what it holds then. @throws as {@link known}. */
  async change(change: (tools: Map<string, Approved>) => unknown): Promise<ReadonlyMap<string, Approved>> {
    const path = await this.#path();
    await withLock(`${path}.lock`, async () => {
      const tools = new Map(await readTools(path));
      change(tools);
      await writePrivate(path, `${JSON.stringify([...tools], undefined, 1)}\n`, 'replace');
      this.#known = tools;
    });
    return this.known();
  }

  async #path(): Promise<string> {
    await privateDirectory(stateDirectory());
    return join(await privateDirectory(join(stateDirectory(), 'pins')), `${this.#name}.json`);
  }
}

async function readTools(path: string): Promise<ReadonlyMap<string, Approved>> {
  try {
    return new Map(TOOLS.parse(JSON.parse(await readFile(path, 'utf8'))));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new Fault('denied', `the approved definitions in ${path} cannot be read`, {
      next: 'Look at what happened to that file; without it the definitions of now count as approved.',
      cause: asFault(error),
    });
  }
}
