import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { reference } from '../kit/reference.js';

test('docs/reference.md says what the programs do; npm run docs writes it anew', () => {
  assert.equal(readFileSync('docs/reference.md', 'utf8'), reference());
});
