import { asFault, Fault } from './fault.js';
import { clue } from './flags.js';
import type { Answer } from './prompt.js';
import { type Asked, type Decision, firstMatch, type Placed, type Rule } from './rule.js';
import type { RuleFile } from './rule-file.js';
import { inserted, type RuleText } from './rule-text.js';

/** Actions decided beforehand on the command line. */
export interface Decided {
  readonly allow: ReadonlySet<string>;
  readonly deny: ReadonlySet<string>;
}

/**
 * What `--auto-allow` and `--auto-deny` say, in lists such as `write,save`. In the former `*` stands for `harmless`, and all
 * else has to be named; in the latter for everything.
 * @throws Fault `invalid` for a word that is none of the actions.
 */
export function readDecided<A extends string>(
  flags: ReadonlyMap<string, readonly string[]>,
  actions: readonly A[],
  harmless: readonly A[],
): { readonly allow: ReadonlySet<A>; readonly deny: ReadonlySet<A> } {
  const action = (word: string): A => {
    const found = actions.find((name) => name === word);
    if (found !== undefined) return found;
    throw new Fault('invalid', `${clue(word)} is no action`, { next: `The actions are ${actions.join(', ')} and *.` });
  };
  const read = (flag: string, star: readonly A[]): Set<A> => {
    const words = (flags.get(flag) ?? []).flatMap((list) => list.split(',')).map((word) => word.trim());
    return new Set(words.filter((word) => word !== '').flatMap((word) => (word === '*' ? star : action(word))));
  };
  return { allow: read('auto-allow', harmless), deny: read('auto-deny', actions) };
}

/** All that is decided before anybody is asked. */
export interface Policy {
  readonly decided: Decided;
  readonly rules: Pick<RuleFile, 'rules' | 'change' | 'path'>;
  /** Actions that need no question where nothing else is said of them. */
  readonly unasked: ReadonlySet<string>;
}

/** What becomes of something, and what decides it. */
export interface Verdict {
  readonly decision: Decision;
  readonly by: string;
}

/**
 * The command line's denials come first, then the first rule that matches, then what the command line allows.
 * @throws Fault `denied` where the rules cannot be read: then nothing is allowed.
 */
export async function verdict(policy: Policy, asked: Asked): Promise<Verdict> {
  try {
    return await verdictOf(policy, asked);
  } catch (error) {
    const { kind, message, next } = asFault(error);
    if (kind === 'cancelled') throw error;
    throw new Fault('denied', message, {
      next: next ?? 'Nothing is allowed until the person has corrected that file.',
      cause: error,
    });
  }
}

async function verdictOf({ decided, rules, unasked }: Policy, asked: Asked): Promise<Verdict> {
  if (decided.deny.has(asked.action)) return { decision: 'deny', by: '--auto-deny' };
  const found = await firstMatch(rules.rules(), asked);
  if (found !== undefined) return { decision: found.rule.decision, by: `the rule at ${rules.path}:${found.line}` };
  if (decided.allow.has(asked.action)) return { decision: 'allow', by: '--auto-allow' };
  if (unasked.has(asked.action)) return { decision: 'allow', by: 'default: it needs no question' };
  return { decision: 'ask', by: 'default: no rule says anything about it' };
}

/**
 * Keeps what the person decided for ever. The rule comes last, where it overrules nothing; where a rule wants the question
 * asked, one for the very subject comes before that.
 * @throws Fault where it cannot be written.
 */
export async function remember({ rules }: Policy, asked: Asked, rule: Rule): Promise<void> {
  const known = await resolved(asked, rules.rules());
  await rules.change(async (text) => {
    const found = await firstMatch(text.sections, known);
    if (found === undefined) return inserted(text, rule, text.sections.length);
    // Somebody else has decided it meanwhile.
    if (found.rule.decision !== 'ask') return text;
    const exact: Rule = { decision: rule.decision, action: rule.action, subject: asked.subject };
    const at = text.sections.indexOf(found);
    const settled = inserted(text, exact, at);
    return rule.subject === asked.subject ? settled : appended(settled, rule);
  });
}

/** The same with its files looked up, where a rule wants to know them: an editor may be long in telling, which no lock waits for. */
async function resolved({ files, ...asked }: Asked, rules: readonly Placed[]): Promise<Asked> {
  if (files === undefined || rules.every(({ pattern }) => pattern === undefined)) return asked;
  const found = await files();
  return { ...asked, files: async () => found };
}

function appended(text: RuleText, rule: Rule): RuleText {
  return inserted(text, rule, text.sections.length);
}

/** What the model is told after a no of the person. */
export function refused({ action, subject }: Asked, { scope, reason }: Answer): Fault {
  const [word, next] =
    scope === undefined
      ? ['', 'Do not repeat it unasked; tell the person what you wanted to do and why.']
      : [', now and from now on', 'Do not try it again; tell the person what you wanted to do and why.'];
  const because = reason === undefined ? '' : `; they say: “${reason}”`;
  return new Fault('denied', `the person did not allow it${word} (${action} in ${subject})${because}`, {
    next,
    ...(reason === undefined ? {} : { data: { reason } }),
  });
}
