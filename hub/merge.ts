import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { asFault } from '../shared/fault.js';
import { CHILD_FLAGS } from './child-options.js';
import { withoutEditorVariables } from './clients.js';
import { LEFT_OUT } from './config.js';
import { type Entry, leftOut, readEntry, runsHub, tablesOf, unknownMembers } from './entry.js';
import { expanded } from './expand.js';
import { aliasFor } from './prefix.js';
import { objectOf } from './protocol.js';

/** A decoded file of an MCP client. */
export interface Source {
  /** Where it is, for the person. */
  readonly from: string;
  /** The project in which its servers run, if it belongs to one. */
  readonly project: string | undefined;
  readonly root: unknown;
}

/** The servers of several clients as one. */
export interface Merged {
  /** For `mcpServers`, by alias. */
  readonly servers: ReadonlyMap<string, object>;
  /** One line for each server that was found: where, what became of it, and why. */
  readonly report: readonly string[];
}

/** Merges the servers of these files; of those that are the same the first counts. */
export function merge(sources: readonly Source[], environment: NodeJS.ProcessEnv): Merged {
  const merger = new Merger(environment);
  for (const source of sources.flatMap(withProjects)) {
    for (const [, table] of tablesOf(source.root)) {
      for (const [name, value] of Object.entries(objectOf(table))) merger.take(name, value, source);
    }
  }
  return merger;
}

/** Claude Code keeps the servers of single projects in one file with those of the person. */
function withProjects(source: Source): Source[] {
  const projects = Object.entries(objectOf(objectOf(source.root)['projects']));
  return [source, ...projects.map(([project, root]) => ({ from: `${source.from} for ${project}`, project, root }))];
}

/** The members that are written, in this order. */
const WRITTEN = [
  ...new Set(['command', 'args', 'env', 'cwd', 'url', 'headers', ...CHILD_FLAGS.map(({ name }) => name), 'disabled']),
];

class Merger implements Merged {
  readonly servers = new Map<string, object>();
  readonly report: string[] = [];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #taken = new Map<string, { readonly entry: Entry; readonly from: string }>();

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  take(name: string, value: unknown, source: Source): void {
    let fate: string;
    try {
      const entry = readEntry(inProject(value, source.project));
      const reason = reasonAgainst(entry);
      fate = reason === undefined ? this.#add(name, entry, source, unknownMembers(value)) : `left out, ${reason}`;
    } catch (error) {
      fate = `left out, ${asFault(error).message}`;
    }
    this.report.push(`${name}: ${fate} (${source.from})`);
  }

  /** Adds a server, unless it is there; what to say of that. */
  #add(name: string, entry: Entry, { from, project }: Source, unknown: readonly string[]): string {
    const place = this.#placeFor(name, entry);
    if (typeof place !== 'string') return `left out, it is the same as in ${place.from}`;
    this.#taken.set(place, { entry, from });
    const { unset, impossible } = this.#variables(entry);
    const isPlaced = project === undefined || entry.url !== undefined || entry.cwd?.startsWith('$') === true;
    const folder = isPlaced ? entry.cwd : resolve(project, entry.cwd ?? '');
    const members: Entry = { ...entry, cwd: folder, disabled: impossible.length > 0 ? true : undefined };
    this.servers.set(place, Object.fromEntries(WRITTEN.map((name) => [name, members[name]])));
    return [
      place === name ? 'imported' : `imported as ${place}`,
      ...(unknown.length === 0 ? [] : [`without ${unknown.join(', ')}, which the hub does not know`]),
      ...(unset.length === 0 ? [] : [`needs ${unset.join(', ')} in the environment of the hub`]),
      ...impossible.map((what) => `disabled until you edit it: ${what}`),
    ].join('; ');
  }

  /** The alias for a server, or the one that is the same and has it already. */
  #placeFor(name: string, entry: Entry): string | { readonly from: string } {
    for (let count = 1; ; count += 1) {
      const alias = aliasFor(count === 1 ? name : `${name}-${count}`);
      const other = this.#taken.get(alias);
      if (other === undefined) return alias;
      if (isSame(entry, other.entry)) return other;
    }
  }

  /** Which variables are not set here, and what no variable can stand for. */
  #variables(entry: Entry): { readonly unset: readonly string[]; readonly impossible: readonly string[] } {
    const names = new Set<string>();
    const impossible: string[] = [];
    expanded(entry, this.#environment, ({ place, what, unset }) => {
      if (unset === undefined) impossible.push(`${place}: ${what}`);
      else names.add(unset);
    });
    return { unset: [...names], impossible };
  }
}

/** Why a server is not to be imported. */
function reasonAgainst(entry: Entry): string | undefined {
  const { command = '', args = [], url } = entry;
  const reason = leftOut(entry);
  if (reason !== undefined) return LEFT_OUT[reason];
  if (url !== undefined) return undefined;
  if (command === '') return 'it has no "command"';
  return runsHub([command, ...args]) ? 'it is this hub itself' : undefined;
}

/** The same program with the same arguments and variables, wherever it runs. */
function isSame(one: Entry, other: Entry): boolean {
  const essence = ({ command, args = [], env = {}, url, headers = {} }: Entry): unknown => [
    command,
    args,
    env,
    url,
    headers,
  ];
  return isDeepStrictEqual(essence(one), essence(other));
}

/** Every text in a value without the variables that an editor would set. */
function inProject(value: unknown, project: string | undefined): unknown {
  if (typeof value === 'string') return withoutEditorVariables(value, project);
  if (Array.isArray(value)) return value.map((each) => inProject(each, project));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inProject(each, project)]));
}
