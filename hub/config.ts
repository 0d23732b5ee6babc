import { dirname, resolve } from 'node:path';
import { asFault, Fault } from '../shared/fault.js';
import { childSpec } from './child-options.js';
import type { ChildSpec } from './children.js';
import { type Entry, flagsOf, type LeftOut, leftOut, readEntry, runsHub, tablesOf, unknownMembers } from './entry.js';
import { expanded } from './expand.js';
import { EXPOSURES, type Expose } from './expose.js';
import { readStrictJsonc } from './jsonc.js';
import { aliasFor } from './prefix.js';
import { objectOf } from './protocol.js';

/** What a configuration file comes to. */
export interface Config {
  readonly children: readonly ChildSpec[];
  /** What clients see of the tools, where the file says that. */
  readonly expose: Expose | undefined;
  /** What the person should know although it is no error. */
  readonly remarks: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const EXAMPLE = 'Write {"mcpServers": {"NAME": {"command": "PROGRAM", "args": ["ARG"]}}}.';

/** Why an entry is left out, in words. */
export const LEFT_OUT: Readonly<Record<LeftOut, string>> = {
  disabled: 'it is disabled',
  extension: 'it has no "command", only Zed can start what its extensions bring',
};

/**
 * Reads the servers of a configuration file as MCP clients have it, see `docs/configuration.md`. A file with a mistake
 * is refused as a whole, so that no half of a configuration ever runs.
 * @throws Fault `invalid` that names file, server and key of every mistake.
 */
export function readConfig(path: string, text: string, environment: Environment = process.env): Config {
  const root = readStrictJsonc(path, text);
  const tables = tablesOf(root);
  if (tables.length === 0) {
    throw new Fault('invalid', `${path} has no member "mcpServers"`, { next: EXAMPLE });
  }
  const reader = new Reader(path, environment);
  const expose = reader.exposeOf(objectOf(root)['expose']);
  for (const [member, table] of tables) {
    if (typeof table === 'object' && table !== null && !Array.isArray(table)) {
      for (const [name, value] of Object.entries(table)) reader.take(name, value);
    } else reader.mistakes.push(`${member} must be an object of servers by name`);
  }
  if (reader.mistakes.length > 0) throw new Fault('invalid', `${path}: ${reader.mistakes.join('; ')}`);
  return {
    children: [...reader.children.values()],
    expose,
    remarks: reader.remarks.map((remark) => `${path}: ${remark}`),
  };
}

/** Takes one entry after the other and notes all that is to say of them. */
class Reader {
  readonly children = new Map<string, ChildSpec>();
  readonly mistakes: string[] = [];
  readonly remarks: string[] = [];
  readonly #path: string;
  readonly #environment: Environment;

  constructor(path: string, environment: Environment) {
    this.#path = path;
    this.#environment = environment;
  }

  exposeOf(value: unknown): Expose | undefined {
    const expose = EXPOSURES.find((word) => word === value);
    if (expose === undefined && value !== undefined) this.mistakes.push(`expose must be "${EXPOSURES.join('" or "')}"`);
    return expose;
  }

  take(name: string, value: unknown): void {
    const server = `server ${JSON.stringify(name)}`;
    try {
      const remark = (what: string): unknown => this.remarks.push(`${server} ${what}`);
      this.#take(name, readEntry(value), remark);
      const unknown = unknownMembers(value);
      if (unknown.length > 0) remark(`has members that mean nothing here: ${unknown.join(', ')}`);
    } catch (error) {
      this.mistakes.push(`${server}: ${asFault(error).text}`);
    }
  }

  #take(name: string, entry: Entry, remark: (what: string) => unknown): void {
    const reason = leftOut(entry);
    if (reason === 'disabled') return;
    if (reason !== undefined) {
      remark(`is left out: ${LEFT_OUT[reason]}`);
      return;
    }
    const complete = completed(entry, this.#environment);
    const { command = '', args = [], url } = complete;
    if (command === '' && url === undefined) throw new Fault('invalid', 'it has neither "command" nor "url"');
    if (this.#isThisHub([command, ...args])) {
      remark('is left out: it is this hub itself');
      return;
    }
    const alias = aliasFor(name);
    if (this.children.has(alias)) throw new Fault('invalid', `another one has the alias ${alias}: rename one of them`);
    if (alias !== name) remark(`has the alias ${alias}`);
    const { rename, describe, guard, pin } = complete;
    this.children.set(alias, {
      ...childSpec({ alias, from: url ?? [command, ...args], flags: flagsOf(this.#placed(complete)) }),
      ...(rename === undefined ? {} : { rename: new Map(Object.entries(rename)) }),
      ...(describe === undefined ? {} : { describe: new Map(Object.entries(describe)) }),
      ...(guard === undefined ? {} : { guard }),
      ...(pin === undefined ? {} : { pin }),
    });
  }

  /** A folder is meant from where the file lies. */
  #placed(entry: Entry): Entry {
    return entry.cwd === undefined ? entry : { ...entry, cwd: resolve(dirname(this.#path), entry.cwd) };
  }

  /** A hub that starts itself with the file which says so would never end doing that. */
  #isThisHub(words: readonly string[]): boolean {
    const path = resolve(this.#path);
    return runsHub(words) && words.some((word) => resolve(word.replace(/^--config=/, '')) === path);
  }
}

/** @throws Fault `invalid` for variables that are not set. */
function completed(entry: Entry, environment: Environment): Entry {
  const complaints: string[] = [];
  const complete = expanded(entry, environment, ({ place, what }) => complaints.push(`${place}: ${what}`));
  if (complaints.length > 0) throw new Fault('invalid', complaints.join('; '));
  return complete as Entry;
}
