/** What somebody who means harm may try with a hub, where no other test has it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { call, post, session } from '../kit/by-hand.js';
import { cleanup } from '../kit/cleanup.js';
import { dialLine, dialSocket, introduce } from '../kit/dial.js';
import { folder, freshHome } from '../kit/home.js';
import { answerJson, answerUsual, posted, SERVED, serveHttp } from '../kit/http-server.js';
import { child, HubProcess, PROGRAM, ROOT, run } from '../kit/hub.js';
import { tool } from '../kit/inside.js';
import { LeanClient } from '../kit/lean.js';
import { reachable } from '../kit/reachable.js';
import { eventually, soon } from '../kit/until.js';
import { exchange, Wire } from '../kit/wire.js';

const HOST = 'Host: 127.0.0.1';
const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];

function tokenIn(url: string): string {
  return new URL(url).pathname.split('/')[1] ?? '';
}

/** The most memory that a process has had, in bytes. */
async function peak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** An object that is nested so deep. */
function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

const MIB = 1024 * 1024;

describe('a page in a browser', () => {
  it('reaches nothing under another name of this machine, whatever it says of itself', async (t) => {
    const { url } = await reachable(t);
    const [port, path] = [Number(new URL(url).port), `${new URL(url).pathname}mcp`];
    for (const [status, ...lines] of [
      [403, 'Host: evil.example'],
      [403, `Host: evil.example:${port}`, `Origin: http://evil.example:${port}`],
      [403, 'Host: localhost.evil.example'],
      [403, HOST, 'Origin: null'],
      [403, HOST, 'Origin: https://evil.example'],
      [403, HOST, 'Origin: http://[::ffff:10.0.0.1]'],
      [400, HOST, 'Host: evil.example'],
    ] as const)
      for (const more of [[], UPGRADE]) {
        const answer = await exchange(port, `GET ${path} HTTP/1.1`, ...lines, ...more);
        assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), lines.join());
      }
    assert.match(await exchange(port, `GET http://evil.example${path} HTTP/1.1`, HOST), /^HTTP\/1\.1 400 /);
  });

  it('gets no leave to read answers, and makes nothing happen with what it may send unasked', async (t) => {
    const { hub, url } = await reachable(t, ...child('c', 'plain'), '--eager');
    const [port, path] = [Number(new URL(url).port), `${new URL(url).pathname}mcp`];
    const asked = await exchange(
      port,
      `OPTIONS ${path} HTTP/1.1`,
      ...[HOST, 'Origin: http://localhost:1', 'Access-Control-Request-Method: POST', 'Connection: close'],
    );
    assert.match(asked, /^HTTP\/1\.1 405 /);
    assert.doesNotMatch(asked, /access-control/i);
    const own = await session(`${url}mcp`);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const params = { name: 'c.add', arguments: { name: 'planted' } };
      const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params };
      assert.equal((await post(`${url}mcp`, body, { ...own, 'content-type': type })).status, 415);
    }
    const { status, headers } = await post(`${url}mcp`, { jsonrpc: '2.0', id: 3, method: 'ping' }, own);
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, null]);
    const names = await hub.client.toolNames();
    assert.deepEqual([names.includes('c.echo'), names.includes('c.planted')], [true, false]);
  });
});

describe('a connection', () => {
  it('that is reset while it becomes a WebSocket, a thousand times, ends nothing', async (t) => {
    const { hub, url } = await reachable(t, ...child('c', 'plain'));
    const { port, pathname } = new URL(url);
    for (let round = 0; round < 20; round += 1)
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const wire = await Wire.open(Number(port));
          const path = index % 2 === 0 ? `${pathname}c` : '/c';
          wire.socket.write([`GET ${path} HTTP/1.1`, HOST, ...UPGRADE, '', ''].join('\r\n'), () =>
            wire.socket.resetAndDestroy(),
          );
          await wire.closed;
        }),
      );
    assert.equal((await hub.client.call('c.echo', { a: 1 })).text, '{"a":1}');
  });

  it('that says nothing, or never ends what it says, is ended, and others are served meanwhile', async (t) => {
    const { hub, url } = await reachable(t, ...child('c', 'plain'), '--greeting-time', '1');
    const { port, pathname } = new URL(url);
    const starts = [
      '',
      '["mcp-connect"',
      `GET ${pathname}mcp HTTP/1.1\r\n${HOST}\r\n`,
      `POST ${pathname}mcp HTTP/1.1\r\n${HOST}\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 9\r\n\r\n{`,
      `["mcp-connect-prove","${'0'.repeat(32)}","127.0.0.1:${port}"]\n`,
    ];
    const wires = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const wire = await Wire.open(Number(port));
        await wire.write(starts[index % starts.length] ?? '');
        return wire;
      }),
    );
    assert.equal((await hub.client.call('c.echo', { a: 1 })).text, '{"a":1}');
    await soon('end of all', Promise.all(wires.map(({ closed }) => closed)), 30_000);
    const own = await session(`${url}mcp`);
    assert.match(await call(`${url}mcp`, own, 'c.echo', { a: 2 }), /\{\\"a\\":2\}/);
  });

  for (const [what, path] of [
    ['a folder above', '/../../../../etc/passwd'],
    ['the same, encoded', '/%2e%2e/%2e%2e/etc/passwd'],
    ['the secret', '/../secret'],
    ['another address', '//evil.example/mcp'],
  ] as const)
    it(`that asks for ${what} gets 404 with a token, and 401 without`, async (t) => {
      const { url } = await reachable(t);
      const { port } = new URL(url);
      const get = (to: string): Promise<string> =>
        exchange(Number(port), `GET ${to} HTTP/1.1`, HOST, 'Connection: close');
      assert.match(await get(`/${tokenIn(url)}${path}`), /^HTTP\/1\.1 404 /);
      assert.match(await get(path), /^HTTP\/1\.1 401 /);
    });

  it('puts no line of its own into the answer, the log or the screen of who reads that', async (t) => {
    const { hub, url } = await reachable(t);
    const port = Number(new URL(url).port);
    const forged = 'x\u001b[31m\r\nmcp-multibroker: all is well\r\nSet-Cookie: a=b';
    await (await dialLine(t, url, forged)).ended();
    await (await dialLine(t, url, 'vim', forged)).ended();
    for (const target of [`/${encodeURIComponent(forged)}`, `/${tokenIn(url)}/${encodeURIComponent(forged)}`])
      assert.doesNotMatch(
        await exchange(port, `GET ${target} HTTP/1.1`, HOST, 'Connection: close'),
        /set-cookie|all is well/i,
      );
    await hub.close();
    assert.match(hub.stderr, /a child that dialled in was refused/);
    assert.doesNotMatch(hub.stderr, /^mcp-multibroker: all is well/m);
    assert.ok(!hub.stderr.includes('\u001b'));
  });
});

describe('the token', () => {
  it('is in no answer and no log, wherever in a request it stands', async (t) => {
    const { hub, url } = await reachable(t, ...child('c', 'plain'));
    const token = tokenIn(url);
    const own = await session(`${url}mcp`);
    const told: string[] = [];
    for (const [to, headers] of [
      [`${url}mcp`, { referer: url, 'x-forwarded-uri': `/${token}/` }],
      [`${url}${token}`, {}],
      [`${url}sse`, { 'mcp-session-id': token }],
      [new URL(`/x/${token}`, url).href, { referer: url }],
      [new URL('/mcp', url).href, { authorization: `Bearer ${token}x` }],
    ] as const) {
      const response = await post(to, { jsonrpc: '2.0', id: 1, method: 'nothing' }, { ...own, ...headers });
      const text = await response.text();
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
      told.push(text, JSON.stringify([...response.headers]));
    }
    const dialled = await dialLine(t, url, `${token}_`);
    await dialled.ended();
    await hub.close();
    assert.ok(!hub.stderr.includes(token));
    for (const text of told) assert.ok(!text.includes(token), text);
  });

  it('of a client goes to no server behind the hub, however it was given', async (t) => {
    const seen: string[] = [];
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const message = await posted(request);
      seen.push(request.url ?? '', JSON.stringify(request.rawHeaders), JSON.stringify(message));
      if (!answerUsual(response, message)) answerJson(response, message.id, SERVED);
    };
    const far = await serveHttp(t, (request, response) => void serve(request, response));
    const { hub, url } = await reachable(t, 'far', far, '--bearer', 'the-own-token-of-far', ...child('c', 'plain'));
    const token = tokenIn(url);
    const bearer = { authorization: `Bearer ${token}`, 'x-api-key': token, cookie: `t=${token}` };
    for (const [to, headers] of [
      [`${url}mcp`, {}],
      [new URL('/mcp', url).href, bearer],
    ] as const) {
      const own = await session(to, headers);
      assert.match(await call(to, own, 'far.x', {}), /served/);
      const environment = await call(to, own, 'c.env', {});
      assert.ok(environment.includes('HOME') && !environment.includes(token));
    }
    assert.ok(seen.some((text) => text.includes('Bearer the-own-token-of-far')));
    assert.deepEqual(
      seen.filter((text) => text.includes(token)),
      [],
    );
    const { result } = (await hub.client.request('tools/list')) as { result: unknown };
    assert.ok(!JSON.stringify(result).includes('the-own-token-of-far'));
  });
});

describe('what is sent', () => {
  it('by fifty clients under one id comes back to each with its own answer', async (t) => {
    const { url } = await reachable(t, ...child('c', 'plain'));
    const clients = await Promise.all(Array.from({ length: 50 }, () => session(`${url}mcp`)));
    for (const id of [1, '1', 0]) {
      const answers = await Promise.all(
        clients.map((own, index) => call(`${url}mcp`, own, 'c.echo', { nonce: `n${index}.` }, id)),
      );
      for (const [index, answer] of answers.entries()) {
        assert.ok(answer.includes(`n${index}.`) && answer.includes(`"id":${JSON.stringify(id)}`), answer);
      }
    }
  });

  it('too deep is refused on every way in, and the hub goes on', async (t) => {
    const { hub, url } = await reachable(t, ...child('c', 'plain'), '--eager');
    const own = await session(`${url}mcp`);
    const line = await dialLine(t, url, 'line');
    const socket = await dialSocket(t, url, 'socket');
    for (const end of [line, socket]) await introduce(end, [tool('x')]);
    for (const depth of [65, 4200, 150_000]) {
      const text = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"c.echo","arguments":${nested(depth)}}}`;
      const response = await post(`${url}mcp`, text, own);
      assert.deepEqual([response.status, /deeper than 64 levels/.test(await response.text())], [400, true]);
      for (const end of [line, socket]) end.sendText(text);
    }
    assert.equal((await hub.client.call('c.echo', { a: 1 })).text, '{"a":1}');
    assert.match(await call(`${url}mcp`, own, 'c.echo', { a: 2 }), /\{\\"a\\":2\}/);
  });

  it('is bounded as the person says', async (t) => {
    const { url } = await reachable(t, ...child('c', 'plain'), '--max-depth', '10', '--max-message', '1');
    const own = await session(`${url}mcp`);
    const status = async (args: string): Promise<number> => {
      const params = `{"name":"c.echo","arguments":${args}}`;
      const body = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${params}}`;
      const response = await post(`${url}mcp`, body, own);
      // Its head may come before its answer, until which the id is taken.
      await response.text();
      return response.status;
    };
    assert.deepEqual([await status(nested(6)), await status(nested(12))], [200, 400]);
    assert.deepEqual(
      [await status(`{"a":"${'x'.repeat(MIB / 2)}"}`), await status(`{"a":"${'x'.repeat(MIB)}"}`)],
      [200, 413],
    );
    for (const wrong of [
      ['--max-depth', '5000'],
      ['--max-message', '0'],
      ['--greeting-time', '1.5'],
      ['--max-unread', '0'],
      ['--max-unread', '63'],
      ['--question-time', '9'],
    ])
      assert.equal((await run(wrong, await freshHome(t))).code, 2);
  });

  it('is not kept without end for a client that does not read', async (t) => {
    const args = [PROGRAM, '--stdio', '--max-message', '1', '--max-unread', '1', ...child('c', 'plain')];
    const hub = spawn(process.execPath, args, { cwd: ROOT, env: await freshHome(t), stdio: ['pipe', 'pipe', 'pipe'] });
    cleanup(t, () => hub.kill('SIGKILL'));
    const client = new LeanClient(hub.stdout, hub.stdin);
    await client.greet();
    hub.stdout.pause();
    const said = text(hub.stderr);
    for (let id = 0; id < 8; id += 1)
      client.send({ id, method: 'tools/call', params: { name: 'c.big', arguments: { size: MIB / 2 } } });
    await soon('end', once(hub, 'exit'), 20_000);
    assert.match(await said, /the client does not read: more than 1048576 bytes wait for it; the connection is ended/);
  });

  it('to fill the memory does not', async (t) => {
    const { hub, url } = await reachable(t, ...child('c', 'plain'), '--eager', '--max-message', '4');
    const own = await session(`${url}mcp`);
    const before = await peak(hub.pid);
    const many = (length: number): string => '[],'.repeat(length / 3 - 1);
    const bomb = `{"jsonrpc":"2.0","method":"x","params":{"a":[${many(4 * MIB - 100)}[]]}}`;
    for (let round = 0; round < 8; round += 1) assert.equal((await post(`${url}mcp`, bomb, own)).status, 202);
    const long = await post(`${url}mcp`, `{"a":"${'x'.repeat(30 * MIB)}"}`, own).then(
      ({ status }) => status,
      // The hub need not take all of what it refuses.
      () => 413,
    );
    assert.equal(long, 413);
    const parts = new WebSocket(`${url.replace('http:', 'ws:')}parts`);
    cleanup(t, () => parts.terminate());
    parts.on('error', () => undefined);
    await once(parts, 'open');
    for (let part = 0; part < 100_000 && parts.readyState === WebSocket.OPEN; part += 1) parts.send('', { fin: false });
    const [code] = (await soon('end', once(parts, 'close'), 20_000)) as [number];
    assert.ok(code === 1008 || code === 1009 || code === 1006, String(code));
    const line = await Wire.open(Number(new URL(url).port));
    line.socket.write(`["mcp-connect","${tokenIn(url)}","line"]\n`);
    for (let part = 0; part < 64 && !line.socket.destroyed; part += 1) await line.write(Buffer.alloc(MIB, 'x'));
    await soon('end of the line', line.closed);
    assert.equal((await hub.client.call('c.echo', { a: 1 })).text, '{"a":1}');
    const grown = (await peak(hub.pid)) - before;
    assert.ok(grown < 200 * MIB, `${Math.round(grown / MIB)} MiB more`);
  });

  it('under names that all objects have is like any other', async (t) => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const tools = names.flatMap((name) => ['--tool', name]);
    const { hub, url } = await reachable(t, ...child('constructor', 'plain', ...tools), '--eager');
    const listed = await hub.client.toolNames();
    for (const name of names) {
      assert.ok(listed.includes(`constructor.${name}`), name);
      assert.equal((await hub.client.call(`constructor.${name}`)).error, undefined);
    }
    assert.match((await hub.client.call('__proto__.x')).error?.message ?? '', /no server has/);
    const own = await session(`${url}mcp`);
    const polluting = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const params = `{"name":"constructor.echo","arguments":${polluting},"__proto__":{"x":1}}`;
    const body = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${params},"__proto__":{"id":3}}`;
    const answer = await (await post(`${url}mcp`, body, own)).text();
    assert.match(answer, /\{\\"__proto__\\":\{\\"polluted\\":1\},\\"constructor\\"/);
    assert.match(answer, /"id":2[,}]/);
  });
});

describe('what is started', () => {
  it('is the program that was named, with its words, and no shell sees them', async (t) => {
    const place = await folder(t);
    const planted = join(place, 'planted');
    const words = [
      `$(touch ${planted})`,
      `\`touch ${planted}\``,
      `;touch ${planted}`,
      `| touch ${planted}`,
      '*',
      '-rf',
    ];
    const { client } = await HubProcess.greeted(t, child('c', 'plain', ...words));
    assert.equal((await client.call('c.echo', { a: 1 })).text, '{"a":1}');
    const program = ['d', `stdio:${process.execPath} -e "" ; touch ${planted}`];
    const other = await HubProcess.greeted(t, program);
    assert.ok((await other.client.call('d.x')).error);
    assert.equal(existsSync(planted), false);
  });
});

describe('a folder of the configuration', () => {
  async function linked(t: TestContext): Promise<Record<string, string>> {
    const env = await freshHome(t);
    const elsewhere = await folder(t);
    await mkdir(env['XDG_CONFIG_HOME'] ?? '', { recursive: true });
    await symlink(elsewhere, join(env['XDG_CONFIG_HOME'] ?? '', 'mcp-multibroker'));
    return env;
  }

  it('that is a link is not followed', async (t) => {
    const env = await linked(t);
    for (const args of [
      ['--print-url'],
      ['init'],
      ['rotate'],
      ['rules', 'add', 'vim-x', '--decision', 'allow', '--action', 'read'],
    ]) {
      const { code, stdout, stderr } = await run(args, env);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /mcp-multibroker (must|has to) be a folder of/);
    }
    const hub = await HubProcess.greeted(t, child('c', 'plain'), env);
    assert.equal((await hub.client.call('c.echo', { a: 1 })).text, '{"a":1}');
    await eventually('it says that nobody can dial in', () => hub.stderr.includes('children cannot dial in here'));
  });
});
