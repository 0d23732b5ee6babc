import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { asFault, Fault } from './fault.js';
import { withLock } from './file-lock.js';
import { configDirectory, privateDirectory } from './paths.js';
import { writePrivate } from './private-file.js';
import type { Placed } from './rule.js';
import { formatRules, parseRules, type RuleText } from './rule-text.js';
import { type Words, wordsFor } from './rule-words.js';

/** Bytes of a rule file at most. */
const LARGEST = 4 * 1024 * 1024;
/** Milliseconds within which a file may be written twice without another time of change. */
const COARSE = 50;

/** Where rule files are. */
export function rulesDirectory(): string {
  return join(configDirectory(), 'rules');
}

/** The rules in one file, read again only when it has changed. */
export class RuleFile {
  readonly path: string;
  readonly words: Words;
  #state = '';
  #rules: readonly Placed[] | Fault = [];

  /**
   * The file `STEM.ini` among the rules, as `vim-default`.
   * @throws Fault `invalid` for what is no such name.
   */
  constructor(stem: string) {
    const words = wordsFor(stem);
    if (words === undefined) {
      throw new Fault('invalid', `${JSON.stringify(stem)} is no file of rules`, {
        next: 'Name it as vim-NAME or hub-NAME, with the --name of the mcp-vim or of the hub.',
      });
    }
    this.words = words;
    this.path = join(rulesDirectory(), `${stem}.ini`);
  }

  /**
   * The rules in order; none where there is no file.
   * @throws Fault `invalid` naming file and line where it is broken, `denied` where others could have written it.
   */
  rules(): readonly Placed[] {
    const state = stateOf(this.path);
    if (state !== this.#state) {
      this.#rules = this.#read();
      // What was written just now may be written again without looking so.
      this.#state = state.endsWith('?') ? '' : state;
    }
    if (this.#rules instanceof Fault) throw this.#rules;
    return this.#rules;
  }

  /** The rules with their file taken apart. @throws as {@link rules}. */
  text(): RuleText {
    return parseRules(this.raw(), this.words, this.path);
  }

  /** The text of the file, whatever it holds. @throws Fault `denied` where others could have written it. */
  raw(): string {
    for (const folder of [configDirectory(), rulesDirectory()]) checkFolder(folder);
    return readOwn(this.path) ?? '';
  }

  /**
   * Changes the file while no other process does: it is whole at any time, as it was or as it is then.
   * @throws Fault as {@link rules}, and `gone` when the system refuses; then nothing has changed.
   */
  async change(change: (text: RuleText) => RuleText | Promise<RuleText>): Promise<void> {
    await this.#alone(async () => {
      const before = this.text();
      const after = await change(before);
      if (after !== before) await this.#write(formatRules(after));
    });
  }

  /** Puts another text in the place of the one that it had. @throws Fault `stale` where it has another one now. */
  async replace(before: string, after: string): Promise<void> {
    await this.#alone(async () => {
      if (this.raw() !== before) throw new Fault('stale', `${this.path} was changed meanwhile`);
      await this.#write(after);
    });
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    await privateDirectory(configDirectory());
    await privateDirectory(rulesDirectory());
    await withLock(`${this.path}.lock`, work);
  }

  async #write(text: string): Promise<void> {
    parseRules(text, this.words, this.path);
    await writePrivate(this.path, text, 'replace');
  }

  #read(): readonly Placed[] | Fault {
    try {
      return this.text().sections;
    } catch (error) {
      return asFault(error);
    }
  }
}

/** Differs when the file does; ends in `?` where it cannot be trusted to. */
function stateOf(path: string): string {
  let found: BigIntStats | undefined;
  try {
    found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code}?`;
  }
  if (found === undefined) return 'none';
  const { dev, ino, size, mtimeNs, ctimeNs, mode, uid } = found;
  const isFresh = Date.now() - Number(ctimeNs / 1_000_000n) < COARSE;
  return [dev, ino, size, mtimeNs, ctimeNs, mode, uid].join() + (isFresh ? '?' : '');
}

/** Whoever can write in the folder can take the file away, and with it what it denies. */
function checkFolder(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.isDirectory() && isOwn(found))) return;
  throw new Fault('denied', `${path} has to be a folder of yours in which nobody else can write`, {
    next: 'Look at who made it, then run chmod 700 on it.',
  });
}

function isOwn({ uid, mode }: Stats): boolean {
  return uid === (process.getuid?.() ?? uid) && (mode & 0o022) === 0;
}

/** The text of a file that only its owner can have written. */
function readOwn(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Fault('denied', `the rules cannot be read: ${code === 'ELOOP' ? `${path} is a link` : message}`);
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile() || !isOwn(found)) {
      throw new Fault('denied', `${path} has to be a file of yours that nobody else can write`, {
        next: 'Look at who made it, then run chmod 600 on it.',
      });
    }
    if (found.size > LARGEST) throw new Fault('invalid', `${path}:1: the file is larger than ${LARGEST} bytes`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('invalid', `${path}: the rules cannot be read: ${asFault(error).message}`, { cause: error });
  } finally {
    closeSync(file);
  }
}
