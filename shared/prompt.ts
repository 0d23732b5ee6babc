/**
 * What a program that asks the person gets, as one line of JSON. The texts are escaped already: nothing in them can move
 * the cursor, hide or look like something else.
 */
export interface Prompt {
  /** Who asks; to be shown before anything else. */
  readonly from: string;
  /** What is to be allowed, in one line. */
  readonly message: string;
  /** All of the command or the changes, with how long it is. */
  readonly details?: string;
  readonly action: string;
  readonly subject: string;
  /** What an answer for ever may hold for, from the narrowest on. */
  readonly scopes: readonly string[];
  /** Whether the terminal may be used that this program runs in. */
  readonly terminal: boolean;
}

/** All that a person has to see of a question, who asks first. */
export function wholeText({ from, message, details }: Prompt): string {
  return `${from}: ${message}${details === undefined ? '' : `\n\n${details}`}`;
}

/** What the person said. */
export interface Answer {
  readonly decision: 'allow' | 'deny';
  /** The scope it holds for from now on, as an index; without it, it holds once. */
  readonly scope?: number;
  /** For the model. */
  readonly reason?: string;
}

/** The longest reason that is passed on. */
const LONGEST_REASON = 2000;

/** Why a program that asks could not, if it says so in its line: `{"error": …}`. */
export function readError(line: string): string | undefined {
  const found = objectIn(line)?.['error'];
  return typeof found === 'string' ? found : undefined;
}

/** The answer in a line of JSON, or nothing for what is none. */
export function readAnswer(line: string, scopes: number): Answer | undefined {
  const { decision, scope, reason = '' } = objectIn(line) ?? {};
  if ((decision !== 'allow' && decision !== 'deny') || typeof reason !== 'string') return undefined;
  if (scope !== undefined && !(Number.isInteger(scope) && Number(scope) >= 0 && Number(scope) < scopes))
    return undefined;
  return {
    decision,
    ...(scope === undefined ? {} : { scope: Number(scope) }),
    ...(reason.trim() === '' ? {} : { reason: reason.trim().slice(0, LONGEST_REASON) }),
  };
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Characters of a text that are shown at most; nothing longer can be allowed. */
export const MOST_SHOWN = 8 * 1024 * 1024;
