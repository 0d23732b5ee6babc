import { usageFault } from './flags.js';
import { type Command, ownHelper } from './helper.js';

/** How the person can be asked. */
export const WAYS = ['auto', 'mcp', 'helper', 'tty', 'dialog', 'yad'] as const;
type Way = (typeof WAYS)[number];

/** How the person is asked by this program. */
export interface Asking {
  readonly way: Way;
  /** A program in place of ours. */
  readonly helper: string | undefined;
  /** The `--name` of this program. */
  readonly name: string;
  /** Whether the person said how, on the command line or in the environment. */
  readonly isChosen: boolean;
}

/** Say how to ask where `--ask` does not; the second is that of the programs that ours is modelled on. */
const ASK_VARIABLES = ['MCP_MULTIBROKER_PERMISSION_ASK', 'PERL_ANYEVENT_MCP_PERMISSION_ASK'];

/**
 * What `--ask` and `--helper` say, else the environment.
 * @throws Fault `invalid` for what is no way.
 */
export function readAsking(
  name: string,
  one: (flag: string) => string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Asking {
  const chosen = one('ask') ?? ASK_VARIABLES.map((variable) => env[variable]).find(Boolean);
  return {
    name,
    way: readWay(chosen ?? 'auto'),
    helper: one('helper') ?? (env['MCP_MULTIBROKER_PERMISSION_HELPER'] || undefined),
    isChosen: chosen !== undefined,
  };
}

/** The program that asks where the client does not. */
export function askingProgram({ way, helper }: Asking): Command {
  if (way === 'tty' || way === 'dialog' || way === 'yad') return ownHelper(way);
  return helper === undefined ? ownHelper('any') : [helper];
}

function readWay(text: string): Way {
  const found = WAYS.find((way) => way === text);
  if (found !== undefined) return found;
  throw usageFault(`--ask takes one of ${WAYS.join(', ')}, not ${JSON.stringify(text)}`);
}
