import { type Flag, readFlags, usage, usageFault } from '../shared/flags.js';
import { rotateSecret } from '../shared/secret.js';

/** Seconds for which the tokens before are accepted where nothing is said, and at most. */
const GRACE = 3600;
const LONGEST = 30 * 24 * 3600;

/** The options of `mcp-multibroker rotate`. */
export const ROTATE_FLAGS: readonly Flag[] = [
  {
    name: 'grace',
    value: 'S',
    help: `accept the tokens of now for so many seconds more, at most ${LONGEST}; 0 ends them at once (${GRACE})`,
  },
  { name: 'help', help: 'print this help' },
];

const SYNOPSIS = `mcp-multibroker rotate [options]

Makes a new master secret, and so new tokens for all hubs and all mcp-vim. Those that run take them up at once and go on;
ports stay. What is connected stays connected. Tokens that were given with --token stay as they are.`;

/**
 * Runs `mcp-multibroker rotate`.
 * @returns the text for standard output: what has to be done by hand.
 * @throws Fault `invalid` for what cannot be meant, and where the secret cannot be read or written.
 */
export async function rotate(argv: readonly string[]): Promise<string> {
  const flags = readFlags(ROTATE_FLAGS, argv);
  if (flags.has('help')) return usage(SYNOPSIS, ROTATE_FLAGS);
  const text = flags.get('grace')?.[0] ?? String(GRACE);
  const grace = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(grace <= LONGEST)) throw usageFault(`--grace ${text}: give seconds, 0 to ${LONGEST}`);
  await rotateSecret(grace * 1000);
  const ending = grace === 0 ? 'The old tokens are not accepted any more' : `The old tokens end in ${grace} seconds`;
  return `There are new tokens. ${ending}.
What finds its broker or hub by its name needs nothing. Wherever you wrote an address, write the one that
mcp-multibroker --print-url and mcp-vim --print-url show now (with the --name that each has).
`;
}
