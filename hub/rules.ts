import { readdir } from 'node:fs/promises';
import { Fault } from '../shared/fault.js';
import { addFlag, type Flag, readArguments, usage, usageFault } from '../shared/flags.js';
import { DECISIONS, type Decision } from '../shared/rule.js';
import { RuleFile, rulesDirectory } from '../shared/rule-file.js';
import { checkedRule, inserted, moved, type RuleText, removed } from '../shared/rule-text.js';
import { editRules } from './rules-edit.js';
import { listed } from './rules-list.js';
import { explain } from './rules-test.js';

/** The options of `mcp-multibroker rules`. */
export const RULES_FLAGS: readonly Flag[] = [
  { name: 'decision', value: 'D', help: `add: one of ${DECISIONS.join(', ')}` },
  { name: 'action', value: 'A', help: 'add, test: what is done, as read or write; with add, * is everything' },
  {
    name: 'subject',
    value: 'S',
    help: 'add, test: what it is done to, as target:NAME or tool:ALIAS:NAME (add: everything)',
  },
  { name: 'subject-prefix', value: 'S', help: 'add: what the subject begins with, as target: or tool:ALIAS:' },
  { name: 'path', value: 'PATH', help: 'add: a pattern for the file, as ~/notes/**; test: the file' },
  { name: 'at', value: 'N', help: 'add: the place of the new rule, from 1 (the last)' },
  { name: 'help', help: 'print this help' },
];

const SYNOPSIS = `mcp-multibroker rules COMMAND FILE [options]

The rules by which a program is allowed something without asking you, or denied. FILE is vim-NAME, with the --name of the
mcp-vim, or hub-NAME, with that of the hub, for its --guard. The first rule that matches counts.

  list             the files there are
  list FILE        the rules, with their numbers
  add FILE         a rule
  remove FILE N    takes rule N away
  move FILE N M    makes rule N number M
  edit FILE        opens the file in $VISUAL or $EDITOR, and takes it up if it has no mistake
  test FILE        which rule decides a call, and why not those before it`;

type Options = ReadonlyMap<string, readonly string[]>;

/**
 * Runs `mcp-multibroker rules`.
 * @returns the text for standard output.
 * @throws Fault `invalid` for what cannot be meant, and what reading and writing the file throw.
 */
export async function manageRules(argv: readonly string[]): Promise<string> {
  const words: string[] = [];
  const options = new Map<string, readonly string[]>();
  for (const argument of readArguments(RULES_FLAGS, argv)) {
    if ('word' in argument) words.push(argument.word);
    else addFlag(options, argument.flag, argument.value);
  }
  if (options.has('help')) return usage(SYNOPSIS, RULES_FLAGS);
  const [command = '', stem, ...numbers] = words;
  if (command === 'list' && stem === undefined) return await listFiles();
  const known = COMMANDS.get(command);
  if (known === undefined) throw usageFault(`rules takes one of ${[...COMMANDS.keys()].join(', ')}`);
  if (stem === undefined) throw usageFault(`rules ${command} needs the name of a file, as vim-default`);
  if (numbers.length !== known.numbers) throw usageFault(`rules ${command} takes ${known.numbers} numbers`);
  const wrong = [...options.keys()].find((name) => !known.options.includes(name));
  if (wrong !== undefined) throw usageFault(`rules ${command} takes no --${wrong}`);
  return await known.run(new RuleFile(stem), options, numbers.map(readNumber));
}

interface Command {
  readonly numbers: number;
  readonly options: readonly string[];
  run(file: RuleFile, options: Options, numbers: readonly number[]): Promise<string>;
}

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['list', { numbers: 0, options: [], run: async (file) => listed(file.text()) }],
  ['add', { numbers: 0, options: ['decision', 'action', 'subject', 'subject-prefix', 'path', 'at'], run: add }],
  [
    'remove',
    { numbers: 1, options: [], run: (file, _, [at = 0]) => changed(file, (text) => removed(text, inside(text, at))) },
  ],
  [
    'move',
    {
      numbers: 2,
      options: [],
      run: (file, _, [from = 0, to = 0]) => changed(file, (text) => moved(text, inside(text, from), inside(text, to))),
    },
  ],
  ['edit', { numbers: 0, options: [], run: async (file) => listed(await editRules(file)) }],
  ['test', { numbers: 0, options: ['action', 'subject', 'path'], run: explain }],
]);

async function listFiles(): Promise<string> {
  const names = await readdir(rulesDirectory()).catch(() => []);
  return names
    .filter((name) => name.endsWith('.ini'))
    .sort()
    .map((name) => `${name.slice(0, -'.ini'.length)}\n`)
    .join('');
}

async function add(file: RuleFile, options: Options): Promise<string> {
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const [subject, subjectPrefix, path, at] = [one('subject'), one('subject-prefix'), one('path'), one('at')];
  if (subject !== undefined && subjectPrefix !== undefined) throw usageFault('give --subject or --subject-prefix');
  const rule = checkedRule(
    {
      decision: (one('decision') ?? '') as Decision,
      action: one('action') ?? '',
      ...(subject === undefined ? {} : { subject }),
      ...(subjectPrefix === undefined ? {} : { subjectPrefix }),
      ...(path === undefined ? {} : { path }),
    },
    file.words,
  );
  return await changed(file, (text) => {
    const end = text.sections.length;
    return inserted(text, rule, at === undefined ? end : Math.min(readNumber(at), end));
  });
}

/** Changes the rules and lists them as they are then. */
async function changed(file: RuleFile, change: (text: RuleText) => RuleText): Promise<string> {
  let after: RuleText | undefined;
  await file.change((text) => {
    after = change(text);
    return after;
  });
  return after === undefined ? '' : listed(after);
}

function inside({ sections }: RuleText, at: number): number {
  if (at < sections.length) return at;
  throw new Fault('unknown', `there is no rule ${at + 1}`, { next: `There are ${sections.length}.` });
}

/** A place that is counted from 1, counted from 0. */
function readNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text) - 1;
  throw usageFault(`${JSON.stringify(text)} is no number of a rule`);
}
