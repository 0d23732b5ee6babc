import { wholeText } from '../shared/prompt.js';
import { type Choice, isOffered, rows } from './choice.js';
import type { Windows } from './windows.js';

const CHOICES: ReadonlyMap<number, Choice> = new Map([
  [10, 'allow'],
  [11, 'always allow'],
  [12, 'deny'],
  [13, 'always deny'],
  [14, 'deny because'],
]);
const LABELS: Readonly<Record<Choice, string>> = {
  deny: 'Deny',
  'deny because': 'Deny, because…',
  'always deny': 'Always deny…',
  'always allow': 'Always allow…',
  allow: 'Allow once',
};

/** The windows in yad(1). Its markup is off; in texts among its arguments a backslash would mean something. */
export const yad: Windows = {
  program: 'yad',
  question: (prompt) => ({
    args: [
      '--text-info',
      ...common(prompt.from),
      '--wrap',
      '--margins=6',
      '--fontname=monospace 10',
      ...[14, 13, 12, 11, 10]
        .map((code) => [code, CHOICES.get(code) ?? 'deny'] as const)
        .filter(([, choice]) => isOffered(choice, prompt))
        .map(([code, choice]) => `--button=${LABELS[choice]}:${code}`),
    ],
    input: wholeText(prompt),
    meaning: (code) => CHOICES.get(code) ?? 'deny',
  }),
  scopes: (title, scopes) => ({
    args: [
      '--list',
      ...common(title),
      `--text=${title}`,
      '--no-headers',
      '--column=number:NUM',
      '--column=scope:TEXT',
      '--hide-column=1',
      '--print-column=1',
      '--separator=',
      '--button=Cancel:1',
      '--button=OK:0',
    ],
    input: rows(scopes),
    meaning: (code, output) => (code === 0 && /^\d+$/.test(output) ? Number(output) : undefined),
  }),
  reason: (title) => ({
    args: ['--entry', ...common(title), `--text=${title}`],
    meaning: (code, output) => (code === 0 ? output : ''),
  }),
};

function common(title: string): string[] {
  return [`--title=${title}`, '--no-markup', '--center', '--on-top', '--width=720', '--height=420'];
}
