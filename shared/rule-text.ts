import { hasDeceptive, unicodeEscaped } from './escape.js';
import { asFault, Fault } from './fault.js';
import { PathPattern } from './path-pattern.js';
import { DECISIONS, type Decision, type Placed, type Rule } from './rule.js';
import { isAction, type Words } from './rule-words.js';

/** One rule with the lines that it stands in, as they were written. */
interface Section extends Placed {
  /** What stands before it and belongs to no rule: up to the last empty line. */
  readonly loose: readonly string[];
  /** Comments directly above it. */
  readonly comment: readonly string[];
  readonly lines: readonly string[];
}

/** A rule file, taken apart so that put together again it is the same. */
export interface RuleText {
  readonly sections: readonly Section[];
  readonly end: readonly string[];
}

const HEAD = /^[ \t]*\[rule\][ \t]*$/;
const KEYS: readonly string[] = ['decision', 'action', 'subject', 'subject-prefix', 'path', 'sandbox-grants'];

/**
 * Reads the text of a rule file. A value is what stands behind `=`, up to the end of the line, or a JSON string.
 * @throws Fault `invalid` for the first line that cannot be meant, as `FILE:LINE: …`.
 */
export function parseRules(text: string, words: Words, file: string): RuleText {
  const sections: Section[] = [];
  let draft: Draft | undefined;
  let waiting: string[] = [];
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const [index, raw] of lines.entries()) {
    const line = raw.replace(/\r$/, '');
    if (/^[ \t]*([#;]|$)/.test(line)) waiting.push(raw);
    else if (HEAD.test(line)) {
      if (draft !== undefined) sections.push(finished(draft, words, file));
      const at = waiting.findLastIndex((one) => one.trim() === '') + 1;
      const [loose, comment] = [waiting.slice(0, at), waiting.slice(at)];
      draft = { line: index + 1, loose, comment, lines: [raw], values: new Map() };
      waiting = [];
    } else {
      if (draft === undefined) throw wrong(file, index + 1, 'a rule begins with [rule]');
      takeValue(draft.values, line, () => wrong(file, index + 1, `${JSON.stringify(line)} is no KEY=VALUE of a rule`));
      draft.lines.push(...waiting, raw);
      waiting = [];
    }
  }
  if (draft !== undefined) sections.push(finished(draft, words, file));
  return { sections, end: waiting };
}

/** The text of a rule file. */
export function formatRules({ sections, end }: RuleText): string {
  const lines = [...sections.flatMap(({ loose, comment, lines: own }) => [...loose, ...comment, ...own]), ...end];
  return lines.map((line) => `${line}\n`).join('');
}

/** The lines of one rule. What would not come back as it is stands as a JSON string. */
export function formatRule({ decision, action, subject, subjectPrefix, path }: Rule): string[] {
  const optional: readonly (readonly [string, string | undefined])[] = [
    ['subject', subject],
    ['subject-prefix', subjectPrefix],
    ['path', path],
  ];
  const given = optional.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${written(value)}`]));
  return ['[rule]', `decision=${decision}`, `action=${action}`, ...given, ...(decision === 'allow' ? [GRANTS] : [])];
}

/** Asked for by the format, and always empty: nothing here runs in a sandbox. */
const GRANTS = 'sandbox-grants=';

/** Puts a rule before the one that is the `at`th from 0, or at the end. */
export function inserted(text: RuleText, rule: Rule, at: number): RuleText {
  const after = text.sections[at];
  const loose = after?.loose ?? (text.sections.length === 0 ? [...text.end, ...gap(text.end)] : ['']);
  const section = { rule, line: 0, pattern: undefined, comment: [], loose, lines: formatRule(rule) };
  const sections = [...text.sections];
  if (after !== undefined) sections[at] = { ...after, loose: [''] };
  sections.splice(at, 0, section);
  return { sections, end: text.sections.length === 0 ? [] : text.end };
}

/** Takes a rule away, with the comment above it. */
export function removed({ sections, end }: RuleText, at: number): RuleText {
  const left = sections.filter((_, index) => index !== at);
  const loose = sections[at]?.loose ?? [];
  const next = left[at];
  if (next === undefined) return { sections: left, end: hasText(loose) ? [...loose, ...end] : end };
  // One gap is enough.
  left[at] = { ...next, loose: hasText(next.loose) ? [...loose, ...next.loose] : loose };
  return { sections: left, end };
}

function hasText(lines: readonly string[]): boolean {
  return lines.some((line) => line.trim() !== '');
}

/** Puts a rule, with the comment above it, where another one is. */
export function moved(text: RuleText, from: number, to: number): RuleText {
  const section = text.sections[from];
  if (section === undefined) return text;
  const { sections, end } = removed(text, from);
  const after = sections[to];
  const placed = { ...section, loose: after?.loose ?? [''] };
  const left = [...sections];
  if (after !== undefined) left[to] = { ...after, loose: [''] };
  left.splice(to, 0, placed);
  return { sections: left, end };
}

interface Draft {
  readonly line: number;
  readonly loose: readonly string[];
  readonly comment: readonly string[];
  readonly lines: string[];
  readonly values: Map<string, string>;
}

function gap(lines: readonly string[]): string[] {
  return lines.length === 0 || lines.at(-1)?.trim() === '' ? [] : [''];
}

function takeValue(values: Map<string, string>, line: string, fault: () => Fault): void {
  const [, key = '', text = ''] = /^[ \t]*([a-z-]+)[ \t]*=[ \t]*(.*?)[ \t]*$/s.exec(line) ?? [];
  const value = text.startsWith('"') ? unquoted(text) : text;
  if (!KEYS.includes(key) || values.has(key) || value === undefined) throw fault();
  values.set(key, value);
}

function unquoted(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** As itself where it comes back so and cannot be misread, else as a JSON string of plain characters. */
function written(value: string): string {
  const isPlain = value !== '' && !/^[ \t"]|[ \t]$/.test(value) && !hasDeceptive(value);
  return isPlain ? value : unicodeEscaped(JSON.stringify(value));
}

function finished({ values, ...place }: Draft, words: Words, file: string): Section {
  try {
    const rule = ruleOf(values, words);
    return { ...place, rule, pattern: rule.path === undefined ? undefined : new PathPattern(rule.path) };
  } catch (error) {
    throw wrong(file, place.line, `the rule that begins here is broken: ${asFault(error).message}`);
  }
}

function ruleOf(values: ReadonlyMap<string, string>, words: Words): Rule {
  const [subject, prefix] = [values.get('subject'), values.get('subject-prefix')];
  if (subject !== undefined && prefix !== undefined) throw invalid('it has both subject and subject-prefix');
  if ((values.get('sandbox-grants') ?? '') !== '') throw invalid('sandbox-grants has to be empty');
  return checkedRule(
    {
      decision: values.get('decision') as Decision,
      action: values.get('action') ?? '',
      ...(subject === undefined ? {} : { subject }),
      ...(prefix === undefined ? {} : { subjectPrefix: prefix }),
      ...(values.has('path') ? { path: values.get('path') ?? '' } : {}),
    },
    words,
  );
}

/**
 * A rule with its subject as it is compared.
 * @throws Fault `invalid` for what cannot be a rule in these words.
 */
export function checkedRule(rule: Rule, words: Words): Rule {
  const { decision, action, subject, subjectPrefix } = rule;
  if (!DECISIONS.includes(decision)) throw invalid(`decision is one of ${DECISIONS.join(', ')}`);
  if (!isAction(words, action)) throw invalid(`action is one of ${words.actions.join(', ')}, or * for all`);
  const exact = subject === undefined ? undefined : words.subject(subject);
  const prefix = subjectPrefix === undefined ? undefined : words.prefix(subjectPrefix);
  if (subject !== undefined && exact === undefined) throw invalid(`a subject is ${words.forms}`);
  if (subjectPrefix !== undefined && prefix === undefined) {
    throw invalid(
      `a subject-prefix is the beginning of a subject up to one of its colons; a subject is ${words.forms}`,
    );
  }
  if (rule.path !== undefined && !words.hasPaths) throw invalid('a path means nothing here');
  if (rule.path !== undefined) new PathPattern(rule.path);
  return {
    ...rule,
    ...(exact === undefined ? {} : { subject: exact }),
    ...(prefix === undefined ? {} : { subjectPrefix: prefix }),
  };
}

function invalid(message: string): Fault {
  return new Fault('invalid', message);
}

function wrong(file: string, line: number, what: string): Fault {
  return new Fault('invalid', `${file}:${line}: ${what}`);
}
