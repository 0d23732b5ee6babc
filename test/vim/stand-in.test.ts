/** A change that is too long for a message, where the hub puts the question because its client cannot. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cleanup } from '../kit/cleanup.js';
import { makeHome } from '../kit/home.js';
import { HubProcess } from '../kit/hub.js';
import { allGone } from '../kit/processes.js';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Helper } from './helper.js';

describe('a long change through a hub whose client shows no forms', () => {
  for (const decision of ['allow', 'deny'] as const)
    it(`is shown whole by the hub, and answered: ${decision}`, async (t) => {
      const home = await makeHome();
      cleanup(t, () => home.remove());
      cleanup(t, () => allGone(home.env));
      const helper = await Helper.make(home);
      const vimChild = ['vim', '---', 'mcp-vim', '--ask', 'mcp', '---', '--eager'];
      const { client } = await HubProcess.greeted(
        t,
        ['--ask', 'helper', '--helper', helper.path, ...vimChild],
        home.env,
      );
      const vim = await Vim.start(home);
      cleanup(t, () => vim.close());
      await vim.ex('Mcp ed');
      await eventually('Vim is connected', async () => (await client.call('vim.targets')).text.includes('"ed"'));
      const buffer = await vim.buffer(['one']);
      const lines = Array.from({ length: 1500 }, (_, at) => `line ${at} \u202e`);
      const operations = [{ kind: 'replace', old: 'one', new: lines.join('\n') }];
      const call = client.call('vim.edit', { buffer, expected_changedtick: await vim.tick(buffer), operations });
      const { prompt, answer } = await helper.next();
      assert.equal(prompt.from, 'the server vim');
      assert.match(prompt.message, /^Allow in the editor ed: change buffer/);
      assert.match(prompt.details ?? '', /\+line 0 \\u\{202e\}\n.*\+line 1499 \\u\{202e\}\n/s);
      await answer({ decision });
      const { text } = await call;
      assert.deepEqual(await vim.lines(buffer), decision === 'allow' ? lines : ['one'], text);
      const left = await readdir(join(home.path, 'run/mcp-multibroker'));
      assert.deepEqual(
        left.filter((name) => name.startsWith('question')),
        [],
      );
    });
});
