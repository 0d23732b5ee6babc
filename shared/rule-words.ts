import { EVERY_ACTION } from './rule.js';

/** What may stand in the rules of one kind of program. */
export interface Words {
  readonly actions: readonly string[];
  /** For the person: what a subject looks like. */
  readonly forms: string;
  /** Whether it can be told which files something concerns. */
  readonly hasPaths: boolean;
  /** Whether what has this subject may concern any file. */
  isAnywhere(subject: string): boolean;
  /** For the person: what becomes of what no rule says anything about. */
  readonly otherwise: string;
  /** The subject as it is compared, or nothing for what can be none. */
  subject(text: string): string | undefined;
  /** The same for the beginning of subjects, which ends where a part of them does. */
  prefix(text: string): string | undefined;
}

/** The classes of what a tool of mcp-vim does. */
export const VIM_ACTIONS = ['read', 'write', 'open', 'save', 'exec', 'notify', 'ui'] as const;

/** What runs a text in an editor; its subjects are `KIND:JSON:JSON`, the editor and the exact text. */
export const VIM_COMMANDS = ['ex', 'eval', 'terminal'] as const;

const KIND = `(${VIM_COMMANDS.join('|')})`;
const TEXT = '("(?:[^"\\\\]|\\\\.)*")';
const COMMAND = new RegExp(`^${KIND}:${TEXT}:${TEXT}$`, 's');
const COMMANDS = new RegExp(`^${KIND}:(?:${TEXT}:)?$`, 's');

const VIM: Words = {
  actions: VIM_ACTIONS,
  forms: 'targets, target:NAME, ex:"NAME":"COMMAND", eval:"NAME":"EXPRESSION" or terminal:"NAME":"COMMAND"',
  hasPaths: true,
  isAnywhere: (subject) => COMMAND.test(subject),
  otherwise: 'what --auto-allow says, else reading is allowed, and you are asked about the rest',
  subject: (text) => (text === 'targets' || /^target:./s.test(text) ? text : canonical(COMMAND.exec(text), '')),
  prefix: (text) => (text.startsWith('target:') ? text : canonical(COMMANDS.exec(text), ':')),
};

/** The classes of what a tool behind a hub does, by what its server says of it: looks, only adds, or may change. */
export const TOOL_ACTIONS = ['read', 'add', 'write'] as const;

/** No alias has a colon; the name of a tool may be any text. */
const TOOL = /^tool:[A-Za-z][A-Za-z0-9-]{0,31}:./s;
const TOOLS = /^tool:(?:[A-Za-z][A-Za-z0-9-]{0,31}:)?$/;

const HUB: Words = {
  actions: TOOL_ACTIONS,
  forms: 'tool:ALIAS:NAME, where NAME is what the server itself calls it',
  hasPaths: false,
  isAnywhere: () => false,
  otherwise: 'what --auto-allow says, else what only reads is allowed, and you are asked about the rest',
  subject: (text) => (TOOL.test(text) ? text : undefined),
  prefix: (text) => (TOOLS.test(text) ? text : undefined),
};

/** By the beginning of the file's name. */
const WORDS: ReadonlyMap<string, Words> = new Map([
  ['vim', VIM],
  ['hub', HUB],
]);

/** The words for a file such as `vim-default`, or nothing for what is no such name. */
export function wordsFor(stem: string): Words | undefined {
  const [, kind, name] = /^([a-z]+)-([A-Za-z0-9_][A-Za-z0-9._-]{0,63})$/.exec(stem) ?? [];
  return name === undefined ? undefined : WORDS.get(kind ?? '');
}

/** Whether that is an action in these words. */
export function isAction({ actions }: Words, text: string): boolean {
  return text === EVERY_ACTION || actions.includes(text);
}

/** JSON may be written in many ways; it is compared in one. */
function canonical(found: readonly (string | undefined)[] | null, end: string): string | undefined {
  if (found === null) return undefined;
  const [, kind = '', ...texts] = found;
  try {
    const parts = texts.filter((text) => text !== undefined).map((text) => JSON.stringify(JSON.parse(text)));
    return [kind, ...parts].join(':') + end;
  } catch {
    return undefined;
  }
}
