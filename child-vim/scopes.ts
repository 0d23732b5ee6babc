import { visibleLine } from '../shared/escape.js';
import type { Rule } from '../shared/rule.js';
import type { VIM_COMMANDS } from '../shared/rule-words.js';

/** What an answer for ever may hold for. */
export interface Scope {
  /** For the person. */
  readonly label: string;
  readonly subject: Pick<Rule, 'subject' | 'subjectPrefix'>;
}

/** What runs a text, as a person calls it. */
const NAMES: ReadonlyMap<string, string> = new Map<(typeof VIM_COMMANDS)[number], string>([
  ['ex', 'Ex command'],
  ['eval', 'expression'],
  ['terminal', 'terminal command'],
]);

/** The scopes that are offered for a question, from the narrowest on. */
export function scopesOf({ action, subject }: { readonly action: string; readonly subject: string }): Scope[] {
  const exact = { subject };
  if (subject === 'targets') return [{ label: 'the list of editors', subject: exact }];
  const [, kind = '', editor] = /^([a-z]+):("(?:[^"\\]|\\.)*"):/s.exec(subject) ?? [];
  if (editor !== undefined) {
    const what = NAMES.get(kind) ?? kind;
    const name = visibleLine(String(JSON.parse(editor)));
    return [
      { label: `exactly this ${what} in the editor ${name}`, subject: exact },
      { label: `every ${what} in the editor ${name}`, subject: { subjectPrefix: `${kind}:${editor}:` } },
      { label: `every ${what} in all editors, also later ones`, subject: { subjectPrefix: `${kind}:` } },
    ];
  }
  const name = visibleLine(subject.slice(subject.indexOf(':') + 1));
  return [
    { label: `${action} in the editor ${name}, all its files`, subject: exact },
    { label: `${action} in all editors, also later ones`, subject: { subjectPrefix: 'target:' } },
  ];
}
