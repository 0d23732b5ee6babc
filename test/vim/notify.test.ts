import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import type { Result } from './broker.js';
import { pair } from './fixture.js';

describe('notify', () => {
  const at = pair({ args: ['--auto-allow', 'notify,write'] });

  async function notify(text: string, args: Record<string, unknown> = {}): Promise<Result> {
    return await at.broker.call('notify', { text, ...args });
  }

  const row = (text: string): Promise<boolean> =>
    eventually(`${text} is on the screen`, () => at.vim.screen().some((line) => line.includes(text)));

  for (const level of ['info', 'warning', 'error'] as const) {
    it(`shows one line as a message (${level})`, async () => {
      const result = await notify(`a ${level}\u0007 for you`, { level });
      assert.deepEqual(result.value, { target: 'ed', shown: 'message' }, result.text);
      await row(`mcp: a ${level}^G for you`);
      assert.deepEqual(await at.vim.eval('[mode(1), popup_list(), v:errmsg]'), ['n', [], '']);
    });
  }

  it('has listeners of other plugins told what is drawn with it, by whatever name they have', async () => {
    await at.vim.buffer(['one']);
    await at.vim.ex('let g:heard = 0 | execute "function! Heard(...)\\nlet g:heard += 1\\nendfunction"');
    const listener = await at.vim.eval<number>("listener_add('Heard')");
    // What comes over a channel is not drawn by itself.
    await at.vim.eval("setline(1, 'two')");
    assert.equal((await notify('drawn')).value['shown'], 'message');
    await row('mcp: drawn');
    assert.deepEqual(await at.vim.eval('[mode(1), g:heard]'), ['n', 1]);
    await at.vim.eval(`listener_remove(${listener})`);
  });

  it('shows no character that deceives, in a message, a popup and the log', async () => {
    const text = 'a\u2066b\u{e0041}c\u00add\u202ee\u200bf \u26a0\ufe0f';
    const shown = 'a<2066>b<e0041>c<ad>d<202e>e<200b>f';
    assert.deepEqual((await notify(text)).value['shown'], 'message');
    await row(`mcp: ${shown}`);
    assert.equal((await notify(`one\n${text}`)).value['shown'], 'popup');
    assert.match(await at.vim.eval<string>("getbufline(winbufnr(popup_list()[0]), 1, '$')->join()"), new RegExp(shown));
    await at.vim.eval('popup_clear()');
    const buffer = await at.vim.buffer(['one']);
    await at.vim.eval(`execute('silent file ' .. fnameescape(${JSON.stringify(text)}))`);
    const operations = [{ kind: 'document', text: 'two' }];
    await at.broker.call('edit', { buffer, expected_changedtick: await at.vim.tick(buffer), operations });
    await eventually('it is in the log', async () => (await at.vim.ex('McpLog')).includes(shown));
  });

  it('shows more in a popup, with what is no text made visible', async () => {
    await at.vim.buffer(['text']);
    for (const text of ['first\nsecond \u001b[31mline', 'long '.repeat(30)]) {
      assert.equal((await notify(text)).value['shown'], 'popup');
      await row(text.slice(0, 5));
      const [popup] = await at.vim.eval<number[]>('popup_list()');
      const options = await at.vim.eval<Record<string, unknown>>(`popup_getoptions(${popup})`);
      assert.equal(options['close'], 'click');
      assert.deepEqual(
        await at.vim.eval(`getbufline(winbufnr(${popup}), 1, '$')`),
        text.replace('\u001b', '^[').split('\n'),
      );
      await at.vim.ex('call popup_clear()');
    }
    assert.deepEqual(await at.vim.eval('[mode(1), bufnr(), winnr("$")]'), ['n', await at.vim.eval('bufnr()'), 1]);
  });

  it('waits for the end of a prompt; the popup goes by itself', async () => {
    at.vim.type(':echo "a\\nb\\nc"\r');
    await row('Press ENTER');
    const before = at.vim.screen();
    assert.equal((await notify('first')).value['shown'], 'later');
    assert.equal((await notify('second\nlines')).value['shown'], 'later');
    assert.deepEqual(at.vim.screen(), before);
    await at.vim.until('mode(1)', 'r');
    at.vim.type('\r');
    await row('mcp: first');
    await row('second');
    await at.vim.until('mode(1)', 'n');
    await at.vim.until('popup_list()', []);
  });

  it('takes neither too much nor nothing', async () => {
    for (const text of ['', ' \n', 'x'.repeat(2001), 'a\0']) assert.equal((await notify(text)).isError, true);
  });
});
