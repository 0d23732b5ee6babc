import { type BindAddress, readBind } from '../shared/address.js';
import { type HubPlace, hubPlace } from '../shared/connect.js';
import { type Argument, addFlag, clue, type Flag, readArguments, usage, usageFault } from '../shared/flags.js';
import { givenTokens, TOKEN_FLAGS } from '../shared/given-tokens.js';
import { LIMIT_FLAGS, setLimits } from '../shared/limits.js';
import { TOOL_ACTIONS } from '../shared/rule-words.js';
import { checkedName } from '../shared/token.js';
import { readDecided } from '../shared/verdict.js';
import { readAsking, WAYS } from '../shared/ways.js';
import { CHILD_FLAGS, type ChildDraft, childSpec } from './child-options.js';
import type { ChildSpec } from './children.js';
import { EXPOSURES, type Expose } from './expose.js';
import { AUTO } from './forms.js';
import type { GateSettings } from './gate.js';
import { isAlias, isSeparator } from './prefix.js';

/** The hub's own options. */
export const HUB_FLAGS: readonly Flag[] = [
  { name: 'stdio', help: 'serve an MCP client on standard input and output' },
  { name: 'name', value: 'NAME', help: 'the name of this hub, from which port and token are derived (default)' },
  { name: 'bind', value: 'ADDR[:PORT]', help: 'where children dial in (127.0.0.1 and a port derived from the name)' },
  ...TOKEN_FLAGS,
  {
    name: 'separator',
    value: 'STR',
    help: 'what stands between alias and name; auto is . or __, as the client takes it (auto)',
  },
  {
    name: 'config',
    value: 'FILE',
    many: true,
    help: 'run the servers of this file too, and follow its changes; may be repeated',
  },
  {
    name: 'status',
    help: 'offer tools of the hub itself: hub.servers, hub.restart, hub.stop, hub.instructions',
  },
  {
    name: 'expose',
    value: 'all|search',
    help: "what clients see: all tools, or only the hub's own, by which the others are found and called (all)",
  },
  {
    name: 'connect',
    value: 'URL',
    many: true,
    help: 'offer everything to another hub, too: NAME/ALIAS for one of yours by its --name, or http://HOST:PORT/TOKEN/ALIAS; may be repeated, or be in MCP_MULTIBROKER_CONNECT',
  },
  {
    name: 'guard',
    help: 'ask you before a tool of any server changes something, and obey rules/hub-NAME.ini; see docs/permissions.md',
  },
  {
    name: 'auto-allow',
    value: 'ACTIONS',
    many: true,
    help: `allow without asking, and imply --guard: ${TOOL_ACTIONS.join(', ')}; * is read,add`,
  },
  {
    name: 'auto-deny',
    value: 'ACTIONS',
    many: true,
    help: 'deny without asking, and imply --guard; * is everything. Denial wins',
  },
  { name: 'read-only', help: 'offer and call only tools whose server says that they only read, and imply --guard' },
  { name: 'pin', help: 'call no tool whose definition has changed since you approved it' },
  {
    name: 'ask',
    value: 'WAY',
    help: `how to ask you: ${WAYS.join(', ')} (auto, by the client if it can ask, else by the helper)`,
  },
  { name: 'helper', value: 'PROGRAM', help: 'the helper that asks you, in place of our own; see docs/permissions.md' },
  { name: 'print-url', help: 'print the address that children dial with --connect, without the alias, and exit' },
  ...LIMIT_FLAGS,
  { name: 'help', help: 'print this help' },
  { name: 'version', help: 'print the version' },
];

const SYNOPSIS = `mcp-multibroker [options] ALIAS SOURCE [child options] ...

One MCP entry for many servers. Each child's tools appear as ALIAS.TOOL, or ALIAS__TOOL where the client refuses dots.
SOURCE is  --- PROGRAM ARG... ---   or   'stdio:COMMAND LINE'   or   http(s)://HOST/PATH.

mcp-multibroker import  makes a file for --config of what your MCP clients have; see import --help.
mcp-multibroker init  makes what the programs need, and prints what to put into your MCP client.
mcp-multibroker rotate  makes new tokens; see rotate --help.
mcp-multibroker rules  manages what is allowed without asking; see rules --help.`;

/** The whole help text. */
export function hubUsage(): string {
  return `${usage(SYNOPSIS, HUB_FLAGS)}\n${usage('Child options:', CHILD_FLAGS)}`;
}

export interface HubOptions {
  readonly stdio: boolean;
  readonly name: string;
  /** Whether the person said where to listen, so that failing to is an error. */
  readonly bound: boolean;
  readonly bind: BindAddress;
  readonly tokens: readonly string[];
  /** Between alias and name, or `auto`. */
  readonly separator: string;
  /** Whether the hub offers tools of its own. */
  readonly status: boolean;
  /** What clients see of the tools, where that is said. */
  readonly expose: Expose | undefined;
  /** Other hubs to which this one offers what it has. */
  readonly connects: readonly HubPlace[];
  /** What of permissions was switched on for all children, and how the person is asked. */
  readonly permissions: GateSettings;
  readonly mode: 'run' | 'print-url' | 'help' | 'version';
  readonly children: readonly ChildSpec[];
  /** Files with more children. */
  readonly configs: readonly string[];
}

const MARK = '---';
/** Stands for a program that was taken out; no word of a command line can hold it. */
const HOLE = '\0';

/**
 * Reads the hub's command line.
 * @throws Fault `invalid` that says which word is wrong.
 */
export async function readHubOptions(argv: readonly string[]): Promise<HubOptions> {
  const { words, programs } = takePrograms(argv);
  const hub = new Map<string, readonly string[]>();
  const children: ChildDraft[] = [];
  let alias: string | undefined;
  for (const argument of readArguments([...HUB_FLAGS, ...CHILD_FLAGS], words)) {
    if ('flag' in argument) addOption(argument, hub, children.at(-1));
    else if (alias === undefined) alias = freshAlias(argument.word, children);
    else {
      children.push({ alias, from: await source(alias, argument.word, programs), flags: new Map() });
      alias = undefined;
    }
  }
  if (alias !== undefined)
    throw usageFault(
      `the alias ${clue(alias)} has no source: give ${MARK} PROGRAM ARG... ${MARK}, 'stdio:COMMAND' or a URL`,
    );
  setLimits(hub);
  const name = checkedName(hub.get('name')?.[0] ?? 'default');
  return {
    stdio: hub.has('stdio') || process.env['MCP_MULTIBROKER_PROTOCOL'] === 'stdio',
    name,
    bound: hub.has('bind') || hub.has('name'),
    bind: readBind(hub.get('bind')?.[0] ?? ''),
    tokens: givenTokens(hub),
    separator: checkedSeparator(hub.get('separator')?.[0] ?? AUTO),
    status: hub.has('status'),
    connects: addresses(hub.get('connect')),
    expose: checkedExpose(hub.get('expose')?.[0]),
    permissions: {
      ...guarding(hub),
      pin: hub.has('pin'),
      asking: readAsking(name, (flag) => hub.get(flag)?.[0], process.env),
    },
    mode: (['help', 'version', 'print-url'] as const).find((mode) => hub.has(mode)) ?? 'run',
    children: children.map(childSpec),
    configs: hub.get('config') ?? [],
  };
}

/** What decides on calls of the tools of all servers. Whatever says something of them has them guarded. */
function guarding(hub: ReadonlyMap<string, readonly string[]>): Pick<GateSettings, 'guard' | 'decided' | 'readOnly'> {
  return {
    guard: ['guard', 'auto-allow', 'auto-deny', 'read-only'].some((name) => hub.has(name)),
    decided: readDecided(hub, TOOL_ACTIONS, ['read', 'add']),
    readOnly: hub.has('read-only'),
  };
}

/** The other hubs: those of the command line, and those of a variable, whose tokens other users of the machine do not see. */
function addresses(urls: readonly string[] = []): readonly HubPlace[] {
  const others = (process.env['MCP_MULTIBROKER_CONNECT'] ?? '').split(/\s+/).filter((url) => url !== '');
  return [...urls, ...others].map(hubPlace);
}

/** @throws Fault `invalid` for anything but one of the words. */
function checkedExpose(text: string | undefined): Expose | undefined {
  const expose = EXPOSURES.find((word) => word === text);
  if (expose === undefined && text !== undefined)
    throw usageFault(`--expose ${JSON.stringify(text)}: give ${EXPOSURES.join(' or ')}`);
  return expose;
}

type Programs = readonly (readonly string[])[];

/** Takes the `--- PROGRAM ARG... ---` groups out, leaving a mark for each, so that their words are not read as our own. */
function takePrograms(argv: readonly string[]): { words: string[]; programs: (readonly string[])[] } {
  const words: string[] = [];
  const programs: (readonly string[])[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word !== MARK) {
      words.push(word);
      continue;
    }
    const end = argv.indexOf(MARK, at + 1);
    if (end === -1) throw usageFault(`the program after ${argv[at - 1] ?? ''} ${MARK} has no closing ${MARK}`);
    programs.push(argv.slice(at + 1, end));
    words.push(`${HOLE}${programs.length - 1}`);
    at = end;
  }
  return { words, programs };
}

async function source(alias: string, word: string, programs: Programs): Promise<ChildDraft['from']> {
  if (/^https?:\/\//i.test(word)) return word;
  const words = word.startsWith(HOLE) ? (programs[Number(word.slice(HOLE.length))] ?? []) : await commandLine(word);
  if (words.length === 0) throw usageFault(`the source of ${alias} names no program`);
  return words;
}

async function commandLine(word: string): Promise<readonly string[]> {
  if (!word.startsWith('stdio:'))
    throw usageFault(`${clue(word)} is no source: give 'stdio:COMMAND', ${MARK} PROGRAM ${MARK} or a URL`);
  const { default: parse } = await import('string-argv');
  return parse(word.slice('stdio:'.length));
}

function freshAlias(word: string, children: readonly ChildDraft[]): string {
  if (word.startsWith(HOLE)) throw usageFault(`a program has no alias before its ${MARK}`);
  if (!isAlias(word))
    throw usageFault(`${clue(word)} is no alias: letters, digits and - only, a letter first, 32 at most`);
  if (children.some(({ alias }) => alias === word)) throw usageFault(`the alias ${word} is given twice`);
  return word;
}

function addOption(
  argument: Extract<Argument, { flag: Flag }>,
  hub: Map<string, readonly string[]>,
  child: ChildDraft | undefined,
): void {
  const { flag, value } = argument;
  if (HUB_FLAGS.includes(flag)) addFlag(hub, flag, value);
  else if (child === undefined) throw usageFault(`--${flag.name} belongs after the source of a child`);
  else addFlag(child.flags, flag, value);
}

function checkedSeparator(text: string): string {
  if (text === AUTO || isSeparator(text)) return text;
  throw usageFault(
    `--separator ${JSON.stringify(text)}: give auto, ., __, or up to 8 characters that begin with /, : or _ and a letter`,
  );
}
