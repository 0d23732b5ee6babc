import { type Flag, usageFault } from './flags.js';

/** What messages may cost, and how long somebody may take to say who it is, or yes or no. Set once, from the command line. */
export const limits = {
  /** Deepest nesting of a message. Vim crashes on deep values, and so does `JSON.stringify`. */
  depth: 64,
  /** The longest message, in bytes. */
  message: 64 * 1024 * 1024,
  /** Milliseconds in which a connection must have said who it is. */
  greeting: 10_000,
  /** Unsent bytes at which a peer that does not read is given up. */
  unsent: 256 * 1024 * 1024,
  /** Milliseconds that a question waits for the person; without an answer it is a no. */
  question: 600_000,
};

/** Bounds of what can be asked for: deeper than this nothing is parsed safely, longer no text can be. */
const BOUNDS = {
  depth: [8, 1000],
  message: [1, 500],
  greeting: [1, 600],
  unsent: [1, 4096],
  question: [10, 86_400],
} as const;

/** The options that set them. */
export const LIMIT_FLAGS: readonly Flag[] = [
  { name: 'max-depth', value: 'N', help: `refuse messages that are nested deeper (${limits.depth})` },
  { name: 'max-message', value: 'MB', help: `refuse longer messages (${limits.message / 1024 / 1024})` },
  {
    name: 'greeting-time',
    value: 'S',
    help: `end a connection that has not said who it is in so many seconds (${limits.greeting / 1000})`,
  },
  {
    name: 'max-unread',
    value: 'MB',
    help: `end a connection when more waits for somebody who does not read (${limits.unsent / 1024 / 1024})`,
  },
  {
    name: 'question-time',
    value: 'S',
    help: `take a question as denied that you have not answered in so many seconds (${limits.question / 1000})`,
  },
];

/**
 * Takes over what the command line says.
 * @throws Fault `invalid` for what is out of bounds.
 */
export function setLimits(flags: ReadonlyMap<string, readonly string[]>): void {
  limits.depth = bounded(flags, 'max-depth', BOUNDS.depth) ?? limits.depth;
  limits.message = times(bounded(flags, 'max-message', BOUNDS.message), 1024 * 1024) ?? limits.message;
  limits.greeting = times(bounded(flags, 'greeting-time', BOUNDS.greeting), 1000) ?? limits.greeting;
  limits.unsent = times(bounded(flags, 'max-unread', BOUNDS.unsent), 1024 * 1024) ?? limits.unsent;
  if (limits.unsent < limits.message) throw usageFault('--max-unread has to be at least as much as --max-message');
  limits.question = times(bounded(flags, 'question-time', BOUNDS.question), 1000) ?? limits.question;
}

function bounded(
  flags: ReadonlyMap<string, readonly string[]>,
  name: string,
  [least, most]: readonly [number, number],
): number | undefined {
  const text = flags.get(name)?.[0];
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw usageFault(`--${name} ${JSON.stringify(text)}: give a whole number, ${least} to ${most}`);
}

function times(number: number | undefined, unit: number): number | undefined {
  return number === undefined ? undefined : number * unit;
}
