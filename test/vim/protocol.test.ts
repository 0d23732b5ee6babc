import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Home, makeHome } from '../kit/home.js';
import { eventually } from '../kit/until.js';
import { Broker, printedUrl } from './broker.js';
import { FakeVim, keyed } from './fake-vim.js';

describe('the private protocol', () => {
  const TOKEN = 'a-token-for-tests';
  let home: Home;
  let broker: Broker;
  let url: string;

  before(async () => {
    home = await makeHome();
    broker = await Broker.start(home, ['--token', 'another-token-for-tests', '--token', TOKEN, '--auto-allow', '*']);
    url = printedUrl(home);
  });
  after(async () => {
    await broker.close();
    await home.remove();
  });

  const refused = async (hello: readonly unknown[]): Promise<FakeVim> => {
    let message = '';
    const vim = await FakeVim.connect(url, {
      refused: (params: Record<string, unknown>) => {
        message = String(params['message']);
        return {};
      },
    });
    vim.send(hello);
    await vim.closed();
    assert.deepEqual(await broker.targets(), []);
    return Object.assign(vim, { message });
  };

  for (const [what, hello, calls, text] of [
    ['a wrong token', ['mcp-vim', 'no-token-at-all', 1, 0, 'x', 'i'], ['refused'], /token/],
    ['a proof out of turn', ['mcp-vim', 'proof:', 1, 0, 'x', 'i'], ['refused'], /token/],
    ['an old major version', ['mcp-vim', TOKEN, 0, 9, 'x', 'i'], ['refused'], /0\.9/],
    ['a newer minor version', ['mcp-vim', TOKEN, 1, 99, 'x', 'i'], ['refused'], /1\.99/],
    ['a name with control characters', ['mcp-vim', TOKEN, 1, 0, 'a\nb', 'i'], ['refused'], /target name/],
    ['a hello of another shape', ['mcp-vim', TOKEN, 1, 0], [], undefined],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const vim = await refused(hello);
      assert.deepEqual(vim.called, calls);
      if (text !== undefined) assert.match((vim as unknown as { message: string }).message, text);
    });
  }

  it('takes the plain token, and any accepted one', async () => {
    for (const token of ['another-token-for-tests', TOKEN]) {
      const vim = await FakeVim.connect(url);
      vim.send(['mcp-vim', token, 1, 0, 'plain', `instance of ${token}`]);
      await eventually('it is connected', async () => (await broker.targets()).length === 1);
      vim.close();
      await eventually('it is gone', async () => (await broker.targets()).length === 0);
    }
  });

  it('proves that it knows the tokens, for its own address only', async () => {
    const { port } = new URL(url);
    const nonce = '0123456789abcdef0123456789abcdef';
    const vim = await FakeVim.connect(url);
    vim.send(['mcp-vim-prove', nonce, `127.0.0.1:${port}`]);
    const [word, own, proofs] = await eventually(
      'the proof',
      () => vim.lines[0] as [string, string, string[]] | undefined,
    );
    const claim = `127.0.0.1:${port}:${nonce}:${own}`;
    assert.deepEqual(
      [word, proofs],
      ['mcp-vim-proof', ['another-token-for-tests', TOKEN].map((token) => keyed(token, `broker:${claim}`))],
    );
    vim.send(['mcp-vim', `proof:${keyed(TOKEN, `editor:${claim}`)}`, 1, 0, 'proved', 'i']);
    await eventually('it is connected', async () => (await broker.targets()).includes('proved'));
    vim.close();
    await eventually('it is gone', async () => (await broker.targets()).length === 0);
    for (const dialled of [`127.0.0.1:${Number(port) + 1}`, `10.0.0.1:${port}`, 'unix:/tmp/x']) {
      const relay = await FakeVim.connect(url);
      relay.send(['mcp-vim-prove', nonce, dialled]);
      await relay.closed();
      assert.deepEqual(relay.lines, []);
    }
  });

  it('replaces the connection of the same instance', async () => {
    const first = await FakeVim.connect(url);
    first.send(['mcp-vim', TOKEN, 1, 0, 'same', 'one instance']);
    await eventually('it is connected', async () => (await broker.targets()).join() === 'same');
    const second = await FakeVim.connect(url);
    second.send(['mcp-vim', TOKEN, 1, 0, 'same', 'one instance']);
    await first.closed();
    assert.deepEqual(await broker.targets(), ['same']);
    second.close();
    await eventually('it is gone', async () => (await broker.targets()).length === 0);
  });

  it('keeps frames to Vim at 64 KB', async () => {
    const facts = { buffer: 1, filename: '/x', changedtick: 7, line_count: 1, modified: false };
    const staged: string[] = [];
    let edit: unknown;
    const vim = await FakeVim.connect(url, {
      read: () => ({ ...facts, first: 1, lines: ['x'], lossy: [], cut: 0 }),
      stage: ({ text }) => {
        staged.push(String(text));
        return {};
      },
      staged: (params) => {
        edit = params;
        return facts;
      },
    });
    vim.send(['mcp-vim', TOKEN, 1, 0, 'large', 'i']);
    await eventually('it is connected', async () => (await broker.targets()).includes('large'));
    const lines = Array.from({ length: 3000 }, (_, index) => `"\\🙂\u00fc\t${'x'.repeat(index)}`);
    const diff = `@@ -1,1 +1,${lines.length} @@\n-x\n${lines.map((line) => `+${line}\n`).join('')}`;
    const result = await broker.call('apply-diff', { buffer: 1, expected_changedtick: 7, diff });
    assert.equal(result.isError, false, result.text);
    assert.ok(vim.largest <= 65_536, `a frame of ${vim.largest} bytes`);
    assert.deepEqual(edit, { id: '1', verb: 'edit' });
    const by = { op: 1, name: 'test' };
    assert.deepEqual(JSON.parse(staged.join('')), { buffer: 1, tick: 7, ops: [[1, 1, lines]], by });
    vim.close();
  });
});
