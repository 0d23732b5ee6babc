import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { change } from './broker.js';
import { pair } from './fixture.js';

describe('the question about a diff', () => {
  const at = pair();

  async function edit(buffer: number, diff: string): Promise<{ isError: boolean; text: string }> {
    return await at.broker.call('apply-diff', { buffer, expected_changedtick: await at.vim.tick(buffer), diff });
  }

  it('shows the line at which it is going to apply, not the one that it names', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const buffer = await at.vim.buffer(lines);
    const { isError } = await edit(buffer, change(2, 'line 15', 'changed'));
    assert.equal(isError, false);
    const [question = ''] = at.broker.questions;
    assert.ok(
      question.includes('@@ -12,7 +12,7 @@\n line 12\n line 13\n line 14\n-line 15\n+changed\n line 16\n'),
      question,
    );
    assert.doesNotMatch(question, /-2,1/);
  });

  it('is never asked about a diff that begins with something else', async () => {
    const buffer = await at.vim.buffer(['one', 'two']);
    const { text } = await edit(buffer, `  @@ -1 +1 @@\n  -one\n${change(2, 'two', 'rm')}`);
    assert.match(text, /line 1 of the diff: .* belongs to no hunk/);
    assert.deepEqual([at.broker.questions, await at.vim.lines(buffer)], [[], ['one', 'two']]);
  });

  it('leaves out the lines before the first hunk', async () => {
    const buffer = await at.vim.buffer(['one']);
    await edit(buffer, `diff --git a/x b/x\n--- a/x\n+++ b/x\n${change(1, 'one', 'two')}`);
    assert.deepEqual([await at.vim.lines(buffer), at.broker.questions[0]?.includes('+++ b/x')], [['two'], false]);
  });
});
