import type { Prompt } from '../shared/prompt.js';

/** What a button of the question stands for. */
export type Choice = 'allow' | 'deny' | 'always allow' | 'always deny' | 'deny because';

/** Whether a button is there: nothing holds for ever where there is nothing that it could hold for. */
export function isOffered(choice: Choice, { scopes }: Prompt): boolean {
  return scopes.length > 0 || !choice.startsWith('always');
}

/** The rows of a list as its input: among the arguments a scope could be an option that runs a command. */
export function rows(scopes: readonly string[]): string {
  return scopes.map((scope, index) => `${index}\n${scope}\n`).join('');
}
