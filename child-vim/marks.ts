import { createHash } from 'node:crypto';
import { asFault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Followed } from './followed.js';
import type { Trace } from './trace.js';
import type { Vim } from './vim.js';

/** Milliseconds without a change after which texts are compared, and characters that Vim hashes unnoticed. */
const IDLE = 1500;
const HASHED = 128 * 1024;

/** Compares texts with those of Vim while nobody types, and leaves marks in the trace. */
export class Marks {
  readonly #vim: Vim;
  readonly #trace: () => Trace | undefined;
  readonly #signal: AbortSignal;
  readonly #changed = new Set<Followed>();
  #timer: NodeJS.Timeout | undefined;

  /** `trace` is where marks are left, if one is kept. */
  constructor(vim: Vim, trace: () => Trace | undefined, signal: AbortSignal) {
    this.#vim = vim;
    this.#trace = trace;
    this.#signal = signal;
    signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true });
  }

  /** A text has changed. */
  note(followed: Followed): void {
    this.#changed.add(followed);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Vim may be stopped, or busy with a command; the next change brings a mark.
      this.#mark().catch((error: unknown) => {
        const { kind, message } = asFault(error);
        if (kind === 'bug') log.error(`${this.#vim.name}: ${message}`);
      });
    }, IDLE).unref();
    this.#timer.refresh();
  }

  async #mark(): Promise<void> {
    for (const followed of [...this.#changed]) {
      this.#changed.delete(followed);
      const { mirror, buffer } = followed;
      if (mirror === undefined) continue;
      const { tick } = mirror;
      const sha256 = hashOf(mirror.lines);
      const isVerified = mirror.size <= HASHED && (await this.#agrees(followed, tick, sha256));
      if (isVerified === undefined) continue;
      const lines = mirror.lines.length;
      this.#trace()?.add({ type: 'mark', buffer, tick, lines, sha256, verified: isVerified });
    }
  }

  /** Whether Vim has the same text; undefined if one of the two has gone on. */
  async #agrees(followed: Followed, tick: number, sha256: string): Promise<boolean | undefined> {
    const { buffer, mirror } = followed;
    const found = await this.#vim.request('hash', { buffer }, this.#signal);
    if (found.changedtick !== tick || mirror?.tick !== tick) return undefined;
    // Bytes that are no text come as U+FFFD.
    if (found.sha256 === sha256 || mirror.lines.some((line) => line.includes('\uFFFD'))) return found.sha256 === sha256;
    log.error(`${this.#vim.name}: the text of buffer ${buffer} at tick ${tick} is not what its changes made it`);
    await followed.restart();
    return undefined;
  }
}

/** The hash that Vim would make of a text: it keeps a NUL as a newline in the line. */
function hashOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n').replaceAll('\0', '\n')).digest('hex');
}
