import { Fault } from './fault.js';
import type { Answer, Prompt } from './prompt.js';

/** Questions that wait at most. */
const MOST = 1000;

/** Puts a question to the person. Ends it when the signal says so. @throws Fault when it cannot. */
export type Ask = (prompt: Prompt, signal: AbortSignal) => Promise<Answer>;

/** A question that is to be put. */
export interface Asking {
  /** The same for questions about the very same. */
  readonly key: string;
  readonly prompt: Prompt;
  /** Looks, when it is its turn, whether it has been decided meanwhile. */
  readonly settled: () => Promise<boolean>;
  /** Writes down what the answer decides for others, too, before the next question is looked at. */
  readonly keep: (answer: Answer) => Promise<void>;
}

interface Open {
  readonly withdrawn: AbortController;
  readonly answer: Promise<Answer | undefined>;
  /** How many calls wait for the answer. */
  callers: number;
}

/**
 * The questions of one program to the person in front of the machine: one after the other, the same one once for all calls
 * that have it, none any more that no call waits for.
 */
export class Prompts {
  readonly #ask: Ask;
  readonly #open = new Map<string, Open>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * Asks, unless it turns out to be settled when its turn comes.
   * @returns the answer, or nothing where it need not be asked any more.
   * @throws Fault `cancelled` when the call was, `denied` when nobody can be asked.
   */
  async ask(asking: Asking, signal: AbortSignal): Promise<Answer | undefined> {
    signal.throwIfAborted();
    const { key } = asking;
    const open = this.#open.get(key) ?? this.#queue(asking);
    open.callers += 1;
    let onAbort = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(new Fault('cancelled', 'the request was cancelled'));
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([open.answer, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      open.callers -= 1;
      if (open.callers === 0) {
        open.withdrawn.abort();
        if (this.#open.get(key) === open) this.#open.delete(key);
      }
    }
  }

  #queue(asking: Asking): Open {
    if (this.#open.size >= MOST) {
      throw new Fault('busy', `${MOST} questions wait for the person already`, { next: 'Wait for their answers.' });
    }
    const withdrawn = new AbortController();
    const answer = this.#last.then(() => this.#turn(asking, withdrawn.signal));
    this.#last = answer.catch(() => undefined);
    const open = { withdrawn, answer, callers: 0 };
    this.#open.set(asking.key, open);
    return open;
  }

  async #turn({ prompt, settled, keep }: Asking, signal: AbortSignal): Promise<Answer | undefined> {
    if (signal.aborted || (await settled())) return undefined;
    const answer = await this.#ask(prompt, signal);
    await keep(answer);
    return answer;
  }
}
