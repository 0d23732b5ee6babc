import { Fault } from '../shared/fault.js';

/** The classes of what a tool does; each is permitted by itself. */
export const ACTIONS = ['read', 'write', 'open', 'save', 'exec', 'notify', 'ui'] as const;
export type Action = (typeof ACTIONS)[number];

/** What is asked before a tool does something. */
export interface Question {
  readonly action: Action;
  /** What it is about, as rules name it: `targets`, `target:NAME`, or `ex:` and `eval:` with target and text as JSON. */
  readonly subject: string;
  /** For the person: what will happen and where, with nothing in it that could deceive. */
  readonly message: string;
  /** The exact arguments that will run; an answer is good for these only. */
  readonly exact: unknown;
}

/** Decides whether something may happen. */
export interface Permission {
  /** Returns when it may. @throws Fault `denied` when not, `cancelled` when the request was. */
  decide(question: Question, signal: AbortSignal): Promise<void>;
}

/** Actions decided beforehand on the command line. */
export interface Decided {
  readonly allow: ReadonlySet<Action>;
  readonly deny: ReadonlySet<Action>;
}

/** What becomes of a call that does `action`. */
export function inForce({ allow, deny }: Decided, action: Action): 'allow' | 'deny' | 'ask' {
  if (deny.has(action)) return 'deny';
  return allow.has(action) || action === 'read' ? 'allow' : 'ask';
}

/** What is decided beforehand, then reading, which needs no question, then whoever can be asked. Denial wins. */
export function layered(decided: Decided, asked: Permission): Permission {
  return {
    async decide(question, signal) {
      const { action } = question;
      const rule = inForce(decided, action);
      if (rule === 'deny') throw new Fault('denied', `${action} is denied by --auto-deny`);
      if (rule === 'ask') await asked.decide(question, signal);
    },
  };
}

/**
 * Actions from a list as `--auto-allow` takes it: `write,save`. There, `*` stands for what touches nothing but text in
 * memory, `read` and `write`; the others have to be named. In `--auto-deny` it stands for all.
 * @throws Fault `invalid` for a word that is no action.
 */
export function actions(lists: readonly string[], star: readonly Action[]): Set<Action> {
  const words = lists.flatMap((list) => list.split(',')).map((word) => word.trim());
  return new Set(words.filter((word) => word !== '').flatMap((word) => (word === '*' ? star : action(word))));
}

function action(word: string): Action {
  const found = ACTIONS.find((name) => name === word);
  if (found !== undefined) return found;
  throw new Fault('invalid', `${JSON.stringify(word)} is no action`, {
    next: `The actions are ${ACTIONS.join(', ')} and *.`,
  });
}
