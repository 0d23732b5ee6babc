import { parseArgs } from 'node:util';
import { Fault } from './fault.js';

/** One command line option; a table of these is the source of parsing, `--help` and the documentation. */
export interface Flag {
  readonly name: string;
  /** What stands for the value in the usage text; a flag without it takes none. */
  readonly value?: string;
  /** Whether it may be given several times. */
  readonly many?: boolean;
  readonly help: string;
}

/** What stood on the command line, in order. */
export type Argument = { readonly flag: Flag; readonly value: string } | { readonly word: string };

/**
 * Reads a command line against a table of flags. `--name value` and `--name=value` are the same.
 * @throws Fault `invalid` for an unknown flag, a missing or a superfluous value.
 */
export function readArguments(table: readonly Flag[], argv: readonly string[]): Argument[] {
  const options = Object.fromEntries(
    table.map(({ name, value }) => [name, { type: value === undefined ? ('boolean' as const) : ('string' as const) }]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: false, tokens: true });
  const found: Argument[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') found.push({ word: token.value });
    if (token.kind === 'option') found.push(argumentOf(table, token));
  }
  return found;
}

/** The flags of a command line that takes nothing else, by name. */
export function readFlags(table: readonly Flag[], argv: readonly string[]): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const argument of readArguments(table, argv)) {
    if ('word' in argument) throw usageFault(`unexpected argument ${clue(argument.word)}`);
    addFlag(found, argument.flag, argument.value);
  }
  return found;
}

/** Adds a value to those read so far. */
export function addFlag(found: Map<string, readonly string[]>, flag: Flag, value: string): void {
  const before = found.get(flag.name) ?? [];
  if (before.length > 0 && flag.many !== true && flag.value !== undefined) {
    throw usageFault(`--${flag.name} is given twice`);
  }
  found.set(flag.name, [...before, value]);
}

/** The help text of a program. */
export function usage(synopsis: string, table: readonly Flag[]): string {
  const rows = table.map((flag) => ({ head: `  ${flagSyntax(flag)}`, help: flag.help }));
  const width = Math.max(...rows.map(({ head }) => head.length)) + 2;
  return [synopsis, '', ...rows.map(({ head, help }) => head.padEnd(width) + help), ''].join('\n');
}

/** How a flag is written: `--token T`. */
export function flagSyntax({ name, value }: Flag): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** A mistake on the command line, with the way to the help text. */
export function usageFault(message: string): Fault {
  return new Fault('invalid', message, { next: 'Run with --help for the options.' });
}

/** Characters of a word that are no secret yet. */
const CLUE = 6;

/** Enough of a word to find it on the command line. All of it is not repeated: it may be a token in the wrong place. */
export function clue(word: string): string {
  return JSON.stringify(word.length <= 2 * CLUE ? word : `${word.slice(0, CLUE)}…`);
}

function argumentOf(
  table: readonly Flag[],
  token: { name: string; rawName: string; value: string | undefined; inlineValue: boolean | undefined },
): Argument {
  const flag = table.find(({ name }) => name === token.name);
  if (flag === undefined || token.rawName !== `--${flag.name}`) throw usageFault(`unknown option ${token.rawName}`);
  if (flag.value === undefined && token.value !== undefined) throw usageFault(`--${flag.name} takes no value`);
  const isMissing = token.value === undefined || (token.inlineValue === false && token.value.startsWith('--'));
  if (flag.value !== undefined && isMissing) throw usageFault(`--${flag.name} needs a value: ${flagSyntax(flag)}`);
  return { flag, value: token.value ?? '' };
}
