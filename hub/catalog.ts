import type { Child } from './child.js';
import type { Form } from './forms.js';
import type { Catalogue } from './protocol.js';

/** The longest instructions taken from one child, in characters. */
const LONGEST = 8000;

/** What clients are told to begin with: what the names mean, then the words of each child under its alias. */
export function instructions(children: Iterable<Child>, { separator }: Form): string {
  const mark = separator === '.' ? 'dot' : separator;
  const all = [...children];
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

/** The hub's own capabilities: what it merges and passes on, whichever children are there now. */
export function capabilities(): Catalogue['capabilities'] {
  const listed = { listChanged: true };
  return { logging: {}, completions: {}, tools: listed, prompts: listed, resources: { subscribe: true, ...listed } };
}
