/** mcp-vim and its editors when the tokens change. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { HubProcess, run } from '../kit/hub.js';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, printedUrl } from './broker.js';
import { stage } from './fixture.js';

describe('new tokens', () => {
  const at = stage();
  const rotate = async (...args: readonly string[]): Promise<void> => {
    assert.equal((await run(['rotate', ...args], at.home.env)).code, 0);
  };
  const tokenIn = (url: string): string => new URL(url).pathname.split('/')[1] ?? '';

  it('are left where editors look for them, and editors that are connected stay so', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp one');
    const old = printedUrl(at.home);
    await rotate('--grace', '0');
    const url = printedUrl(at.home);
    assert.notEqual(url, old);
    const file = join(at.home.path, 'run/mcp-multibroker/vim-default.json');
    await eventually('word is left of it', async () => (await readFile(file, 'utf8')).includes(JSON.stringify(url)));
    const second = at.own(await Vim.start(at.home));
    assert.equal(await broker.join(second, 'Mcp two'), 'two');
    assert.equal((await broker.call('state', { target: 'one' })).isError, false);
    const third = at.own(await Vim.start(at.home));
    await third.ex(`Mcp ${old}three`);
    await third.until("execute('messages') =~ 'does not know the token; nothing was sent to it'", 1);
    await third.ex(`Mcp ${url}three`);
    await eventually('it is connected', async () => (await broker.targets()).includes('three'));
    for (const text of [broker.log, await third.ex('messages'), await third.ex('history all')])
      for (const each of [old, url]) assert.ok(!text.includes(tokenIn(each)));
  });

  it('are found by an editor whose broker is another one now', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp one');
    await rotate('--grace', '0');
    await broker.close();
    const next = at.own(await Broker.start(at.home));
    await eventually('it is connected', async () => (await next.targets()).includes('one'));
  });

  it('are known to an mcp-vim that dials a hub by its name', async (t) => {
    const broker = at.own(await Broker.start(at.home, ['--connect', 'work/vim']));
    const args = ['--name', 'work', '--bind', '127.0.0.1'];
    const hub = await HubProcess.greeted(t, args, at.home.env);
    await eventually('it has dialled in', async () => (await hub.client.toolNames()).includes('vim.targets'));
    await rotate('--grace', '0');
    assert.equal((await hub.client.call('vim.targets')).error, undefined);
    await hub.close();
    const next = await HubProcess.greeted(t, args, at.home.env);
    await eventually('it has dialled in again', async () => (await next.client.toolNames()).includes('vim.targets'));
    assert.ok(!broker.log.includes('does not know the token'));
  });
});
