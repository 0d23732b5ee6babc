import { readBind } from '../shared/address.js';
import { type HubPlace, hubPlace } from '../shared/connect.js';
import { type Flag, readFlags, usage, usageFault } from '../shared/flags.js';
import { givenTokens, TOKEN_FLAGS } from '../shared/given-tokens.js';
import { LIMIT_FLAGS, setLimits } from '../shared/limits.js';
import { masterSecret } from '../shared/secret.js';
import { checkedName, derivedPort } from '../shared/token.js';
import { Tokens } from '../shared/tokens.js';
import { type Decided, readDecided } from '../shared/verdict.js';
import { type Asking, readAsking, WAYS } from '../shared/ways.js';
import { ACTIONS } from './permission.js';

/** The command line. */
export const FLAGS: readonly Flag[] = [
  { name: 'name', value: 'NAME', help: 'Name of this broker; port and token follow from it (default: default)' },
  {
    name: 'bind',
    value: 'ADDR[:PORT]',
    help: 'Listen there (default: 127.0.0.1 and a port that follows from the name)',
  },
  ...TOKEN_FLAGS,
  { name: 'stdio', help: 'Serve MCP on standard input and output too, and exit when that ends' },
  {
    name: 'connect',
    value: 'URL',
    help: 'Offer the tools to a hub: NAME/ALIAS for one of yours by its --name, or http://HOST:PORT/TOKEN/ALIAS',
  },
  {
    name: 'auto-allow',
    value: 'ACTIONS',
    many: true,
    help: `Allow without asking: ${ACTIONS.join(', ')}; * is read,write`,
  },
  { name: 'auto-deny', value: 'ACTIONS', many: true, help: 'Deny without asking; * is everything. Denial wins' },
  { name: 'read-only', help: 'Offer only the tools that read' },
  {
    name: 'ask',
    value: 'WAY',
    help: `How to ask you: ${WAYS.join(', ')} (default: auto, by the client if it can ask, else by the helper)`,
  },
  { name: 'helper', value: 'PROGRAM', help: 'The helper that asks you, in place of our own; see docs/permissions.md' },
  {
    name: 'patience',
    value: 'SECONDS',
    help: 'How long a call waits for Vim, and a change for a person in the middle of a command (default: 30)',
  },
  ...LIMIT_FLAGS,
  { name: 'no-trace', help: 'Write nothing down of what changes in the editors (default: the last 16 MB of each)' },
  { name: 'replay', value: 'FILE', help: 'Replay a trace in a new Vim, check its marks, and exit' },
  { name: 'dump-state', value: 'FILE', help: 'With --replay: write the texts as JSON; - is standard output' },
  { name: 'snapshot', value: 'COLUMNSxROWS', help: 'With --replay: print the screen' },
  { name: 'print-url', help: 'Print the URL for :Mcp, without the target, and exit' },
  { name: 'list-tools', help: 'Print the tools as clients get them, as JSON, and exit' },
  { name: 'tool-help', help: 'Print the tools and their arguments for a person, and exit' },
  { name: 'help', help: 'Print this, and exit' },
  { name: 'version', help: 'Print the version, and exit' },
];

export const USAGE = usage('Usage: mcp-vim [OPTION]...\nMCP server for the Vim editors you are running.', FLAGS);

/** What is to be replayed, and what to tell of it. */
export interface Replay {
  readonly file: string;
  /** Where the texts are written, `-` for standard output. */
  readonly dump: string | undefined;
  /** Whether the screen is printed, and its size. */
  readonly isShown: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** What the broker is to do. */
export interface Options {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tokens: Tokens;
  readonly stdio: boolean;
  readonly connect: HubPlace | undefined;
  readonly decided: Decided;
  readonly asking: Asking;
  /** Whether tools that do more than read are left out. */
  readonly readOnly: boolean;
  /** How long a call waits for Vim, in milliseconds. */
  readonly patience: number;
  /** Whether a trace is kept. */
  readonly isTraced: boolean;
  /** A trace to be replayed. */
  readonly replay: Replay | undefined;
  /** Something to print instead of serving. */
  readonly print: 'url' | 'tools' | 'list' | 'help' | 'version' | undefined;
}

/**
 * Reads the command line and the environment. What is not given is derived from the name and the master secret, which
 * is made if there is none.
 * @throws Fault `invalid` for what cannot be meant.
 */
export async function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Options> {
  const flags = readFlags(FLAGS, argv);
  const one = (name: string): string | undefined => flags.get(name)?.[0];
  const name = checkedName(one('name') ?? 'default');
  const { host = '127.0.0.1', port } = readBind(one('bind') ?? '');
  const given = givenTokens(flags);
  const connect = one('connect');
  const print = printed(flags);
  setLimits(flags);
  // Whoever only wants to read the help needs no secret.
  const isServing = (print === undefined || print === 'url') && !flags.has('replay');
  return {
    name,
    host,
    port: port ?? (isServing ? derivedPort((await masterSecret()).first, 'vim', name) : 0),
    tokens: isServing ? await Tokens.of(given, 'vim', name) : Tokens.given(given),
    stdio: flags.has('stdio') || env['MCP_MULTIBROKER_PROTOCOL'] === 'stdio',
    connect: connect === undefined ? undefined : hubPlace(connect),
    asking: readAsking(name, one, env),
    readOnly: flags.has('read-only'),
    decided: readDecided(flags, ACTIONS, ['read', 'write']),
    patience: readPatience(one('patience') ?? '30'),
    isTraced: !flags.has('no-trace'),
    replay: readReplay(one),
    print,
  };
}

function readReplay(one: (name: string) => string | undefined): Replay | undefined {
  const [file, dump, snapshot] = [one('replay'), one('dump-state'), one('snapshot')];
  if (file === undefined) {
    if (dump === undefined && snapshot === undefined) return undefined;
    throw usageFault('--dump-state and --snapshot go with --replay');
  }
  const size = /^(\d{2,3})x(\d{1,3})$/.exec(snapshot ?? '80x24');
  if (size === null) throw usageFault(`--snapshot takes COLUMNSxROWS, as 80x24, not ${JSON.stringify(snapshot)}`);
  const [columns, rows] = [Number(size[1]), Math.max(Number(size[2]), 2)];
  return { file, dump, isShown: snapshot !== undefined, columns, rows };
}

function readPatience(text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds > 0 && seconds <= 3600) return seconds * 1000;
  throw usageFault(`--patience is a number of seconds up to 3600, not ${JSON.stringify(text)}`);
}

function printed(flags: ReadonlyMap<string, unknown>): Options['print'] {
  if (flags.has('help')) return 'help';
  if (flags.has('version')) return 'version';
  if (flags.has('list-tools')) return 'list';
  if (flags.has('tool-help')) return 'tools';
  return flags.has('print-url') ? 'url' : undefined;
}
