/** The form by which a client asks the person. */
import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { ALLOW, type Answer, change, type Result } from './broker.js';
import { pair } from './fixture.js';

const say = (decision: string, more: object = {}): Answer => ({ action: 'accept', content: { decision, ...more } });

for (const modern of [false, true])
  describe(`the form in a client of protocol ${modern ? '2026-07-28' : '2025-11-25'}`, () => {
    const at = pair({ modern });
    const rules = (): string => join(at.home.path, 'config/mcp-multibroker/rules/vim-default.ini');

    afterEach(() => rm(rules(), { force: true }));

    async function edit(to: string): Promise<Result> {
      const buffer = await at.vim.buffer(['one']);
      const guard = { buffer, expected_changedtick: await at.vim.tick(buffer) };
      return await at.broker.call('apply-diff', { ...guard, diff: change(1, 'one', to) });
    }

    it('offers four answers, scopes and a reason', async () => {
      await edit('two');
      const { decision, scope, reason, ...others } = at.broker.forms[0] as Record<string, { enum?: string[] }>;
      assert.deepEqual(decision?.enum, ['allow', 'allow always', 'deny', 'deny always']);
      assert.deepEqual(scope?.enum, ['write in the editor ed, all its files', 'write in all editors, also later ones']);
      assert.deepEqual([typeof reason, others], ['object', {}]);
    });

    it('keeps an answer for ever, in the scope that was chosen', async () => {
      at.broker.answer = say('allow always', { scope: 'write in all editors, also later ones' });
      await edit('two');
      at.broker.answer = say('deny');
      assert.equal((await edit('three')).isError, false);
      assert.match(
        await readFile(rules(), 'utf8'),
        /^\[rule\]\ndecision=allow\naction=write\nsubject-prefix=target:\n/,
      );
    });

    it('takes the narrowest scope where none was chosen, and passes the reason on', async () => {
      at.broker.answer = say('deny always', { reason: 'Never.' });
      assert.match((await edit('two')).text, /now and from now on \(write in target:ed\); they say: “Never\.”/);
      assert.match((await edit('two')).text, /write is denied by the rule at/);
      assert.equal(at.broker.questions.length, 1);
    });

    for (const [what, answer] of [
      ['another word', say('yes')],
      ['an empty form', say('')],
      ['a decline', { action: 'decline' }],
      ['a cancel', { action: 'cancel' }],
    ] as const)
      it(`takes ${what} for a no, and asks in no other way`, async () => {
        at.broker.answer = answer;
        assert.match((await edit('two')).text, /the person did not allow it \(write in target:ed\)\. /);
        assert.equal(at.broker.questions.length, 1);
      });

    it('shows the beginning of a long change, and where all of it is, which has to be read to be allowed', async () => {
      const folder = join(at.home.path, 'run/mcp-multibroker');
      const texts = async (): Promise<string[]> =>
        (await readdir(folder)).filter((name) => name.startsWith('question-'));
      const long = `${'x'.repeat(12_000)}\u202ethe end`;
      at.broker.answer = say('allow');
      assert.match((await edit(long)).text, /said yes, but not that they have read all of it/);
      let whole = '';
      at.broker.answer = async () => {
        const [, path = ''] =
          /All of it is in (\S+question-\w+\.txt), and cannot be allowed unread\./.exec(at.broker.questions[1] ?? '') ??
          [];
        whole = await readFile(path, 'utf8');
        return say('allow', { seen: true });
      };
      assert.equal((await edit(long)).isError, false);
      assert.ok(whole.includes(`${'x'.repeat(12_000)}\\u{202e}the end`));
      assert.ok(whole.startsWith('Allow in the editor ed: change buffer '));
      assert.match(at.broker.questions[1] ?? '', /12\d\d\d characters, of which the first 10000 are shown/);
      assert.deepEqual(await texts(), [], 'the file is gone with the question');
    });
  });

describe('a question in a client', () => {
  const at = pair();

  it('shows characters that deceive as what they are', async () => {
    at.broker.answer = say('deny');
    const command = "call system('rm\u202e -rf x')\u200b\t\x1b[2K\rlet x = 1";
    await at.broker.call('ex', { command });
    assert.equal(
      at.broker.questions[0],
      `Allow in the editor ed: run this Ex command?\n\ncall system('rm\\u{202e} -rf x')\\u{200b}\t\\u{1b}[2K\\u{d}let x = 1\n(${command.length} characters)`,
    );
    at.broker.answer = ALLOW;
  });

  it('runs what was asked, whatever becomes of the arguments of the client', async () => {
    const args = { command: 'let g:x = 1' };
    at.broker.answer = async () => {
      args.command = 'let g:x = 2';
      return ALLOW;
    };
    await at.broker.call('ex', args);
    assert.equal(await at.vim.eval('g:x'), 1);
  });
});
