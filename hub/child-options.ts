import { Fault } from '../shared/fault.js';
import { clue, type Flag, flagSyntax, usageFault } from '../shared/flags.js';
import type { ChildSpec } from './children.js';
import { AUTO } from './forms.js';
import type { Era } from './modern.js';
import type { RemoteSpec } from './remote.js';
import type { ProgramSpec } from './spawn.js';

/** Options of one child, after its source. */
export const CHILD_FLAGS: readonly Flag[] = [
  { name: 'eager', help: 'start it with the hub, not with its first call' },
  { name: 'required', help: 'end the hub with an error when it cannot be started the first time' },
  {
    name: 'allow',
    value: 'GLOB',
    many: true,
    help: 'offer only tools and prompts so named (* and ?); may be repeated',
  },
  {
    name: 'deny',
    value: 'GLOB',
    many: true,
    help: 'never offer those so named, whatever --allow says; may be repeated',
  },
  { name: 'per-client', help: 'run it once for each client, from its first call to the end of its session' },
  { name: 'no-prefix', help: 'show its names without its alias' },
  { name: 'era', value: 'E', help: 'speak to it as before 2026-07-28 (legacy) or from then on (modern) only (auto)' },
  { name: 'timeout', value: 'S', help: 'fail a call after so many seconds without answer or progress (never)' },
  { name: 'idle', value: 'S', help: 'stop it after so many seconds without any call, until the next one (never)' },
  { name: 'env', value: 'K=V', many: true, help: 'set a variable in its environment; may be repeated' },
  { name: 'cwd', value: 'DIR', help: 'the folder it runs in' },
  { name: 'bearer', value: 'T', help: 'the token for a server that is reached by a URL' },
  {
    name: 'header',
    value: 'K: V',
    many: true,
    help: 'a header for a server that is reached by a URL; may be repeated',
  },
  {
    name: 'oauth-id',
    value: 'ID',
    help: 'how the hub is known where you sign in, if it may not introduce itself there',
  },
  { name: 'oauth-secret', value: 'S', help: 'the secret that goes with --oauth-id' },
  { name: 'oauth-document', value: 'URL', help: 'the address of a document that describes the hub where you sign in' },
];

type Flags = ReadonlyMap<string, readonly string[]>;

/** A child as it is written: what its flags mean is not read yet. */
export interface ChildDraft {
  readonly alias: string;
  /** The words of a command, or a URL. */
  readonly from: readonly string[] | string;
  /** The values of each flag, by its name; `''` where it takes none. */
  readonly flags: Map<string, readonly string[]>;
}

/**
 * Reads the flags of a child.
 * @throws Fault `invalid` that says which one is wrong.
 */
export function childSpec({ alias, from, flags }: ChildDraft): ChildSpec {
  const eager = flags.has('eager');
  const [timeout, idle] = [seconds(flags, 'timeout'), seconds(flags, 'idle')];
  const era = eraOf(flags.get('era')?.[0] ?? AUTO);
  if (eager && idle !== undefined)
    throw usageFault(`--idle is for a child that starts with its first call, and ${alias} is --eager`);
  return {
    alias,
    eager,
    required: flags.has('required'),
    prefixed: !flags.has('no-prefix'),
    allow: flags.get('allow') ?? [],
    deny: flags.get('deny') ?? [],
    ...(era === undefined ? {} : { era }),
    ...(flags.has('per-client') ? { perClient: true } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    ...(idle === undefined ? {} : { idle }),
    source: typeof from === 'string' ? remoteSource(alias, from, flags) : programSource(alias, from, flags),
  };
}

function programSource(alias: string, [program = '', ...args]: readonly string[], flags: Flags): ProgramSpec {
  refuseFlags(
    alias,
    flags,
    ['bearer', 'header', 'oauth-id', 'oauth-secret', 'oauth-document'],
    'a server that is reached by a URL',
  );
  return { program, args, cwd: flags.get('cwd')?.[0], env: new Map((flags.get('env') ?? []).map(variable)) };
}

function remoteSource(alias: string, url: string, flags: Flags): RemoteSpec {
  refuseFlags(alias, flags, ['env', 'cwd'], 'a program');
  if (!URL.canParse(url)) throw usageFault(`the address of ${alias} is no URL`);
  const headers = new Map((flags.get('header') ?? []).map(header));
  const token = flags.get('bearer')?.[0];
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const client = oauthClient(flags);
  return { url, headers, ...(client === undefined ? {} : { client }) };
}

function oauthClient(flags: Flags): RemoteSpec['client'] {
  const [id, secret, document] = ['oauth-id', 'oauth-secret', 'oauth-document'].map((name) => flags.get(name)?.[0]);
  if (document !== undefined && !(URL.canParse(document) && /^https:\/\/[^/]+\/./.test(document)))
    throw usageFault(`--oauth-document ${clue(document)} is no https address of a document`);
  if (secret !== undefined && id === undefined) throw usageFault('--oauth-secret is for --oauth-id, which is missing');
  return id === undefined && document === undefined ? undefined : { id, secret, document };
}

function refuseFlags(alias: string, flags: Flags, names: readonly string[], what: string): void {
  const wrong = names.find((name) => flags.has(name));
  if (wrong !== undefined) throw usageFault(`--${wrong} is for ${what}, and ${alias} is not`);
}

/** A header as it is written, name and value; what would break out of its line is refused, and not repeated. */
function header(text: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw usageFault(`a --header is not 'NAME: VALUE', in plain characters`);
  return [name.toLowerCase(), value];
}

/** The longest time that a timer takes, in seconds. */
const LONGEST = 2_000_000;

/** A number of seconds as milliseconds, where the flag was given. */
function seconds(flags: Flags, name: string): number | undefined {
  const text = flags.get(name)?.[0];
  if (text === undefined) return undefined;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value <= 0 || value > LONGEST)
    throw usageFault(`--${name} ${text}: give seconds, more than 0 and at most ${LONGEST}`);
  return value * 1000;
}

function eraOf(text: string): Era | undefined {
  if (text === 'legacy' || text === 'modern') return text;
  if (text === AUTO) return undefined;
  throw usageFault(`--era ${JSON.stringify(text)}: give auto, legacy or modern`);
}

function variable(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at <= 0)
    throw new Fault('invalid', 'an --env is not K=V', {
      next: `Write ${flagSyntax({ name: 'env', value: 'NAME=VALUE', help: '' })}.`,
    });
  return [text.slice(0, at), text.slice(at + 1)];
}
