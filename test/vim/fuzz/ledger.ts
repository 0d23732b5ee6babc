import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { eventually } from '../../kit/until.js';
import type { Broker } from '../broker.js';
import type { Snapshot } from './snapshot.js';

interface Change {
  readonly first: number;
  readonly old: readonly string[];
  readonly now: readonly string[];
}

interface Line {
  readonly seq: number;
  readonly type: string;
  readonly buffer: number;
  readonly tick: number;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
  readonly by: readonly string[];
  readonly changes: readonly Change[];
}

/** Tools that change a text. */
const CHANGING = ['edit', 'apply-diff', 'undo', 'redo'];

/** The texts as the trace of the broker says they are. */
export class Ledger {
  readonly #broker: Broker;
  readonly #target: string;
  readonly #texts = new Map<number, { tick: number; lines: string[] }>();
  /** Ticks that calls of the agent answered, by buffer. */
  readonly #answered = new Set<string>();
  #read = 0;
  #rest = '';
  /** Changes whose author was checked. */
  changes = 0;

  constructor(broker: Broker, target: string) {
    this.#broker = broker;
    this.#target = target;
  }

  /** What a call of the agent answered; one that changed the text tells its tick. */
  answered(tool: string, value: Readonly<Record<string, unknown>>): void {
    if (!CHANGING.includes(tool) || value['changed'] === false) return;
    this.#answered.add(`${String(value['buffer'])} ${String(value['changedtick'])}`);
  }

  /** Holds the trace against Vim: the texts of all buffers that are followed, and who made each change. */
  async check(look: () => Promise<Snapshot>): Promise<void> {
    let seen: Snapshot | undefined;
    const isThere = async (): Promise<boolean> => {
      await this.#take();
      seen = await look();
      return seen.buffers.every(({ buffer, tick }) => (this.#texts.get(buffer)?.tick ?? tick) === tick);
    };
    // What is wrong shall not be tried again.
    let wrong: Error | undefined;
    await eventually('the trace has come to the ticks of Vim', () =>
      isThere().catch((error: Error) => {
        wrong = error;
        return true;
      }),
    );
    if (wrong !== undefined) throw wrong;
    for (const { buffer, lines } of seen?.buffers ?? []) {
      const text = this.#texts.get(buffer);
      if (text !== undefined) assert.deepEqual(text.lines, lines, `the text of buffer ${buffer} in the trace`);
    }
  }

  async #take(): Promise<void> {
    const { value } = await this.#broker.call('trace', { target: this.#target, after: Number.MAX_SAFE_INTEGER });
    const [path] = value['files'] as string[];
    if (path === undefined) return;
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(size - this.#read);
      await file.read(bytes, 0, bytes.length, this.#read);
      this.#read = size;
      const lines = (this.#rest + bytes.toString()).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#line(JSON.parse(line) as Line);
    } finally {
      await file.close();
    }
  }

  #line(line: Line): void {
    if (line.type === 'state') this.#texts.set(line.buffer, { tick: line.tick, lines: [...line.lines] });
    if (line.type === 'change') this.#change(line);
  }

  #change({ seq, buffer, from, to, by, changes }: Line): void {
    const text = this.#texts.get(buffer);
    assert.equal(text?.tick, from, `line ${seq} goes on from the text before`);
    for (const { first, old, now } of [...changes].reverse()) {
      assert.deepEqual(text.lines.slice(first - 1, first - 1 + old.length), old, `line ${seq} changes what was there`);
      text.lines.splice(first - 1, old.length, ...now);
    }
    text.tick = to;
    if (changes.length === 0 || by.length > 1) return;
    const isAnswered = this.#answered.has(`${buffer} ${to}`);
    assert.equal(by[0] === 'client test', isAnswered, `line ${seq} is by who made it, not by ${by[0]}`);
    this.changes += 1;
  }
}
