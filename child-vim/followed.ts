import { setTimeout as pause } from 'node:timers/promises';
import { asFault } from '../shared/fault.js';
import { Mirror } from './mirror.js';
import { withNul } from './nul.js';
import type { Operation } from './operations.js';
import type { Changed } from './protocol.js';
import { type Author, changesOf, type LineChange, type Revision } from './revision.js';
import type { WholeText } from './whole-buffer.js';

/** Milliseconds between attempts to read a text that is changed all the time: the first, and the longest. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 3000;
/** Changes that wait until a text has been read. */
const MOST_WAITING = 1000;

/** A change as Vim told it. */
export interface Heard {
  readonly item: Changed;
  readonly by: Author;
  /** What was asked for, if that was an edit. */
  readonly operations: readonly Operation[] | undefined;
}

/** What a followed buffer needs of the feed. */
export interface Source {
  /** The whole text; undefined if it is too long to be kept. @throws Fault `stale` when it changes meanwhile. */
  read(buffer: number): Promise<WholeText | undefined>;
  /** Fetches all that has happened so far. */
  sync(): Promise<void>;
  /** A text is known for the first time. */
  began(followed: Followed, mirror: Mirror): void;
  /** There is a new text; to be told before the mirror has it. */
  revised(followed: Followed, revision: Revision, mirror: Mirror | undefined): void;
  readonly signal: AbortSignal;
}

/** One buffer that is followed. What Vim cannot tell of a change is read anew. */
export class Followed {
  readonly buffer: number;
  filename: string;
  lastUsed = Date.now();
  /** How many need it followed right now. */
  pins = 0;
  readonly #source: Source;
  #mirror: Mirror | undefined;
  #isLong = false;
  #waiting: Heard[] = [];
  #loading: Promise<void> | undefined;

  constructor(buffer: number, filename: string, source: Source) {
    this.buffer = buffer;
    this.filename = filename;
    this.#source = source;
  }

  /** Its text, once it has been read; none if it is too long. */
  get mirror(): Mirror | undefined {
    return this.#mirror;
  }

  /** Returns when all that has been heard is in the mirror. */
  async ready(): Promise<void> {
    while (!this.#isLong && (this.#mirror === undefined || this.#waiting.length > 0 || this.#loading !== undefined)) {
      await this.load();
    }
  }

  /** Takes a change as it comes. */
  take(heard: Heard): void {
    if (this.#isLong) this.#untold(heard);
    else if (this.#mirror === undefined || this.#loading !== undefined) this.#wait(heard);
    else if (!this.#advance(heard, this.#mirror)) {
      this.#wait(heard);
      this.load().catch(() => undefined);
    }
  }

  /** Forgets the text and all before it. */
  async restart(): Promise<void> {
    this.#mirror = undefined;
    await this.load();
  }

  /** Reads the text anew. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  #wait(heard: Heard): void {
    this.#waiting.push(heard);
    // Of what is too old to matter, only who it was does.
    if (this.#waiting.length > MOST_WAITING) this.#waiting.splice(0, MOST_WAITING / 2);
  }

  async #load(): Promise<void> {
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
      try {
        const text = await this.#source.read(this.buffer);
        if (text === undefined) {
          this.#giveUp();
          return;
        }
        await this.#source.sync();
        if (this.#settle(text.tick, text.lines)) return;
      } catch (error) {
        if (asFault(error).kind !== 'stale') throw error;
      }
      await pause(wait, undefined, { signal: this.#source.signal, ref: false });
    }
  }

  /** Takes a text that was read, and what has been heard since; whether the text of all that is known. */
  #settle(tick: number, lines: string[]): boolean {
    const heard = this.#waiting;
    const past = heard.filter(({ item }) => item.to <= tick);
    if (this.#mirror === undefined) {
      this.#mirror = new Mirror(tick, lines);
      this.#source.began(this, this.#mirror);
    } else if (this.#mirror.tick < tick) {
      const known = this.#mirror;
      const by = authors(past.filter(({ item }) => item.to > known.tick));
      this.#revise(known, { from: known.tick, to: tick, by, changes: known.replaced(1, known.lines.length, lines) });
    }
    this.#waiting = [];
    const rest = heard.slice(past.length);
    while (rest[0] !== undefined && this.#advance(rest[0], this.#mirror)) rest.shift();
    this.#waiting.push(...rest);
    return rest.length === 0;
  }

  /** Goes on to what was heard, if its text is known. */
  #advance({ item, by, operations }: Heard, mirror: Mirror): boolean {
    if (item.to <= mirror.tick) return true;
    if (item.from !== mirror.tick) return false;
    const told = changesOfItem(item, operations, mirror);
    const changes = told === undefined ? undefined : withLine(told, mirror.lines);
    if (changes === undefined || counted(changes, mirror.lines) !== item.count) return false;
    this.#revise(mirror, { from: item.from, to: item.to, by: [by], changes });
    return true;
  }

  #revise(mirror: Mirror, revision: Omit<Revision, 'at'>): void {
    this.#source.revised(this, { ...revision, at: Date.now() }, mirror);
  }

  /** Of a text that is too long only is told that it changed. */
  #giveUp(): void {
    this.#isLong = true;
    this.#mirror = undefined;
    for (const heard of this.#waiting.splice(0)) this.#untold(heard);
  }

  #untold({ item: { from, to }, by }: Heard): void {
    this.#source.revised(this, { from, to, at: Date.now(), by: [by], changes: [] }, undefined);
  }
}

function changesOfItem(
  item: Changed,
  operations: readonly Operation[] | undefined,
  mirror: Mirror,
): readonly LineChange[] | undefined {
  if (item.lost === true) return undefined;
  if (item.known === true) return operations === undefined ? undefined : changesOf(operations, mirror.lines);
  if (item.first === undefined || item.last === undefined) return [];
  return item.lines === undefined ? undefined : mirror.replaced(item.first, item.last, item.lines.map(withNul));
}

/** Lines there will be. */
function counted(changes: readonly LineChange[], lines: readonly string[]): number {
  return changes.reduce((sum, { old, now }) => sum + now.length - old.length, lines.length);
}

/** A buffer is never without a line: where all go, an empty one comes. */
function withLine(changes: readonly LineChange[], lines: readonly string[]): readonly LineChange[] {
  return counted(changes, lines) === 0 ? [{ first: 1, old: [...lines], now: [''] }] : changes;
}

/** Whoever changed more than the tick. */
function authors(all: readonly Heard[]): Author[] {
  const heard = all.filter(({ item }) => item.lost === true || item.known === true || item.first !== undefined);
  const found = new Map(heard.map(({ by }) => [typeof by === 'string' ? by : by.id, by]));
  return found.size === 0 ? ['editor'] : [...found.values()];
}
