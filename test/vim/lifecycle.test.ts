import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, change, PROGRAM, printedUrl } from './broker.js';
import { FakeVim } from './fake-vim.js';
import { pair, stage } from './fixture.js';

const TOKEN = 'a-token-for-tests';

describe('a Vim that is told to connect again', () => {
  const at = pair({ args: ['--token', TOKEN] });
  const url = (): string => printedUrl(at.home, '--token', TOKEN);

  it('keeps its name, also by URL', async () => {
    for (const command of ['Mcp ed', `Mcp ${url()}ed`, `Mcp ${url()}ed`]) {
      await at.vim.ex('messages clear');
      await at.vim.ex(command);
      await at.vim.until("execute('messages') =~ 'connected as ed'", 1);
      assert.deepEqual(await at.broker.targets(), ['ed']);
    }
  });

  it('under another name gives up the one it had', async () => {
    await at.vim.ex('Mcp other');
    await eventually('it is renamed', async () => (await at.broker.targets()).join() === 'other');
    const second = await Vim.start(at.home);
    await second.ex('Mcp ed');
    await eventually('the second has it', async () => (await at.broker.targets()).includes('ed'));
    await second.close();
    await at.vim.ex('Mcp ed');
    // The one that was killed may come back.
    await eventually('it is numbered', async () => (await at.broker.targets()).join() === 'ed#2');
  });

  for (const [what, wanted, name] of [
    ['spaces', 'my  editor', 'my-editor'],
    ['number signs', '##notes#7', 'notes#7'],
    ['what means another', '@active', 'active'],
    ['too many letters', 'x'.repeat(80), 'x'.repeat(64)],
  ] as const) {
    it(`gets a name that can be used when it asks for one with ${what}`, async () => {
      await at.vim.ex(`Mcp ${wanted}`);
      await eventually('it is connected', async () => (await at.broker.targets()).join() === name);
      assert.equal((await at.broker.call('state', { target: name })).value['target'], name);
    });
  }

  it('tells about a broker that does not know its token once, and goes on with one that does', async (t) => {
    let tries = 0;
    const stranger = createServer((socket) => {
      tries += 1;
      socket.on('error', () => undefined).write(`["mcp-vim-proof","${'0'.repeat(32)}",[]]\n`);
    });
    t.after(() => stranger.close());
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as { port: number };
    await at.vim.ex('messages clear');
    await at.vim.ex(`Mcp http://127.0.0.1:${port}/another-token-altogether/ed`);
    await eventually('it has tried again', () => tries > 2);
    const known = 'mcp: the broker does not know the token; nothing was sent to it; trying again';
    assert.deepEqual((await at.vim.ex('messages')).trim().split('\n'), [`${known.slice(0, 67)}…`]);
    assert.match(await at.vim.ex('McpStatus'), new RegExp(`no broker yet, trying again\n${known}`));
    await at.vim.ex('Mcp ed');
    await at.vim.until("execute('McpStatus') =~ '\\nconnected to'", 1);
  });

  it('leaves what :mksession writes as it was', async () => {
    await at.vim.ex('McpDisconnect');
    const [one, two] = [join(at.home.path, 'one.vim'), join(at.home.path, 'two.vim')];
    const other = await at.vim.buffer(['other']);
    await at.vim.buffer(['shown']);
    await at.vim.ex('set sessionoptions+=globals,options,localoptions');
    await at.vim.ex(`mksession! ${one}`);
    await at.broker.join(at.vim, 'Mcp ed');
    const edited = await at.broker.call('apply-diff', {
      buffer: other,
      expected_changedtick: await at.vim.tick(other),
      diff: change(1, 'other', 'edited'),
    });
    assert.equal(edited.isError, false, edited.text);
    await at.vim.ex(`mksession! ${two}`);
    const text = async (path: string): Promise<string> => (await readFile(path, 'utf8')).replaceAll(path, '');
    assert.equal(await text(two), await text(one));
  });

  it('serves while it is in Ex mode', async () => {
    at.vim.type('gQ');
    await at.vim.until('mode(1)', 'cv');
    assert.equal((await at.broker.call('state')).value['mode'], 'cv');
    at.vim.type('Mcp again\r');
    await eventually('it is connected', async () => (await at.broker.targets()).join() === 'again');
    at.vim.type('visual\r');
    await at.vim.until('mode(1)', 'n');
    await at.vim.until("execute('messages') =~ 'connected as again'", 1);
  });
});

describe('a connection', () => {
  const at = stage();

  it('is made while Vim starts', async () => {
    const broker = at.own(await Broker.start(at.home));
    at.own(await Vim.start(at.home, { vimrc: 'autocmd VimEnter * Mcp\n', files: ['notes.md'] }));
    await eventually('it is connected', async () => (await broker.targets()).join() === 'notes.md');
  });

  it('that says nothing after its hello is closed, and may come again', async () => {
    const broker = at.own(await Broker.start(at.home, ['--token', TOKEN]));
    const url = printedUrl(at.home, '--token', TOKEN);
    const slow = at.own(await FakeVim.connect(url, { welcome: () => undefined }));
    slow.send(['mcp-vim', TOKEN, 1, 0, 'slow', 'i']);
    await slow.closed();
    assert.deepEqual(slow.called, ['welcome']);
    const again = at.own(await FakeVim.connect(url));
    again.send(['mcp-vim', TOKEN, 1, 0, 'slow', 'i']);
    await eventually('it is connected', async () => (await broker.targets()).join() === 'slow');
  });

  it('that is replaced fails what it was asked', async () => {
    const broker = at.own(await Broker.start(at.home, ['--token', TOKEN]));
    const greet = async (answers: Record<string, () => unknown>): Promise<FakeVim> => {
      const vim = at.own(await FakeVim.connect(printedUrl(at.home, '--token', TOKEN), answers));
      vim.send(['mcp-vim', TOKEN, 1, 0, 'same', 'one instance']);
      await eventually('it is greeted', () => vim.called.includes('welcome'));
      return vim;
    };
    const first = await greet({ state: () => undefined });
    await eventually('it is connected', async () => (await broker.targets()).join() === 'same');
    const pending = broker.call('state');
    await eventually('it is asked', () => first.called.includes('state'));
    await greet({});
    const { text } = await pending;
    assert.match(text, /the same editor connected again.*"error":"gone"/s);
    assert.deepEqual(await broker.targets(), ['same']);
  });

  it('is given up, name and all, when the terminal of Vim is closed', async () => {
    const broker = at.own(await Broker.start(at.home));
    for (const _ of [1, 2]) {
      const vim = at.own(await Vim.start(at.home));
      assert.equal(await broker.join(vim, 'Mcp ed'), 'ed');
      process.kill(vim.pid, 'SIGHUP');
      await eventually('it has gone', async () => (await broker.targets()).length === 0);
    }
  });

  it('that asks for a taken name gets one as short as names are', async () => {
    const broker = at.own(await Broker.start(at.home, ['--token', TOKEN]));
    const [long, short] = ['x'.repeat(64), 'x'.repeat(62)];
    for (const [instance, wanted, name] of [
      ['first', long, long],
      ['second', long, `${short}#2`],
      ['third', `${short}#2`, `${short}#3`],
      ['fourth', 'ed#2', 'ed#2'],
      ['fifth', 'ed#2', 'ed#3'],
    ]) {
      const vim = at.own(await FakeVim.connect(printedUrl(at.home, '--token', TOKEN)));
      vim.send(['mcp-vim', TOKEN, 1, 0, wanted, instance]);
      await eventually(`it is called ${name}`, async () => (await broker.targets()).at(-1) === name);
    }
  });
});

describe('mcp-vim --stdio', () => {
  const at = stage();

  it('answers what it was asked before its input ended, and exits', async () => {
    const args = [PROGRAM, '--stdio', '--auto-allow', '*'];
    const broker = spawn(process.execPath, args, { env: at.home.env, stdio: ['pipe', 'pipe', 'ignore'] });
    at.own({ close: () => broker.kill('SIGKILL') });
    let output = '';
    broker.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const exited = once(broker, 'exit');
    const send = (message: object): void =>
      void broker.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } };
    send({ id: 'hello', method: 'initialize', params });
    send({ method: 'notifications/initialized' });
    await eventually('it is greeted', () => output.includes('"id":"hello"'));
    const vim = at.own(await Vim.start(at.home, { vimrc: 'autocmd VimEnter * Mcp ed\n' }));
    await vim.until("execute('messages') =~ 'connected as ed'", 1);
    const buffer = await vim.buffer(['one']);
    vim.type('V');
    await vim.until('mode()', 'V');
    const edit = { buffer, expected_changedtick: await vim.tick(buffer), diff: change(1, 'one', 'two') };
    send({ id: 'edit', method: 'tools/call', params: { name: 'apply-diff', arguments: edit } });
    broker.stdin.end();
    await vim.until("exists('#mcp_gate#SafeState')", 1);
    assert.equal(broker.exitCode, null);
    vim.type('\x1b');
    assert.deepEqual(await exited, [0, null]);
    assert.match(output, /"changedtick":\d+.*"id":"edit"|"id":"edit".*"changedtick":\d+/);
    assert.deepEqual(await vim.lines(buffer), ['two']);
    await vim.until("execute('messages') =~ 'the broker went away; trying again'", 1);
  });
});
