/** How much mcp-vim takes from those who reach it, and what it says of itself to all others. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { call, post, session } from '../kit/by-hand.js';
import { soon } from '../kit/until.js';
import { Vim } from '../kit/vim.js';
import { exchange, Wire } from '../kit/wire.js';
import { Broker, printedUrl } from './broker.js';
import { stage } from './fixture.js';

const HOST = 'Host: 127.0.0.1';
const MIB = 1024 * 1024;

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

async function peak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

describe('mcp-vim', () => {
  const at = stage();

  it('passes nothing too deep to Vim, and both go on', async () => {
    const broker = at.own(await Broker.start(at.home, ['--auto-allow', 'write,exec']));
    const vim = at.own(await Vim.start(at.home));
    await broker.join(vim, 'Mcp ed');
    const url = printedUrl(at.home);
    const own = await session(url);
    for (const depth of [65, 4200, 150_000]) {
      const params = `{"name":"eval","arguments":{"expression":"1","x":${nested(depth)}}}`;
      const response = await post(url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`, own);
      assert.equal(response.status, 400);
    }
    // What is deep inside a text is one text.
    const { text } = await broker.call('eval', { expression: `json_encode(${JSON.stringify(nested(60))})` });
    assert.match(text, /a/);
    assert.equal((await broker.call('state')).isError, false);
    assert.equal(await vim.eval('1 + 1'), 2);
  });

  it('is bounded as the person says, and its memory too', async () => {
    const limits = ['--max-depth', '10', '--max-message', '1', '--greeting-time', '1'];
    const broker = at.own(await Broker.start(at.home, limits));
    const url = printedUrl(at.home);
    const own = await session(url);
    assert.match(await call(url, own, 'state', {}), /no Vim is connected/);
    const before = await peak(broker.pid);
    const long = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"${'x'.repeat(MIB)}"}}`;
    for (let round = 0; round < 10; round += 1) assert.equal((await post(url, long, own)).status, 413);
    assert.equal((await post(url, `{"jsonrpc":"2.0","id":1,"method":"x","params":${nested(12)}}`, own)).status, 400);
    const wires = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const wire = await Wire.open(Number(new URL(url).port));
        await wire.write(['', '["mcp-vim"', `GET / HTTP/1.1\r\n${HOST}\r\n`][index % 3] ?? '');
        return wire;
      }),
    );
    await soon('end of all', Promise.all(wires.map(({ closed }) => closed)), 30_000);
    assert.match(await call(url, own, 'state', {}), /no Vim is connected/);
    const grown = (await peak(broker.pid)) - before;
    assert.ok(grown < 150 * MIB, `${Math.round(grown / MIB)} MiB more`);
  });

  it('is reached under no other name of this machine, and with no leave for pages', async () => {
    at.own(await Broker.start(at.home));
    const url = printedUrl(at.home);
    const [port, path] = [Number(new URL(url).port), new URL(url).pathname];
    for (const [status, ...lines] of [
      [403, 'Host: evil.example'],
      [403, HOST, 'Origin: null'],
      [403, HOST, 'Origin: https://evil.example'],
      [400, HOST, HOST],
    ] as const)
      assert.match(
        await exchange(port, `GET ${path} HTTP/1.1`, ...lines, 'Connection: close'),
        new RegExp(`^HTTP/1\\.1 ${status} `),
        lines.join(),
      );
    const asked = await exchange(
      port,
      `OPTIONS ${path} HTTP/1.1`,
      ...[HOST, 'Origin: http://localhost:1', 'Access-Control-Request-Method: POST', 'Connection: close'],
    );
    assert.match(asked, /^HTTP\/1\.1 4/);
    assert.doesNotMatch(asked, /access-control-allow/i);
    assert.match(asked, /^referrer-policy: no-referrer\r$/im);
    for (const where of ['../secret', '%2e%2e/secret', 'x/y'])
      assert.match(await exchange(port, `GET ${path}${where} HTTP/1.1`, HOST, 'Connection: close'), /^HTTP\/1\.1 404 /);
  });
});
