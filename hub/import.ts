import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { asFault, Fault, systemFault } from '../shared/fault.js';
import { type Flag, readFlags, usage } from '../shared/flags.js';
import { log } from '../shared/log.js';
import { configDirectory, privateDirectory } from '../shared/paths.js';
import { writePrivate } from '../shared/private-file.js';
import { CLIENT_PROGRAMS, type Person, type Place } from './clients.js';
import { readJsonc } from './jsonc.js';
import { merge, type Source } from './merge.js';

const NAMES = CLIENT_PROGRAMS.map(({ name }) => name).join(', ');

/** The options of `mcp-multibroker import`. */
export const IMPORT_FLAGS: readonly Flag[] = [
  {
    name: 'from',
    value: 'SOURCE',
    many: true,
    help: `one of ${NAMES}, or a file; may be repeated (every client that is found)`,
  },
  { name: 'to', value: 'FILE', help: 'the file to write (servers.json in the folder of the configuration)' },
  { name: 'force', help: 'replace that file if it is there' },
  { name: 'dry-run', help: 'print what would be written, and write nothing' },
  { name: 'help', help: 'print this help' },
];

const SYNOPSIS = `mcp-multibroker import [options]

Makes one file for --config of the servers that your MCP clients have, which are left as they are.`;

/** How the system says that a file is not there. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

/** A place and the client that it belongs to, or none for a file that the person named. */
interface Candidate extends Place {
  readonly title?: string;
}

/**
 * Runs `mcp-multibroker import`: says on standard error what becomes of each server.
 * @returns the text for standard output: what would be written, or the entry to paste into a client.
 * @throws Fault where nothing is found, or the file is there already.
 */
export async function importServers(argv: readonly string[]): Promise<string> {
  const flags = readFlags(IMPORT_FLAGS, argv);
  if (flags.has('help')) return usage(SYNOPSIS, IMPORT_FLAGS);
  const candidates = candidatesFor(flags.get('from') ?? []);
  const sources = await readAll(candidates);
  if (sources.length === 0) throw nothingFault(candidates);
  const { servers, report } = merge(sources, process.env);
  for (const line of report) log.info(line);
  if (servers.size === 0) throw new Fault('unknown', 'there is no server to import');
  const text = pretty({ mcpServers: Object.fromEntries(servers) });
  if (flags.has('dry-run')) return text;
  const path = await write(flags.get('to')?.[0], text, flags.has('force'));
  log.info(`${path} has ${servers.size} servers. Put this entry into your client in place of them:`);
  const args = ['mcp-multibroker', '--stdio', '--config', path];
  return pretty({ mcpServers: { tools: { command: 'npx', args } } });
}

function candidatesFor(from: readonly string[]): readonly Candidate[] {
  const person: Person = {
    platform: process.platform,
    home: homedir(),
    folder: process.cwd(),
    environment: process.env,
  };
  const chosen = from.length > 0 ? from : CLIENT_PROGRAMS.map(({ name }) => name);
  const candidates = chosen.flatMap((word): readonly Candidate[] => {
    const program = CLIENT_PROGRAMS.find(({ name }) => name === word);
    if (program === undefined) return [{ path: resolve(word) }];
    return program.places(person).map((place) => ({ ...place, title: program.title }));
  });
  // In the home folder the files of a project are those of the person.
  return candidates.filter(({ path }, at) => candidates.findIndex((other) => other.path === path) === at);
}

/** What can be read of them; a client that is not there, or whose file is broken, keeps nobody from the others. */
async function readAll(candidates: readonly Candidate[]): Promise<Source[]> {
  const found = await Promise.all(candidates.map(readOne));
  return found.filter((source) => source !== undefined);
}

async function readOne({ path, project, title }: Candidate): Promise<Source | undefined> {
  try {
    const root = readJsonc(path, await textOf(path));
    return { from: title === undefined ? path : `${title}, ${path}`, project, root };
  } catch (error) {
    const { cause, message } = asFault(error);
    if (title === undefined) throw error;
    if (!ABSENT.includes((cause as NodeJS.ErrnoException | undefined)?.code)) log.warn(`left out: ${message}`);
    return undefined;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw systemFault(`${path} cannot be read`, error, `Give a file, or one of ${NAMES}.`);
  }
}

async function write(to: string | undefined, text: string, force: boolean): Promise<string> {
  const path = to === undefined ? join(await privateDirectory(configDirectory()), 'servers.json') : resolve(to);
  if (await writePrivate(path, text, force ? 'replace' : 'keep')) return path;
  throw new Fault('busy', `${path} is there already`, {
    next: 'Add --force to replace it, or choose another one by --to.',
  });
}

function nothingFault(candidates: readonly Candidate[]): Fault {
  const paths = candidates.map(({ path }) => path).join(', ');
  return new Fault('unknown', `no MCP client was found; looked for ${paths}`, {
    next: 'Give its file by --from FILE.',
  });
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
