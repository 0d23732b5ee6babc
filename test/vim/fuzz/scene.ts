import type { Random } from '../../kit/random.js';
import { eventually } from '../../kit/until.js';
import type { Vim } from '../../kit/vim.js';
import type { Broker, Result } from '../broker.js';
import type { Plan } from './agent.js';
import { Ledger } from './ledger.js';
import { burst } from './person.js';
import { type BufferSnapshot, look, type Snapshot } from './snapshot.js';

export const ESC = '\x1b';
export const UNDO = 'u';
export const REDO = '\x12';
/** What Vim's JSON has for bytes that are no text. */
const BROKEN = '\ufffd';

/** What came of a run. */
export interface Tally {
  /** Edits that were made, and calls that were refused because the text had changed. */
  edits: number;
  stale: number;
  /** Calls that had to wait for the person. */
  waited: number;
  /** Changes in the trace whose author was checked. */
  attributed: number;
}

/** A person in a Vim and an agent at a broker, both played at random. */
export class Scene {
  readonly tally: Tally = { edits: 0, stale: 0, waited: 0, attributed: 0 };
  /** What was done, for the report. */
  readonly steps: string[] = [];
  readonly vim: Vim;
  readonly broker: Broker;
  readonly random: Random;
  /** The keys so far end in the middle of a command. */
  half = false;
  /** What the broker's trace says. */
  readonly ledger: Ledger;
  readonly #target: string;
  /** The text at each undo sequence that was seen, by buffer and sequence. */
  readonly #history = new Map<string, readonly string[]>();

  constructor(vim: Vim, broker: Broker, target: string, random: Random) {
    this.vim = vim;
    this.broker = broker;
    this.#target = target;
    this.random = random;
    this.ledger = new Ledger(broker, target);
  }

  /** Connects, with all buffers loaded. */
  async begin(): Promise<void> {
    await this.vim.ex(`Mcp ${this.#target}`);
    await eventually('Vim is connected', async () => (await this.broker.targets()).includes(this.#target));
    await this.vim.ex('bufdo 1 | b1');
    await this.vim.eval('Messages()');
  }

  /** Types these keys, or whatever comes next, and notes what text they led to. */
  async type(keys?: string): Promise<void> {
    const seen = await look(this.vim);
    const next = keys === undefined ? burst(this.random, seen, this.half) : { keys, half: false };
    this.half = next.half;
    this.steps.push(`person in ${seen.mode}: ${JSON.stringify(next.keys)}`);
    await this.vim.typed(next.keys);
    this.note(await look(this.vim));
  }

  /** Calls a tool of this editor. */
  async call({ tool, args }: Pick<Plan, 'tool' | 'args'>, where: string): Promise<Result> {
    this.steps.push(`agent ${where}: ${tool} ${JSON.stringify(args)}`);
    const result = await this.broker.call(tool, { target: this.#target, ...args });
    if (!result.isError) this.ledger.answered(tool, result.value);
    this.steps.push(`  ${result.isError ? result.text : JSON.stringify(result.value)}`);
    return result;
  }

  /** Remembers the text of an undo sequence. */
  note(seen: Snapshot): void {
    const lines = current(seen)?.lines;
    if (seen.mode === 'n' && lines !== undefined) this.#history.set(`${seen.buffer} ${seen.seq}`, lines);
  }

  /** The text of an undo sequence, if it was seen. */
  noted(buffer: number, sequence: unknown): readonly string[] | undefined {
    return this.#history.get(`${buffer} ${String(sequence)}`);
  }
}

/** The buffer the person is in, unless it is a special one. */
export function current({ buffers, buffer }: Snapshot): BufferSnapshot | undefined {
  return buffers.find((each) => each.buffer === buffer);
}

/** Whether a line holds bytes that are no text. */
export function isBroken(line: string): boolean {
  return line.includes(BROKEN);
}
