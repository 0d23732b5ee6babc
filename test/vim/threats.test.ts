/** What somebody who means harm may try, where no other test has it. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Vim } from '../kit/vim.js';
import { Broker, change, printedUrl } from './broker.js';
import { stage } from './fixture.js';
import { Helper } from './helper.js';

describe('mcp-vim', () => {
  const at = stage();

  async function start(...args: readonly string[]): Promise<{ broker: Broker; vim: Vim }> {
    const broker = at.own(await Broker.start(at.home, args));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    return { broker, vim };
  }

  it('says its token to nobody: no list of processes, no log, no answer, no question', async () => {
    const helper = await Helper.make(at.home);
    const { broker, vim } = await start('--ask', 'helper', '--helper', helper.path);
    const url = printedUrl(at.home);
    const token = new URL(url).pathname.split('/')[1] ?? '';
    const told: string[] = [];
    for (const path of ['', 'x', `${token}x/`, `x/${token}`]) {
      const response = await fetch(new URL(`/${path}`, url), { method: 'POST', body: token });
      told.push(await response.text(), JSON.stringify([...response.headers]));
    }
    for (const name of ['targets', 'capabilities', 'state']) told.push((await broker.call(name)).text);
    told.push((await broker.call('read-lines', { target: 'nobody', buffer: 1 })).text);
    const done = broker.call('ex', { command: 'quit' });
    const { prompt, pid, answer } = await helper.next();
    told.push(JSON.stringify(prompt), await readFile(`/proc/${pid}/environ`, 'utf8'));
    await answer('nonsense');
    told.push((await done).text, await vim.ex('messages'), await vim.ex('history'));
    for (const process of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      told.push(await readFile(`/proc/${process}/cmdline`, 'utf8').catch(() => ''));
    }
    assert.ok(token.length > 16 && told.length > 20);
    assert.deepEqual(
      [...told, broker.log].filter((text) => text.includes(token)),
      [],
    );
  });

  it('takes names that objects have for names', async () => {
    const broker = at.own(await Broker.start(at.home, ['--auto-allow', 'write']));
    for (const target of ['__proto__', 'constructor', 'toString']) {
      assert.match((await broker.call('state', { target })).text, /no Vim is connected/);
    }
    const vim = at.own(await Vim.start(at.home));
    assert.equal(await broker.join(vim, 'Mcp __proto__'), '__proto__');
    const buffer = await vim.buffer(['one']);
    const guard = { buffer, expected_changedtick: await vim.tick(buffer) };
    const edited = await broker.call('apply-diff', { target: '__proto__', ...guard, diff: change(1, 'one', 'two') });
    assert.deepEqual([edited.isError, await vim.lines(buffer)], [false, ['two']]);
    assert.match((await broker.call('state', { target: 'constructor' })).text, /no editor is named "constructor"/);
  });

  it('does nothing of many calls whose questions all go wrong', async () => {
    const { broker, vim } = await start('--ask', 'helper', '--helper', '/bin/false');
    await vim.ex('let g:ran = []');
    const calls = Array.from({ length: 100 }, (_, index) =>
      broker.call('ex', { command: `call add(g:ran, ${index})` }),
    );
    for (const { isError, text } of await Promise.all(calls)) {
      assert.equal(isError, true);
      assert.match(text, /could not be asked: false ended without an answer|100 calls wait|calls wait for/);
    }
    assert.deepEqual(await vim.eval('g:ran'), []);
  });

  it('does not do once what was allowed for ever and cannot be kept', async () => {
    const folder = join(at.home.path, 'config/mcp-multibroker/rules');
    const { broker, vim } = await start();
    await mkdir(folder);
    await chmod(folder, 0o755);
    broker.answer = { action: 'accept', content: { decision: 'allow always' } };
    const { text } = await broker.call('ex', { command: 'let g:x = 1' });
    assert.match(text, /rules must be a folder of your own with mode 0700/);
    assert.equal(await vim.eval("exists('g:x')"), 0);
  });

  for (const [what, make] of [
    ['a link', (path: string) => symlink('elsewhere.ini', path)],
    ['open to others', (path: string) => writeFile(path, '').then(() => chmod(path, 0o666))],
    ['no text', (path: string) => writeFile(path, Buffer.from([0xff]), { mode: 0o600 })],
    ['a folder', (path: string) => mkdir(path)],
    [
      'in a folder where others can write',
      (path: string) => writeFile(path, '', { mode: 0o600 }).then(() => chmod(dirname(path), 0o777)),
    ],
  ] as const)
    it(`allows nothing while its rules are ${what}`, async () => {
      const { broker } = await start('--auto-allow', 'write,exec');
      const folder = join(at.home.path, 'config/mcp-multibroker/rules');
      await mkdir(folder, { mode: 0o700 });
      await make(join(folder, 'vim-default.ini'));
      for (const name of ['targets', 'state'] as const) {
        const { isError, text } = await broker.call(name);
        assert.equal(isError, true);
        assert.match(text, /mcp-multibroker\/rules.*"error":"denied"/s);
      }
    });
});
