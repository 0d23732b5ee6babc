import type { Rule } from '../shared/rule.js';
import { formatRule, type RuleText } from '../shared/rule-text.js';

/** The rules with their numbers. */
export function listed({ sections }: Pick<RuleText, 'sections'>): string {
  if (sections.length === 0) return 'no rules\n';
  return sections.map(({ rule }, index) => `${index + 1}: ${oneLine(rule)}\n`).join('');
}

/** A rule in one line. */
export function oneLine(rule: Rule): string {
  return formatRule(rule)
    .filter((line) => line !== '[rule]' && line !== 'sandbox-grants=')
    .map(unmistakable)
    .join(' ');
}

/** A value in which another key seems to begin stands as a JSON string. */
function unmistakable(line: string): string {
  const at = line.indexOf('=') + 1;
  const value = line.slice(at);
  return value.startsWith('"') || !/ [a-z-]+=/.test(value) ? line : line.slice(0, at) + JSON.stringify(value);
}
