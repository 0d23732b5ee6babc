import { isAbsolute } from 'node:path';
import { usageFault } from '../shared/flags.js';
import { resolvedPath } from '../shared/path-pattern.js';
import { type Files, firstMatch, type Rule } from '../shared/rule.js';
import type { RuleFile } from '../shared/rule-file.js';
import { isAction } from '../shared/rule-words.js';
import { oneLine } from './rules-list.js';

/** Says which rule decides a call, and why not those before it. @throws Fault `invalid` for what is no call. */
export async function explain(file: RuleFile, options: ReadonlyMap<string, readonly string[]>): Promise<string> {
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const [action = '', given = '', path] = [one('action'), one('subject'), one('path')];
  if (action === '*' || !isAction(file.words, action))
    throw usageFault(`--action is one of ${file.words.actions.join(', ')}`);
  const subject = file.words.subject(given);
  if (subject === undefined) throw usageFault(`--subject is ${file.words.forms}`);
  if (path !== undefined && !file.words.hasPaths) throw usageFault('--path means nothing for these rules');
  const files = path === undefined ? unnamed(file, subject) : filesAt(path);
  const asked = { action, subject, files: async () => files };
  const { sections } = file.text();
  const found = await firstMatch(sections, asked);
  const passed = found === undefined ? sections : sections.slice(0, sections.indexOf(found));
  const lines = passed.map(({ rule }, index) => `${index + 1}: ${oneLine(rule)}: ${whyNot(rule, action, subject)}\n`);
  const end =
    found === undefined
      ? `no rule decides it: ${file.words.otherwise}\n`
      : `${passed.length + 1}: ${oneLine(found.rule)}: this one decides (${file.path}:${found.line}): ${found.rule.decision}\n`;
  return [...lines, end].join('');
}

function whyNot(rule: Rule, action: string, subject: string): string {
  if (rule.action !== '*' && rule.action !== action) return 'another action';
  if (rule.subject !== undefined && rule.subject !== subject) return 'another subject';
  if (rule.subjectPrefix !== undefined && !subject.startsWith(rule.subjectPrefix)) return 'another subject';
  return 'another path';
}

/** What is concerned where no file is named: a buffer without a name, or any file. */
function unnamed({ words }: RuleFile, subject: string): Files {
  return words.isAnywhere(subject) ? 'any' : [];
}

function filesAt(path: string): Files {
  const found = resolvedPath(isAbsolute(path) ? path : `${process.cwd()}/${path}`);
  return found === undefined ? 'any' : [found];
}
