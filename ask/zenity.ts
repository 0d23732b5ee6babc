import { wholeText } from '../shared/prompt.js';
import { type Choice, isOffered, rows } from './choice.js';
import type { Windows } from './windows.js';

/** The labels are what zenity prints for a button of ours. */
const EXTRA: ReadonlyMap<string, Choice> = new Map([
  ['Allow once', 'allow'],
  ['Always allow…', 'always allow'],
  ['Always deny…', 'always deny'],
]);

/** The windows in zenity(1), whose texts are markup where it cannot be told otherwise. */
export const zenity: Windows = {
  program: 'zenity',
  question: (prompt) => ({
    args: [
      '--text-info',
      ...common(prompt.from),
      // Enter comes to this one, and Escape to the next.
      '--ok-label=Deny, because…',
      '--cancel-label=Deny',
      '--font=monospace 10',
      ...[...EXTRA].filter(([, choice]) => isOffered(choice, prompt)).map(([label]) => `--extra-button=${label}`),
    ],
    input: wholeText(prompt),
    meaning: (code, output) => (code === 0 ? 'deny because' : (EXTRA.get(output) ?? 'deny')),
  }),
  scopes: (title, scopes) => ({
    args: [
      '--list',
      ...common(title),
      `--text=${plain(title)}`,
      '--hide-header',
      '--column=number',
      '--column=scope',
      '--hide-column=1',
      '--print-column=1',
    ],
    input: rows(scopes),
    meaning: (code, output) => (code === 0 && /^\d+$/.test(output) ? Number(output) : undefined),
  }),
  reason: (title) => ({
    args: ['--entry', ...common(title), `--text=${plain(title)}`],
    meaning: (code, output) => (code === 0 ? output : ''),
  }),
};

function common(title: string): string[] {
  return [`--title=${title}`, '--width=720', '--height=420'];
}

function plain(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
