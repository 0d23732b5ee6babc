import { Fault } from '../shared/fault.js';
import type { Answer } from '../shared/prompt.js';
import type { Files } from '../shared/rule.js';
import { EVERY_ACTION } from '../shared/rule.js';
import { VIM_ACTIONS } from '../shared/rule-words.js';
import { type Policy, refused, remember, verdict } from '../shared/verdict.js';
import { scopesOf } from './scopes.js';

/** The classes of what a tool does; each is permitted by itself. */
export const ACTIONS = VIM_ACTIONS;
export type Action = (typeof ACTIONS)[number];

/** Actions that need no question, where no rule says anything else. */
export const UNASKED: ReadonlySet<Action> = new Set<Action>(['read']);

/** What is asked before a tool does something. */
export interface Question {
  readonly action: Action;
  /** What it is about, as rules name it: `targets`, `target:NAME`, or `ex:` and the like with target and text as JSON. */
  readonly subject: string;
  /** For the person, in one line: what will happen and where, with nothing in it that could deceive. */
  readonly message: string;
  /** The command or the changes, as they are. */
  readonly details?: string;
  /** The files whose text it concerns, for rules with a path. */
  readonly files?: () => Promise<Files>;
  /** The exact arguments that will run; an answer is good for these only. */
  readonly exact: unknown;
}

/** Decides whether something may happen. */
export interface Permission {
  /** Returns when it may. @throws Fault `denied` when not, `cancelled` when the request was. */
  decide(question: Question, signal: AbortSignal): Promise<void>;
}

/** Writes down what is to hold from now on. */
type Keep = (answer: Answer) => Promise<void>;

/** Whoever can be asked. */
export interface Asker {
  /**
   * The answer, after `keep` has been called with it; nothing where meanwhile it was decided for good.
   * @throws Fault `denied` where nobody can be asked.
   */
  ask(question: Question, signal: AbortSignal, keep: Keep): Promise<Answer | undefined>;
}

/** What is decided beforehand, then whoever can be asked. What is to hold for ever is kept before anything runs. */
export function layered(policy: Policy, asker: Asker): Permission {
  return {
    async decide(question, signal) {
      const { action } = question;
      const { decision, by } = await verdict(policy, question);
      if (decision === 'deny') throw new Fault('denied', `${action} is denied by ${by}`);
      if (decision === 'allow') return;
      const answer = await asker.ask(question, signal, (given) => keep(policy, question, given));
      signal.throwIfAborted();
      if (answer === undefined) return await this.decide(question, signal);
      if (answer.decision !== 'allow') throw refused(question, answer);
    },
  };
}

async function keep(policy: Policy, question: Question, { decision, scope }: Answer): Promise<void> {
  if (scope === undefined) return;
  const { action } = question;
  const chosen = scopesOf(question)[scope]?.subject ?? { subject: question.subject };
  await remember(policy, question, { decision, action, ...chosen });
}

/** What becomes of calls that do `action`: `rules` where that depends on editor, file or command. */
export function inForce({ decided, rules, unasked }: Policy, action: Action): 'allow' | 'deny' | 'ask' | 'rules' {
  if (decided.deny.has(action)) return 'deny';
  try {
    const concerned = rules.rules().filter(({ rule }) => rule.action === action || rule.action === EVERY_ACTION);
    const [first] = concerned;
    if (first !== undefined) {
      const { subject, subjectPrefix, path, decision } = first.rule;
      return subject === undefined && subjectPrefix === undefined && path === undefined ? decision : 'rules';
    }
  } catch {
    return 'deny';
  }
  return decided.allow.has(action) || unasked.has(action) ? 'allow' : 'ask';
}
