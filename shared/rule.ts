import type { PathPattern } from './path-pattern.js';

export const DECISIONS = ['allow', 'deny', 'ask'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Stands for every action. */
export const EVERY_ACTION = '*';

/** One rule as it is written. What is left out matches everything. */
export interface Rule {
  readonly decision: Decision;
  /** One action, or {@link EVERY_ACTION}. */
  readonly action: string;
  /** The very subject, with no character that stands for others. */
  readonly subject?: string;
  /** What the subject begins with. */
  readonly subjectPrefix?: string;
  /** A pattern for the files that it concerns, see {@link PathPattern}. */
  readonly path?: string;
}

/** A rule in its file. */
export interface Placed {
  readonly rule: Rule;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly pattern: PathPattern | undefined;
}

/** The files that something concerns, resolved; `any` where it cannot be told which. */
export type Files = readonly string[] | 'any';

/** What is looked up in the rules. */
export interface Asked {
  readonly action: string;
  readonly subject: string;
  /** The files that it concerns; looked at only if a rule has a path. Missing where it concerns no text. */
  readonly files?: () => Promise<Files>;
}

/** The first rule that matches, or none. */
export async function firstMatch<P extends Placed>(rules: readonly P[], asked: Asked): Promise<P | undefined> {
  let files: Files | undefined;
  for (const placed of rules) {
    if (!isNamed(placed.rule, asked)) continue;
    if (placed.pattern === undefined) return placed;
    if (asked.files === undefined) continue;
    files ??= await asked.files();
    if (isWithin(placed.rule.decision, placed.pattern, files)) return placed;
  }
  return undefined;
}

/** Whether action and subject are meant. */
function isNamed(rule: Rule, { action, subject }: Asked): boolean {
  if (rule.action !== EVERY_ACTION && rule.action !== action) return false;
  if (rule.subject !== undefined) return rule.subject === subject;
  return rule.subjectPrefix === undefined || subject.startsWith(rule.subjectPrefix);
}

/** What allows has to hold for all files, what forbids or asks for one of them. */
function isWithin(decision: Decision, pattern: PathPattern, files: Files): boolean {
  if (files === 'any') return decision !== 'allow';
  if (decision === 'allow') return files.length > 0 && files.every((file) => pattern.matches(file));
  return files.some((file) => pattern.matches(file));
}
