import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

/** What a program that logs the text prints. */
function printed(text: string, ...secrets: readonly string[]): string {
  return spawnSync(process.execPath, ['dist/test/children/log.js', text, ...secrets]).stderr.toString();
}

it('the log prints one line, whatever the text holds', () => {
  assert.equal(printed('a\r\nb\nc'), 'program: a b c\nprogram: warning: a b c\nprogram: error: a b c\n');
});

it('the log never prints a hidden text', () => {
  const text = printed('GET /one-secret/x and one-secret, another', 'one-secret', 'another');
  assert.match(text, /^program: GET \/\[token\]\/x and \[token\], \[token\]\n/);
  assert.doesNotMatch(text, /one-secret|another/);
});

it('the log does not hide what is too short to be a secret', () => {
  assert.match(printed('quiet', 'q', ''), /^program: quiet\n/);
});
