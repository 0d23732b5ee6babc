import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { WebSocket } from 'ws';
import { makeHome } from '../kit/home.js';
import { eventually } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { ALLOW, Broker, change, DENY, PROGRAM } from './broker.js';
import { pair } from './fixture.js';

/** A client over HTTP of one era. */
async function httpClient(url: string, era: 'legacy' | 'modern', decision: typeof ALLOW): Promise<Client> {
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client(
    { name: era, version: '0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', () => decision);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

describe('MCP over HTTP beside stdio', () => {
  const at = pair({ args: ['--token', 'a-token-for-http-tests', '--bind', ':0'] });

  const url = async (): Promise<string> => {
    const file = `${at.home.path}/run/mcp-multibroker/vim-default.json`;
    return (JSON.parse(await readFile(file, 'utf8')) as { url: string }).url;
  };

  for (const era of ['legacy', 'modern'] as const) {
    it(`serves ${era} clients, who are asked as well`, async () => {
      const buffer = await at.vim.buffer(['one']);
      const willing = await httpClient(await url(), era, ALLOW);
      const unwilling = await httpClient(await url(), era, DENY);
      const args = { buffer, expected_changedtick: await at.vim.tick(buffer), diff: change(1, 'one', 'two') };
      const denied = await unwilling.callTool({ name: 'apply-diff', arguments: args });
      assert.equal(denied.isError, true);
      assert.deepEqual(await at.vim.lines(buffer), ['one']);
      const allowed = await willing.callTool({ name: 'apply-diff', arguments: args });
      assert.notEqual(allowed.isError, true, JSON.stringify(allowed));
      assert.deepEqual(await at.vim.lines(buffer), ['two']);
      assert.equal((await at.broker.call('read-lines', { buffer })).value['text'], 'two\n');
      assert.deepEqual(at.broker.questions, []);
      await Promise.all([willing.close(), unwilling.close()]);
    });
  }

  it('takes an answer once, for exactly what was asked', async () => {
    const buffer = await at.vim.buffer(['one', 'two']);
    const tick = await at.vim.tick(buffer);
    const call = async (diff: string, more: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
      const response = await fetch(await url(), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'apply-diff',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'apply-diff',
            arguments: { buffer, expected_changedtick: tick, diff },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
              'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
            },
            ...more,
          },
        }),
      });
      return ((await response.json()) as { result: Record<string, unknown> }).result;
    };
    const first = change(1, 'one', '1');
    const second = change(2, 'two', '2');
    const asked = await call(first);
    assert.equal(asked['resultType'], 'input_required', JSON.stringify(asked));
    const answered = { requestState: asked['requestState'], inputResponses: { permission: ALLOW } };
    assert.equal((await call(second, answered))['resultType'], 'input_required');
    assert.equal((await call(first, answered))['resultType'], 'input_required');
    assert.deepEqual(await at.vim.lines(buffer), ['one', 'two']);
    const again = await call(first);
    const done = await call(first, { requestState: again['requestState'], inputResponses: { permission: ALLOW } });
    assert.notEqual(done['isError'], true, JSON.stringify(done));
    assert.deepEqual(await at.vim.lines(buffer), ['1', 'two']);
  });

  it('serves WebSockets', async () => {
    const socket = new WebSocket((await url()).replace('http:', 'ws:'));
    await once(socket, 'open');
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'ws', version: '0' } };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    const [message] = (await once(socket, 'message')) as [Buffer];
    assert.match(message.toString(), /"name":"mcp-vim"/);
    socket.close();
    await once(socket, 'close');
  });

  it('refuses strangers, other kinds of content, and sessions that are not there', async () => {
    const base = await url();
    const post = async (to: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(to, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })).status;
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    assert.equal(await post(base.replace('a-token-for-http-tests', 'another-token-for-tests'), json), 401);
    assert.equal(await post(base, { 'content-type': 'text/plain' }), 415);
    assert.equal(await post(base, { ...json, origin: 'http://evil.example' }), 403);
    assert.equal(await post(`${base}elsewhere`, json), 404);
    assert.equal(await post(base, { ...json, 'mcp-session-id': 'none' }), 404);
    const deep = await fetch(base, { method: 'POST', headers: json, body: '['.repeat(100_000) });
    assert.equal(deep.status, 400);
    const session = await post(base, json);
    assert.equal(session, 400);
  });
});

describe('mcp-vim as a process', () => {
  it('serves modern clients over stdio', async () => {
    const home = await makeHome();
    const broker = await Broker.start(home, [], { modern: true });
    const vim = await Vim.start(home);
    await broker.join(vim, 'Mcp ed');
    const buffer = await vim.buffer(['one']);
    const args = { buffer, expected_changedtick: await vim.tick(buffer), diff: change(1, 'one', 'two') };
    const result = await broker.call('apply-diff', args);
    assert.equal(result.isError, false, result.text);
    assert.deepEqual([await vim.lines(buffer), broker.questions.length], [['two'], 1]);
    await vim.close();
    await broker.close();
    await home.remove();
  });

  it('answers what was asked before its input ended, then exits', async () => {
    const home = await makeHome();
    const child = spawn(process.execPath, [PROGRAM, '--stdio'], { env: home.env, stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const lines = [
      {
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '0' } },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'targets', arguments: {} } },
    ];
    child.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const [code] = (await once(child, 'close')) as [number];
    const answers = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: Record<string, unknown> });
    assert.deepEqual([code, answers.map(({ id }) => id).sort()], [0, [0, 1, 2]]);
    assert.match(JSON.stringify(answers), /Begin with targets/);
    await home.remove();
  });

  it('outlives what is no message', async () => {
    const home = await makeHome();
    const child = spawn(process.execPath, [PROGRAM, '--stdio'], { env: home.env, stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const ping = { jsonrpc: '2.0', id: 'after', method: 'ping' };
    child.stdin.end(`nonsense\n${'['.repeat(100_000)}\n{}\n{"jsonrpc":"2.0","id":[1]}\n${JSON.stringify(ping)}\n`);
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 0);
    assert.match(output, /-32700.*"id":"after"/s);
    await home.remove();
  });

  it('refuses what needs permission where nobody can be asked, unless it was allowed before', async () => {
    const home = await makeHome();
    for (const [args, text] of [
      [[], /could not be asked: there is no display.*--auto-allow/s],
      [['--ask', 'mcp', '--auto-allow', '*,write'], /cannot ask for it.*--auto-allow open/s],
      [['--auto-allow', 'open'], /no Vim is connected/],
      [['--auto-allow', 'open', '--auto-deny', '*'], /denied by --auto-deny/],
    ] as const) {
      const broker = await Broker.start(home, args, { elicitation: false });
      const { FakeVim } = await import('./fake-vim.js');
      const { url, socket } = JSON.parse(
        await readFile(`${home.path}/run/mcp-multibroker/vim-default.json`, 'utf8'),
      ) as { url: string; socket: string };
      assert.ok(socket.endsWith('.sock'));
      const connects = !text.source.startsWith('no Vim');
      const vim = connects ? await FakeVim.connect(url) : undefined;
      vim?.send(['mcp-vim', new URL(url).pathname.split('/')[1], 1, 0, 'fake', 'i']);
      if (connects && !args.includes('--auto-deny' as never)) {
        await eventually('it is connected', async () => (await broker.targets()).length === 1);
      } else if (connects) {
        await eventually('it is connected', () => broker.log.includes('fake connected'));
      }
      const result = await broker.call('open', { path: 'x' });
      assert.match(result.text, text);
      vim?.close();
      await broker.close();
    }
    await home.remove();
  });

  it('has the version of the package', async () => {
    const { version } = JSON.parse(await readFile(resolve(import.meta.dirname, '../../../package.json'), 'utf8')) as {
      version: string;
    };
    const child = spawn(process.execPath, [PROGRAM, '--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    assert.equal(chunk.toString(), `${version}\n`);
  });
});
