import type { Prompt } from '../shared/prompt.js';

/** What a button of the question stands for. */
export type Choice = 'allow' | 'deny' | 'always allow' | 'always deny' | 'deny because';

/** Whether a button is there: nothing holds for ever where there is nothing that it could hold for. */
export function isOffered(choice: Choice, { scopes }: Prompt): boolean {
  return scopes.length > 0 || !choice.startsWith('always');
}
