import type { Child } from './child.js';
import type { Expose } from './expose.js';
import type { Form } from './forms.js';
import { MODERN, TASKS } from './modern.js';
import { type Catalogue, OWN_ALIAS, REVISIONS } from './protocol.js';

/** The longest instructions taken from one child, in characters. */
const LONGEST = 8000;

/** What clients are told to begin with: what the names mean, then the words of each child under its alias. */
export function instructions(children: Iterable<Child>, { separator }: Form, expose: Expose): string {
  const all = [...children];
  if (expose === 'search') return searchInstructions(all, separator);
  const mark = separator === '.' ? 'dot' : separator;
  const bare = all.filter(({ exposure }) => !exposure.prefixed).map(({ alias }) => alias);
  const rest = bare.length === 0 ? '' : ` Tools without such a part belong to: ${bare.join(', ')}.`;
  const parts = [
    `Each tool belongs to one server: the part of its name before the first ${mark} names the server.${rest}`,
  ];
  for (const { alias, catalogue } of all) {
    const text = catalogue?.instructions;
    if (text !== undefined && text !== '') parts.push(`## ${alias}\n\n${text.slice(0, LONGEST)}`);
  }
  return parts.join('\n\n');
}

/** Which servers there are, and how their tools are come by; all else is to be asked for. */
function searchInstructions(children: readonly Child[], separator: string): string {
  const tool = (name: string): string => OWN_ALIAS + separator + name;
  const aliases = children.map(({ alias }) => alias).filter((alias) => alias !== OWN_ALIAS);
  return `Behind this hub are servers with more tools than are listed: ${aliases.join(', ') || 'none yet'}. Find a tool by ${tool('find')} and call it by ${tool('call')}; ${tool('describe')} has the schema of its arguments. ${tool('instructions')} tells what a server says of its use: ask before its first call.`;
}

/** The hub's own capabilities in a revision: what it merges and passes on, whichever children are there now. */
export function capabilities(revision: string): Catalogue['capabilities'] {
  const listed = { listChanged: true };
  return {
    logging: {},
    completions: {},
    tools: listed,
    prompts: listed,
    resources: { subscribe: true, ...listed },
    ...tasksOf(revision),
  };
}

function tasksOf(revision: string): Catalogue['capabilities'] {
  if (revision === MODERN) return { extensions: { [TASKS]: {} } };
  return revision === REVISIONS[0] ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } : {};
}
