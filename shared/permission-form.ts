import { preview } from './escape.js';
import { Fault } from './fault.js';
import type { Answer } from './prompt.js';
import { leaveWhole } from './whole-text.js';

/** What a client is to ask by a form. */
export interface FormQuestion {
  /** In one line, with nothing in it that could deceive. */
  readonly message: string;
  /** All that is to be allowed, as it is. */
  readonly details?: string;
  /** What an answer for ever may hold for, from the narrowest on. */
  readonly scopes: readonly string[];
}

/** Characters of the details that go into a message; of what is longer, all is in a file. */
const SHOWN = 10_000;

const DECISIONS = ['allow', 'allow always', 'deny', 'deny always'];

/** Whether a client shows forms, by its capability; `{}` means forms, as in the revisions that knew nothing else. */
export function asksForms(capability: unknown): boolean {
  if (typeof capability !== 'object' || capability === null) return false;
  return 'form' in capability || !('url' in capability);
}

/**
 * The question as `elicitation/create` puts it, and the file with the whole text if the message has not all of it.
 * @throws Fault `denied` for more than can be looked at.
 */
export async function permissionForm(question: FormQuestion) {
  const { message, details } = question;
  const whole = details !== undefined && isCut(question) ? await leaveWhole(message, details) : undefined;
  return {
    whole,
    request: {
      message: details === undefined ? message : `${message}\n\n${preview(details, SHOWN)}${hint(whole)}`,
      requestedSchema: form(question, whole),
    },
  };
}

/**
 * What a filled form comes to; whatever is not a clear yes is a no.
 * @throws Fault `denied` for a yes to what was not read to its end.
 */
export function formAnswer(question: FormQuestion, content: Readonly<Record<string, unknown>>): Answer {
  const { decision, scope, reason, seen } = content;
  const isAllowed = decision === 'allow' || decision === 'allow always';
  if (isAllowed && isCut(question) && seen !== true) {
    throw new Fault('denied', 'the person said yes, but not that they have read all of it', {
      next: 'Ask them to, or do it in smaller parts.',
    });
  }
  const isLasting = decision === 'allow always' || decision === 'deny always';
  const chosen = question.scopes.indexOf(String(scope));
  return {
    decision: isAllowed ? 'allow' : 'deny',
    ...(isLasting ? { scope: Math.max(chosen, 0) } : {}),
    ...(typeof reason === 'string' && reason.trim() !== '' ? { reason: reason.trim() } : {}),
  };
}

function isCut({ details = '' }: FormQuestion): boolean {
  return details.length > SHOWN;
}

function hint(whole: string | undefined): string {
  return whole === undefined ? '' : `\nAll of it is in ${whole}, and cannot be allowed unread.`;
}

/** The form; only the decision has to be made, unless there is more to read than the message has. */
function form({ scopes }: FormQuestion, whole: string | undefined) {
  const text = (title: string, description: string) => ({ type: 'string' as const, title, description });
  const read = { type: 'boolean' as const, title: 'I have read all of it', description: whole ?? '' };
  return {
    type: 'object' as const,
    properties: {
      decision: { ...text('Decision', 'Once, or from now on'), enum: DECISIONS },
      ...(whole === undefined ? {} : { seen: read }),
      scope: { ...text('From now on', 'For what always holds; the first, if left out'), enum: [...scopes] },
      reason: text('Reason', 'For the assistant, if you like'),
    },
    required: ['decision', ...(whole === undefined ? [] : ['seen'])],
  };
}
