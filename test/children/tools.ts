/** The tools of the children on an SDK, without the SDK. */

/** What a tool has from its SDK while it runs. */
export interface Surroundings {
  /** Follows the cancellation of the call. */
  readonly signal: AbortSignal;
  progress(step: number): Promise<void>;
  /** Whether the person agrees; as text. */
  ask(message: string): Promise<string>;
  /** Says something by a log message. */
  log(text: string): Promise<void>;
  /** Has one tool more from now on, and says so. */
  grow(name: string): Promise<void>;
}

/** The names that are there from the beginning. */
export const TOOL_NAMES = ['echo', 'steps', 'release', 'slow', 'state', 'ask', 'say', 'grow'];

/** How many steps the tool `steps` reports before it waits to be released. */
export const STEPS = 3;

/** By a key of the caller's choice, so that callers do not meet. */
const held = new Map<string, () => void>();
const begun = new Set<string>();
const cancelled = new Set<string>();

/** Does what a tool does; a tool that was added says its name. */
export async function runTool(name: string, key: string, surroundings: Surroundings): Promise<string> {
  switch (name) {
    case 'echo':
      return key;
    case 'steps':
      for (let step = 1; step <= STEPS; step += 1) await surroundings.progress(step);
      return await new Promise((resolve) => held.set(key, () => resolve('done')));
    case 'release':
      held.get(key)?.();
      return String(held.delete(key));
    case 'slow':
      return await slow(key, surroundings.signal);
    case 'state':
      return JSON.stringify({ begun: begun.has(key), cancelled: cancelled.has(key) });
    case 'ask':
      return await surroundings.ask(key);
    case 'say':
      await surroundings.log(key);
      return 'said';
    case 'grow':
      await surroundings.grow(key);
      return 'told';
    default:
      return name;
  }
}

function slow(key: string, signal: AbortSignal): Promise<string> {
  begun.add(key);
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      cancelled.add(key);
      reject(new Error('cancelled'));
    });
  });
}
