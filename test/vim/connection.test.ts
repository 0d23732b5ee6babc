import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { MAJOR, MINOR } from '../../child-vim/protocol.js';
import { makeHome } from '../kit/home.js';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { Broker, change, PROGRAM, printedUrl } from './broker.js';
import { keyed } from './fake-vim.js';
import { stage } from './fixture.js';

const PLUGIN = resolve(import.meta.dirname, '../../../vim/plugin/mcp.vim');

describe('a Vim that connects', () => {
  const at = stage();

  it('finds the broker by itself, also from the vimrc and before the broker runs', async () => {
    const vim = at.own(await Vim.start(at.home, { vimrc: 'Mcp mine\n' }));
    await eventually('it tells', () => vim.screen().some((row) => row.includes('no broker of yours runs')));
    const broker = at.own(await Broker.start(at.home));
    await eventually('it is connected', async () => (await broker.targets()).includes('mine'));
    await vim.until("execute('messages') =~ 'connected as mine'", 1);
    const [file = ''] = (await readdir(join(at.home.path, 'run/mcp-multibroker'))).filter((name) =>
      name.endsWith('.json'),
    );
    const mode = (await stat(join(at.home.path, 'run/mcp-multibroker', file))).mode;
    assert.deepEqual([file, mode & 0o777], ['vim-default.json', 0o600]);
  });

  it('can be told to connect elsewhere, or to stop, after a broker that does not answer', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    const nobody = 'http://127.0.0.1:1/SECRETTOKEN1234567890/me';
    await vim.ex(`Mcp ${nobody}`);
    await vim.until("execute('messages') =~ 'no broker answers at 127.0.0.1:1; trying again'", 1);
    assert.equal((await vim.ex('McpDisconnect')).trim(), 'mcp: disconnected');
    assert.match(await vim.ex('McpStatus'), /not connected/);
    await vim.ex('messages clear');
    await vim.ex(`Mcp ${nobody}`);
    await vim.until("execute('messages') =~ 'no broker answers'", 1);
    assert.equal(await broker.join(vim, 'Mcp ed'), 'ed');
    assert.doesNotMatch(await vim.ex('messages'), /E\d+:|SECRETTOKEN/);
  });

  it('tells root why it finds no broker', { skip: process.getuid?.() !== 0 }, async () => {
    at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await vim.ex('let $XDG_RUNTIME_DIR = ""');
    await vim.ex('Mcp');
    await vim.until("execute('messages') =~ 'as root, :Mcp needs $XDG_RUNTIME_DIR or a URL; trying again'", 1);
  });

  it('that is too old is told what it needs', async () => {
    const plugin = await readFile(PLUGIN, 'utf8');
    const future = plugin.replace('patch-9.0.1378', 'patch-99.0.1');
    assert.notEqual(future, plugin);
    await writeFile(join(at.home.path, 'future.vim'), future);
    const vim = at.own(await Vim.start(at.home));
    await vim.ex('unlet g:loaded_mcp | delcommand Mcp | source future.vim');
    assert.match(await vim.ex('Mcp ed'), /^\nmcp: needs Vim 9\.0\.1378 or later with [^\n]*$/);
    assert.equal(await vim.eval("exists('g:loaded_mcp')"), 0);
    await vim.ex('set history=50');
    await vim.typed(':Mcp http://127.0.0.1:1/SECRETTOKEN1234567890/me\r');
    assert.doesNotMatch(await vim.ex('history'), /SECRETTOKEN/);
  });

  it('takes its name from the file when none is given', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home, { files: ['notes.md'] }));
    assert.equal(await broker.join(vim), 'notes.md');
  });

  it('connects by URL over TCP and keeps the token out of the history', async () => {
    const broker = at.own(await Broker.start(at.home, ['--name', 'other']));
    const vim = at.own(await Vim.start(at.home, { vimrc: 'set history=50\n' }));
    const url = printedUrl(at.home, '--name', 'other');
    vim.type(`:Mcp ${url}typed\r`);
    await eventually('it is connected', async () => (await broker.targets()).includes('typed'));
    const token = new URL(url).pathname.split('/')[1] ?? '';
    assert.ok(!(await vim.eval<string>("execute('history all')")).includes(token));
    assert.ok(!(await vim.ex('messages')).includes(token));
    assert.ok(!broker.log.includes(token));
  });

  it('leaves no token in the viminfo file, however the address was typed', async () => {
    const vim = at.own(await Vim.start(at.home, { vimrc: 'set history=50\n' }));
    const token = 'SECRETTOKEN1234567890';
    const address = `127.0.0.1:1/${token}/me`;
    for (const line of [
      `let g:mcp_broker_url = 'http://${address}'`,
      `Mcp http://${address}`,
      `sil Mcp  ${address}`,
      `Mcp http:/${address}`,
      "echo 'kept'",
    ])
      await vim.typed(`:${line}\r`);
    await vim.ex('set encoding=latin1');
    await vim.typed(`:Mcp http://${address}\r`);
    assert.doesNotMatch(await vim.ex('messages'), /SECRETTOKEN/);
    vim.type(':qa!\r');
    const viminfo = await eventually('Vim has written down what it remembers', () =>
      readFile(join(at.home.path, 'viminfo'), 'utf8').catch(() => undefined),
    );
    assert.match(viminfo, /^:echo 'kept'$/m);
    assert.doesNotMatch(viminfo, /SECRETTOKEN/);
  });

  it('connects by g:mcp_broker_url', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home, { vimrc: `let g:mcp_broker_url = '${printedUrl(at.home)}'\n` }));
    assert.equal(await broker.join(vim, 'Mcp by-url'), 'by-url');
  });

  it('chooses among several brokers only as it is told', async () => {
    const one = at.own(await Broker.start(at.home, ['--name', 'one']));
    at.own(await Broker.start(at.home, ['--name', 'two']));
    const vim = at.own(await Vim.start(at.home));
    await vim.ex('Mcp');
    await vim.until("execute('messages') =~ 'several brokers run: one, two'", 1);
    await vim.ex("let g:mcp_broker = 'one'");
    await one.join(vim);
  });

  it('does not believe a file that others could have written', async () => {
    const broker = at.own(await Broker.start(at.home));
    const directory = join(at.home.path, 'run/mcp-multibroker');
    await chmod(join(directory, 'vim-default.json'), 0o644);
    const vim = at.own(await Vim.start(at.home));
    await vim.ex('Mcp');
    await vim.until("execute('messages') =~ 'no broker of yours runs'", 1);
    await chmod(join(directory, 'vim-default.json'), 0o600);
    await broker.join(vim);
  });

  it('gets another name when its own is taken, and keeps it however often it connects', async () => {
    let broker = at.own(await Broker.start(at.home));
    const first = at.own(await Vim.start(at.home));
    const second = at.own(await Vim.start(at.home));
    assert.equal(await broker.join(first, 'Mcp ed'), 'ed');
    assert.equal(await broker.join(second, 'Mcp ed'), 'ed#2');
    const ambiguous = await broker.call('state');
    assert.match(ambiguous.text, /several editors are connected: ed, ed#2/);
    const buffer = await second.buffer(['second']);
    const active = await broker.call('state', { target: 'ed#2' });
    assert.equal((await broker.call('state', { target: '@active' })).value['target'], 'ed#2', active.text);
    assert.match(
      (await broker.call('state', { target: 'nobody' })).text,
      /no editor is named "nobody"; connected: ed, ed#2/,
    );

    process.kill(broker.pid, 'SIGKILL');
    broker = at.own(await Broker.start(at.home));
    await eventually('both are back', async () => (await broker.targets()).sort().join() === 'ed,ed#2');
    assert.equal((await broker.call('read-lines', { target: 'ed#2', buffer })).value['text'], 'second\n');
    await first.ex('McpDisconnect');
    await eventually('one is gone', async () => (await broker.targets()).join() === 'ed#2');
    await first.ex('Mcp ed');
    await eventually('it is back', async () => (await broker.targets()).sort().join() === 'ed,ed#2');
  });

  it('leaves its name to the next one when it quits', async () => {
    const broker = at.own(await Broker.start(at.home));
    for (const files of [['a.txt'], ['b.txt']]) {
      const vim = at.own(await Vim.start(at.home, { files }));
      assert.equal(await broker.join(vim, 'Mcp ed'), 'ed');
      vim.type(':qa!\r');
      await eventually('it has gone', async () => (await broker.targets()).length === 0);
    }
  });

  it('that ends during a call fails the call', async () => {
    const broker = at.own(await Broker.start(at.home));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    const buffer = await vim.buffer(['a']);
    vim.type('V');
    await vim.until('mode()', 'V');
    const pending = broker.call('apply-diff', {
      buffer,
      expected_changedtick: await vim.tick(buffer),
      diff: change(1, 'a', 'b'),
    });
    await vim.until("exists('#mcp_gate#SafeState')", 1);
    await vim.close();
    assert.match((await pending).text, /went away/);
    assert.deepEqual(await broker.targets(), []);
    assert.match((await broker.call('state')).text, /no Vim is connected.*:Mcp/);
  });

  it('that is refused tells why and does not try again', async () => {
    const url = printedUrl(at.home);
    const token = new URL(url).pathname.split('/')[1] ?? '';
    const nonce = 'f'.repeat(32);
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.once('data', (chunk: Buffer) => {
        const [, own, dialled] = JSON.parse(chunk.toString()) as [string, string, string];
        const proof = keyed(token, `broker:${dialled}:${own}:${nonce}`);
        socket.write(`${JSON.stringify(['mcp-vim-proof', nonce, [proof]])}\n`);
        socket.once('data', (hello: Buffer) => {
          const words = JSON.parse(hello.toString()) as unknown[];
          assert.deepEqual(words.slice(0, 5), [
            'mcp-vim',
            `proof:${keyed(token, `editor:${dialled}:${own}:${nonce}`)}`,
            MAJOR,
            MINOR,
            'ed',
          ]);
          socket.end(
            '["call","mcp#dispatch#Run",["state",{}],-1]["call","mcp#dispatch#Run",["refused",{"message":"too old"}],-2]',
          );
        });
      });
    });
    server.listen(Number(new URL(url).port), '127.0.0.1');
    await once(server, 'listening');
    at.own({ close: () => void server.close() });
    const vim = at.own(await Vim.start(at.home, { vimrc: `let g:mcp_broker_url = '${url}'\n` }));
    await vim.ex('Mcp ed');
    await vim.until("execute('messages') =~ 'the broker refused: too old'", 1);
    await vim.until("execute('McpStatus') =~ 'not connected'", 1);
    assert.deepEqual([connections, await vim.eval("execute('messages') =~ 'trying again'")], [1, 0]);
  });

  it('gives nothing away to another program on the port of its broker', async () => {
    const url = printedUrl(at.home);
    const token = new URL(url).pathname.split('/')[1] ?? '';
    const heard: string[] = [];
    const sockets: Socket[] = [];
    const replies = [
      '["ex","let g:owned = 1"]\n',
      '["call","execute",["let g:owned = 1"],-1]\n["mcp-vim-proof","x",[]]\n["ex","let g:owned = 1"]\n',
      `["mcp-vim-proof","${'0'.repeat(32)}",["${'0'.repeat(64)}"]]\n["ex","let g:owned = 1"]\n`,
    ];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        heard.push(chunk.toString());
        socket.write(replies[sockets.length % replies.length] ?? '');
      });
    });
    server.listen(Number(new URL(url).port), '127.0.0.1');
    await once(server, 'listening');
    at.own({
      close: () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    const vim = at.own(await Vim.start(at.home, { vimrc: `let g:mcp_broker_url = '${url}'\n` }));
    await vim.ex('Mcp ed');
    await eventually('it has tried each reply', () => sockets.length > replies.length && heard.length > replies.length);
    assert.equal(await vim.eval("exists('g:owned')"), 0);
    assert.match(await vim.ex('messages'), /does not know the token|no mcp-vim broker/);
    for (const line of heard) assert.match(line, /^\["mcp-vim-prove","[0-9a-f]{32}","127\.0\.0\.1:\d+"\]\n$/);
    assert.ok(!heard.join('').includes(token));
  });
});

describe('discovery', () => {
  it('tells when the port is taken by something else', async () => {
    const home = await makeHome();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, '--bind', `:${port}`], { env: home.env });
    other.close();
    await home.remove();
    assert.equal(status, 1);
    assert.match(stderr.toString(), /^mcp-vim: error: 127\.0\.0\.1:\d+ is in use\..* --name default .* --bind\n$/);
  });

  it('leaves nothing behind', async () => {
    const home = await makeHome();
    const broker = await Broker.start(home);
    await broker.close();
    const directory = join(home.path, 'run/mcp-multibroker');
    await eventually('nothing is left', async () => (await readdir(directory)).length === 0);
    await home.remove();
  });

  it('refuses a folder that is not private', async () => {
    const home = await makeHome();
    await mkdir(join(home.path, 'run/mcp-multibroker'), { mode: 0o755 });
    await writeFile(join(home.path, 'run/mcp-multibroker/vim-default.json'), '{}');
    await assert.rejects(Broker.start(home));
    await home.remove();
  });
});
