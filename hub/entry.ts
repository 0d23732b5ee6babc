import { basename } from 'node:path';
import { z } from 'zod';
import { Fault } from '../shared/fault.js';
import type { Flag } from '../shared/flags.js';
import { CHILD_FLAGS } from './child-options.js';
import { type JsonObject, objectOf } from './protocol.js';

/** The members that hold servers: in most clients, in VS Code, in Zed. */
const TABLES = ['mcpServers', 'servers', 'context_servers'] as const;

/** The tables of servers in a decoded file, by the member that holds them. */
export function tablesOf(root: unknown): (readonly [member: string, table: unknown])[] {
  const members = objectOf(root);
  return TABLES.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]]);
}

/** One server as MCP clients write it; the other members are child options. */
export interface Entry {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, Scalar | null>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Other names and descriptions, by the server's own names. */
  readonly rename?: Readonly<Record<string, string>> | undefined;
  readonly describe?: Readonly<Record<string, string>> | undefined;
  /** What else may be switched on for all servers on the command line. */
  readonly guard?: boolean | undefined;
  readonly pin?: boolean | undefined;
  readonly type?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly enabled?: boolean | undefined;
  /** Zed: `extension` where an extension brings the server, which has settings then. */
  readonly source?: unknown;
  readonly [option: string]: unknown;
}

type Scalar = string | number | boolean;

/** Why an entry starts no child. */
export type LeftOut = 'disabled' | 'extension';

const text = z.string({ error: 'must be a text in quotes' });
const bool = z.boolean({ error: 'must be true or false' });
const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'must be a text, a number, true or false' });
const texts = z.array(text, { error: 'must be a list of texts, such as ["--port", "80"]' });
const variables = z.record(
  z.string().regex(/^[^=\0]+$/),
  z.union([scalar, z.null()], { error: 'must be a text in quotes' }),
  {
    error: ({ code }) =>
      code === 'invalid_key' ? 'is no name of a variable' : 'must be an object, such as {"NAME": "value"}',
  },
);

const pairs = z.record(z.string().min(1), text, { error: 'must be an object, such as {"NAME": "value"}' });

const FIXED = { command: text, args: texts, env: variables, cwd: text, url: text, headers: pairs, type: text };
const NAMES = { rename: pairs, describe: pairs };
const PERMISSIONS = { guard: bool, pin: bool };
const STATE = { disabled: bool, enabled: bool, source: z.unknown(), settings: z.unknown() };
const OPTIONS = Object.fromEntries(CHILD_FLAGS.map((flag) => [flag.name, optionSchema(flag)]));
const ENTRY = z.object(
  Object.fromEntries(
    Object.entries({ ...OPTIONS, ...FIXED, ...NAMES, ...PERMISSIONS, ...STATE }).map(([name, schema]) => [
      name,
      schema.optional(),
    ]),
  ),
  { error: 'must be an object with the "command" that starts it' },
);

/** Members that say nothing which the hub would have to follow. */
const IDLE: readonly string[] = ['dev', 'gallery', 'version', 'description'];

/**
 * Reads one entry.
 * @throws Fault `invalid` that names each wrong member by its place, such as `args[1]`.
 */
export function readEntry(value: unknown): Entry {
  const read = ENTRY.safeParse(flattened(value));
  if (read.success) return read.data as Entry;
  const mistakes = read.error.issues.map(({ path, message }) => `${placeOf(path)} ${message}`.trim());
  throw new Fault('invalid', mistakes.join('; '));
}

/** Why this entry starts no child, if it does not. */
export function leftOut(entry: Entry): LeftOut | undefined {
  const { command, url, disabled, enabled, source } = entry;
  if (disabled === true || enabled === false) return 'disabled';
  if (url !== undefined) return undefined;
  if (command === undefined && (source === 'extension' || 'settings' in entry)) return 'extension';
  return undefined;
}

/** The names of the members of an entry that the hub does not know, though they may mean something elsewhere. */
export function unknownMembers(value: unknown): readonly string[] {
  return Object.keys(objectOf(value)).filter((name) => !Object.hasOwn(ENTRY.shape, name) && !IDLE.includes(name));
}

/** Whether a command line starts this program, by itself or through a package runner. */
export function runsHub(words: readonly string[]): boolean {
  return words.some((word) => /^mcp-multibroker(@[^/]*|\.[cm]?js|\.cmd|\.exe)?$/.test(basename(word)));
}

/** Its child options as the command line gives them. */
export function flagsOf(entry: Entry): Map<string, readonly string[]> {
  const flags = new Map<string, readonly string[]>();
  for (const flag of CHILD_FLAGS) {
    const given = valuesOf(flag, entry[flag.name]);
    const values =
      flag.name === 'env' ? assignments(entry.env) : flag.name === 'header' ? [...headersOf(entry), ...given] : given;
    if (values.length > 0) flags.set(flag.name, values);
  }
  return flags;
}

/** A variable that is null is one that is not to be set. */
function assignments(env: Entry['env'] = {}): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
}

function headersOf({ headers = {} }: Entry): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function valuesOf(flag: Flag, value: unknown): readonly string[] {
  if (value === undefined || (value === false && flag.value === undefined)) return [];
  if (flag.value === undefined) return [''];
  return (Array.isArray(value) ? value : [value]).map(String);
}

function optionSchema({ value, many }: Flag): z.ZodType {
  if (value === undefined) return bool;
  return many === true ? z.union([scalar, z.array(scalar)], { error: 'must be a text or a list of texts' }) : scalar;
}

/** Zed once wrote the command as an object with path, args and env; a member that is null is one that is not there. */
function flattened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { command, ...others } = value as JsonObject;
  const { path, ...inner } = objectOf(command);
  const members = path === undefined ? { ...others, command } : { ...others, ...inner, command: path };
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== null && member !== undefined));
}

/** A place in an entry as it would be written: `args[1]`, `env.TOKEN`. */
function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${String(part)}`))
    .join('');
}
