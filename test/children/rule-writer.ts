/** Adds rules to vim-ed, one after the other, and says each number when it is written. */
import { RuleFile } from '../../shared/rule-file.js';
import { inserted } from '../../shared/rule-text.js';

const [writer = '', count = '0'] = process.argv.slice(2);
const file = new RuleFile('vim-ed');
for (let index = 0; index < Number(count); index += 1) {
  const rule = { decision: 'allow', action: 'read', subject: `target:w${writer}-${index}` } as const;
  await file.change((text) => inserted(text, rule, text.sections.length));
  process.stdout.write(`${index}\n`);
}
