import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { log } from '../shared/log.js';
import { privateDirectory, stateDirectory } from '../shared/paths.js';
import { withNul } from './nul.js';
import type { LineChange } from './revision.js';

/** Bytes of one file after the texts it begins with; then the next begins, and the one before the last is deleted. */
const FILE = 8 * 1024 * 1024;
const FILES = 2;
/** How much is left of editors that are gone. */
const KEPT_FILES = 40;

/** One line of a trace. The members are those of docs/trace.md. */
export type TraceLine = Readonly<Record<string, unknown>> & { readonly type: string };

/** Where the changes of a revision are on disk. */
export interface Place {
  /** Undefined once the file is gone. */
  read(): Promise<readonly LineChange[] | undefined>;
}

/** The folder of all traces. */
function traceDirectory(): string {
  return join(stateDirectory(), 'traces');
}

/** Makes room for the trace of an editor: what its files' names begin with, or nothing where that cannot be written. */
export async function traceBase(target: string): Promise<string | undefined> {
  try {
    const directory = await privateDirectory(traceDirectory());
    await tidy(directory);
    const stamp = new Date().toISOString().replaceAll(':', '-');
    return join(directory, `${target}.${stamp}.${process.pid}`);
  } catch (error) {
    log.warn(`no trace is kept of ${target}: ${String(error)}`);
    return undefined;
  }
}

/**
 * What happened in one editor, as JSON Lines in files that only their owner can read. A line is with the system once it is
 * written, so it outlives this process.
 */
export class Trace {
  readonly #base: string;
  readonly #header: TraceLine;
  /** The lines that a file has to begin with. */
  readonly #texts: () => TraceLine[];
  readonly #files: File[] = [];
  #number = 0;
  #sequence = 0;
  #failed = false;

  /** `base` is what {@link traceBase} found. */
  constructor(base: string, header: TraceLine, texts: () => TraceLine[]) {
    this.#base = base;
    this.#header = header;
    this.#texts = texts;
  }

  /** The files of it, the oldest first. */
  get paths(): string[] {
    return this.#files.map(({ path }) => path);
  }

  /** Appends a line; where it is. */
  add(line: TraceLine): Place | undefined {
    if (this.#failed) return undefined;
    try {
      const file = this.#current();
      const [offset, length] = file.append(this.#numbered(line));
      return { read: async () => changesIn(file.read(offset, length)) };
    } catch (error) {
      this.#failed = true;
      log.warn(`the trace ${this.#base} ends: ${String(error)}`);
      return undefined;
    }
  }

  /** The lines after a number that are among the last `bytes` bytes. */
  since(number: number, bytes: number): string[] {
    const file = this.#files.at(-1);
    if (file === undefined) return [];
    const offset = Math.max(0, file.size - bytes);
    const lines = (file.read(offset, file.size - offset) ?? '').split('\n').slice(offset === 0 ? 0 : 1, -1);
    return lines.filter((line) => numberOf(line) > number);
  }

  close(): void {
    for (const file of this.#files) file.close();
    this.#failed = true;
  }

  #numbered(line: TraceLine): TraceLine {
    this.#sequence += 1;
    return { seq: this.#sequence, at: Date.now(), ...line };
  }

  /** The file that is written now. */
  #current(): File {
    const last = this.#files.at(-1);
    if (last !== undefined && last.size - last.begun < FILE) return last;
    this.#number += 1;
    const file = new File(`${this.#base}.${this.#number}.jsonl`);
    this.#files.push(file);
    for (const line of [this.#header, ...this.#texts()]) file.append(this.#numbered(line));
    file.begun = file.size;
    while (this.#files.length > FILES) this.#files.shift()?.remove();
    return file;
  }
}

/** One file, for this user only. */
class File {
  readonly path: string;
  size = 0;
  /** The size of what it began with. */
  begun = 0;
  #descriptor: number | undefined;

  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, 'wx+', 0o600);
  }

  /** Where the line was put: offset and length in bytes. */
  append(line: TraceLine): [offset: number, length: number] {
    if (this.#descriptor === undefined) throw new Error('it is closed');
    // A line has a NUL as Vim has it: its JSON knows none.
    const json = JSON.stringify(line).replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\n');
    const bytes = Buffer.from(`${json}\n`);
    const offset = this.size;
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#descriptor, bytes, done, undefined, offset + done);
    } catch (error) {
      // Half a line would spoil the file.
      ftruncateSync(this.#descriptor, offset);
      throw error;
    }
    this.size += bytes.length;
    return [offset, bytes.length];
  }

  read(offset: number, length: number): string | undefined {
    if (this.#descriptor === undefined) return undefined;
    const bytes = Buffer.alloc(length);
    return bytes.toString('utf8', 0, readSync(this.#descriptor, bytes, 0, length, offset));
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  remove(): void {
    this.close();
    try {
      unlinkSync(this.path);
    } catch (error) {
      log.warn(`${this.path} could not be deleted: ${String(error)}`);
    }
  }
}

/** Each line begins with its number. */
function numberOf(line: string): number {
  return Number(/^\{"seq":(\d+)/.exec(line)?.[1]);
}

function changesIn(line: string | undefined): readonly LineChange[] | undefined {
  if (line === undefined) return undefined;
  const { changes } = JSON.parse(line) as { changes?: readonly LineChange[] };
  return changes?.map(({ first, old, now }) => ({ first, old: old.map(withNul), now: now.map(withNul) }));
}

/** Deletes what is left of editors long gone. */
async function tidy(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.jsonl'));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      return { path, time: (await stat(path)).mtimeMs };
    }),
  );
  const old = files.toSorted((a, b) => b.time - a.time).slice(KEPT_FILES);
  await Promise.all(old.map(({ path }) => unlink(path).catch(() => undefined)));
}
