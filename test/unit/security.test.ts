import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

/** The words of a text, whatever stands between them. */
function words(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

it('each threat in docs/security.md names tests that are there', () => {
  const page = readFileSync('docs/security.md', 'utf8');
  const rows = page.slice(page.indexOf('| threat |')).split('\n').slice(2);
  let named = 0;
  for (const row of rows.filter((line) => line !== '')) {
    const [, threat = '', , shown = ''] = row.split(' | ').join('|').split('|');
    assert.notEqual(words(shown), '', threat);
    let source = '';
    for (const item of shown.split('; ')) {
      const [, file, title = ''] = /^(?:`(\w+\/?[\w-]*)` ?)?(.*)$/.exec(item) ?? [];
      if (file !== undefined) {
        const path = file.includes('/') ? file : `${file}/${file}`;
        source = words(readFileSync(`test/${path}.test.ts`, 'utf8'));
      }
      for (const part of title.split(/[…:]/)) assert.ok(source.includes(words(part)), `${threat}: ${item}`);
      named += 1;
    }
  }
  assert.ok(named > 60, `${named} tests are named`);
});
