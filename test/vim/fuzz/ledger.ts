import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from '../../kit/until.js';
import { type Broker, PROGRAM } from '../broker.js';
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

const run = promisify(execFile);

/** Tools that change a text. */
const CHANGING = ['edit', 'apply-diff', 'undo', 'redo'];

/** The texts as the trace of the broker says they are. */
export class Ledger {
  readonly #broker: Broker;
  readonly #target: string;
  readonly #texts = new Map<number, { tick: number; lines: string[] }>();
  /** Ticks that calls of the agent answered, by buffer. */
  readonly #answered = new Set<string>();
  #path = '';
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
    for (const { buffer, tick, lines } of seen?.buffers ?? []) {
      const text = this.#texts.get(buffer);
      if (text === undefined) continue;
      assert.deepEqual(text.lines, lines, `the text of buffer ${buffer} in the trace`);
      assert.deepEqual(await this.#mirrored(buffer), { tick, text: plain(lines) }, `the mirror of buffer ${buffer}`);
    }
  }

  /** Has the trace replayed in a new Vim: it must come to the same texts. */
  async replay(): Promise<void> {
    const args = [PROGRAM, '--replay', this.#path, '--dump-state', '-'];
    const { stdout } = await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
    const { buffers } = JSON.parse(stdout) as { buffers: { buffer: number; tick: number; lines: string[] }[] };
    const found = new Map(buffers.map(({ buffer, tick, lines }) => [buffer, { tick, lines }]));
    assert.deepEqual(found, this.#texts, 'what the trace replays to');
  }

  /** The text as the broker has it. */
  async #mirrored(buffer: number): Promise<{ tick: unknown; text: unknown }> {
    const { contents } = await this.#broker.client.readResource({ uri: `vim://${this.#target}/${buffer}` });
    const [found] = contents;
    return {
      tick: found?._meta?.['changedtick'],
      text: found !== undefined && 'text' in found ? found.text : undefined,
    };
  }

  async #take(): Promise<void> {
    const { value } = await this.#broker.call('trace', { target: this.#target, after: Number.MAX_SAFE_INTEGER });
    const [path] = value['files'] as string[];
    if (path === undefined) return;
    this.#path = path;
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

/** Lines as one text; Vim has a NUL as a newline in the line. */
function plain(lines: readonly string[]): string {
  const isEmpty = lines.length === 1 && lines[0] === '';
  return isEmpty ? '' : lines.map((line) => `${line.replaceAll('\n', '\0')}\n`).join('');
}
