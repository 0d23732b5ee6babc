import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { type Dialled, type Listener, type ListenOptions, listen, type RawHandler } from '../../shared/listener.js';
import { folder } from '../kit/home.js';
import { soon } from '../kit/until.js';
import { exchange, Wire } from '../kit/wire.js';

const TOKEN = 'the-token-of-this-test';
const HOST = 'Host: 127.0.0.1';

/** Says each line back. */
const echo: RawHandler = (words, link) => {
  link.start({ message: (bytes) => link.send(JSON.stringify(words), ' ', bytes), end: () => undefined });
};

async function listening(t: TestContext, options: Partial<ListenOptions> = {}): Promise<Listener> {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    tokens: () => [TOKEN],
    http: (_, response, path) => response.writeHead(200, { connection: 'close' }).end(`path=${path}`),
    raw: new Map([['echo', echo]]),
    ...options,
  });
  t.after(() => listener.close());
  return listener;
}

describe('an HTTP request', () => {
  for (const [what, status, ...lines] of [
    ['no token', 401, 'GET /x HTTP/1.1', HOST],
    ['no path', 401, 'GET / HTTP/1.1', HOST],
    ['a part of the token', 401, `GET /${TOKEN.slice(0, -1)}/x HTTP/1.1`, HOST],
    [
      'a wrong bearer beside the right path',
      401,
      `GET /${TOKEN}/x HTTP/1.1`,
      HOST,
      'Authorization: Bearer other-token',
    ],
    ['a Host that is a name', 403, `GET /${TOKEN}/x HTTP/1.1`, 'Host: evil.example'],
    ['a Host that only begins well', 403, `GET /${TOKEN}/x HTTP/1.1`, 'Host: 127.0.0.1.evil.example'],
    ['a Host that is another address', 403, `GET /${TOKEN}/x HTTP/1.1`, 'Host: 10.0.0.1'],
    ['an empty Host', 403, `GET /${TOKEN}/x HTTP/1.1`, 'Host:'],
    ['an Origin that is a name', 403, `GET /${TOKEN}/x HTTP/1.1`, HOST, 'Origin: http://evil.example'],
    ['the Origin null', 403, `GET /${TOKEN}/x HTTP/1.1`, HOST, 'Origin: null'],
    ['no Host', 400, `GET /${TOKEN}/x HTTP/1.1`],
    ['two Hosts', 400, `GET /${TOKEN}/x HTTP/1.1`, HOST, HOST],
    ['a whole URL as its target', 400, `GET http://127.0.0.1/${TOKEN}/x HTTP/1.1`, HOST],
    ['a target that is no path', 400, 'OPTIONS * HTTP/1.1', HOST],
  ] as const) {
    it(`with ${what} gets ${status}`, async (t) => {
      const { port } = await listening(t);
      assert.match(await exchange(port, ...lines), new RegExp(`^HTTP/1\\.1 ${status} `));
    });
  }

  for (const [what, path, ...lines] of [
    ['the token in its path', '/x?y=1', `GET /${TOKEN}/x?y=1 HTTP/1.1`, HOST],
    ['the token alone', '', `GET /${TOKEN} HTTP/1.1`, 'Host: localhost:1'],
    ['the token as bearer', '/x', 'GET /x HTTP/1.1', 'Host: [::1]:80', `authorization: bearer ${TOKEN}`],
    ['an Origin of this machine', '/', `GET /${TOKEN}/ HTTP/1.1`, HOST, 'Origin: http://localhost:5173'],
  ] as const) {
    it(`with ${what} is admitted`, async (t) => {
      const { port } = await listening(t);
      assert.match(await exchange(port, ...lines), new RegExp(`^HTTP/1\\.1 200 [^]*path=${path.replace('?', '\\?')}`));
    });
  }

  it('is judged by the tokens that are accepted then', async (t) => {
    const tokens = ['one-token', 'two-token'];
    const { port } = await listening(t, { tokens: () => tokens });
    assert.match(await exchange(port, 'GET /two-token/ HTTP/1.1', HOST), /^HTTP\/1\.1 200/);
    tokens.pop();
    assert.match(await exchange(port, 'GET /two-token/ HTTP/1.1', HOST), /^HTTP\/1\.1 401/);
  });

  it('gets 404 where nothing is served', async (t) => {
    const listener = await listen({ host: '127.0.0.1', port: 0, tokens: () => [TOKEN] });
    t.after(() => listener.close());
    assert.match(await exchange(listener.port, `GET /${TOKEN}/ HTTP/1.1`, HOST), /^HTTP\/1\.1 404/);
  });
});

describe('a WebSocket', () => {
  const upgrade = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  const socket: ListenOptions['socket'] = (link, path) => {
    link.start({ message: (bytes) => link.send(path, ' ', bytes), end: () => undefined });
  };

  it('is admitted with the token only', async (t) => {
    const { port } = await listening(t, { socket });
    assert.match(await exchange(port, 'GET /x HTTP/1.1', HOST, ...upgrade), /^HTTP\/1\.1 401 /);
    const good = new WebSocket(`ws://127.0.0.1:${port}/${TOKEN}/x`);
    t.after(() => good.terminate());
    await once(good, 'open');
    good.send('\u00fc');
    const [data] = (await once(good, 'message')) as [Buffer];
    assert.equal(data.toString(), '/x \u00fc');
  });

  it('of a web page is refused', async (t) => {
    const { port } = await listening(t, { socket });
    const target = `GET /${TOKEN}/x HTTP/1.1`;
    assert.match(await exchange(port, target, HOST, ...upgrade, 'Origin: https://evil.example'), /^HTTP\/1\.1 403 /);
    assert.match(await exchange(port, target, 'Host: evil.example', ...upgrade), /^HTTP\/1\.1 403 /);
  });

  it('gets 404 where none is served', async (t) => {
    const { port } = await listening(t);
    assert.match(await exchange(port, `GET /${TOKEN}/x HTTP/1.1`, HOST, ...upgrade), /^HTTP\/1\.1 404 /);
  });

  it('that is reset while it is made harms nobody else', async (t) => {
    const { port } = await listening(t, { socket });
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const wire = await Wire.open(port);
        const path = index % 2 === 0 ? `/${TOKEN}/x` : '/x';
        wire.socket.write([`GET ${path} HTTP/1.1`, HOST, ...upgrade, '', ''].join('\r\n'), () =>
          wire.socket.resetAndDestroy(),
        );
        await wire.closed;
      }),
    );
    assert.match(await exchange(port, `GET /${TOKEN}/ HTTP/1.1`, HOST), /^HTTP\/1\.1 200/);
  });
});

describe('a raw connection', () => {
  it('is known by its first line, however it is cut, and what follows is kept', async (t) => {
    const { port } = await listening(t);
    const bytes = Buffer.from('["echo","\u00fc"]\n{"a":"\u{1f600}"}\n');
    for (const cuts of [[], [1], [8, 9], [15], [22, 23, 24], [...bytes.keys()]]) {
      const wire = await Wire.open(port);
      const ends = [...cuts, bytes.length];
      await wire.write(...ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)));
      await soon('echo', once(wire.socket, 'data'));
      assert.equal(wire.text, '["echo","\u00fc"] {"a":"\u{1f600}"}\n');
      wire.socket.destroy();
    }
  });

  for (const [what, line] of [
    ['of an unknown kind', '["nothing"]\n'],
    ['named as a part of every object', '["__proto__"]\n'],
    ['that is no list of words', '[1]\n'],
    ['that is no JSON', '[echo\n'],
    ['whose first line does not end', `["echo","${'x'.repeat(9000)}`],
    ['whose first line is too long', `["echo","${'x'.repeat(9000)}"]\n`],
  ] as const) {
    it(`${what} is ended at once`, async (t) => {
      const { port } = await listening(t);
      const wire = await Wire.open(port);
      wire.socket.write(line);
      assert.equal(await soon('end', wire.closed, 3000), '');
    });
  }

  it('is ended when its handler throws', async (t) => {
    const { port } = await listening(t, {
      raw: new Map([
        [
          'bad',
          () => {
            throw new Error('a fault of the handler');
          },
        ],
      ]),
    });
    t.mock.method(process.stderr, 'write', () => true);
    const wire = await Wire.open(port);
    wire.socket.write('["bad"]\n');
    assert.equal(await soon('end', wire.closed, 3000), '');
  });
});

describe('a connection that does not say who it is', { concurrency: true }, () => {
  const patience = 200;
  const ending = async (t: TestContext, text: string): Promise<string> => {
    const raw = new Map<string, RawHandler>([['idle', () => undefined]]);
    const { port } = await listening(t, { patience, raw });
    const wire = await Wire.open(port);
    if (text !== '') await wire.write(text);
    return soon('end', wire.closed, 3000);
  };

  it('is ended when it is silent', async (t) => assert.equal(await ending(t, ''), ''));
  it('is ended within its first line', async (t) => assert.equal(await ending(t, '["ech'), ''));
  it('is ended within its header', async (t) => {
    assert.match(await ending(t, `GET /${TOKEN}/ HTTP/1.1\r\n${HOST}\r\n`), /^(HTTP\/1\.1 408|$)/);
  });
  it('is ended when nobody takes it', async (t) => assert.equal(await ending(t, '["idle"]\n'), ''));

  it('is not mistaken for one that has', async (t) => {
    const { port } = await listening(t, { patience });
    const taken = await Wire.open(port);
    await taken.write('["echo"]\n');
    const silent = await Wire.open(port);
    await soon('end', silent.closed, 3000);
    await taken.write('1\n');
    await soon('echo', once(taken.socket, 'data'));
    assert.equal(taken.text, '["echo"] 1\n');
  });
});

describe('a listener', () => {
  it('says that its port is in use', async (t) => {
    const { port } = await listening(t);
    await assert.rejects(listening(t, { port }), { kind: 'busy', message: `127.0.0.1:${port} is in use` });
  });

  it('says that its address is not here', async (t) => {
    await assert.rejects(listening(t, { host: '192.0.2.1' }), {
      kind: 'gone',
      message: /cannot listen on 192\.0\.2\.1:0/,
    });
  });

  it('ends all connections when it is closed, and lets go of its port', async (t) => {
    const listener = await listening(t);
    const wires = await Promise.all([Wire.open(listener.port), Wire.open(listener.port)]);
    await wires[0]?.write('["echo"]\n');
    await listener.close();
    await Promise.all(wires.map(({ closed }) => soon('end', closed)));
    assert.equal((await listening(t, { port: listener.port })).port, listener.port);
  });
});

describe('a unix socket beside the port', () => {
  it('is for its owner only, and tells its connections from those of the port', async (t) => {
    const socketPath = join(await folder(t), 's');
    const met: Dialled[] = [];
    const raw = new Map<string, RawHandler>([
      [
        'here',
        (_, link, at) => {
          met.push(at);
          link.close();
        },
      ],
    ]);
    const { port } = await listening(t, { socketPath, raw });
    assert.equal((await stat(socketPath)).mode & 0o777, 0o600);
    for (const where of [socketPath, port]) {
      const wire = await Wire.open(where);
      await wire.write('["here"]\n');
      await wire.closed;
    }
    assert.deepEqual(met, [{ path: socketPath }, { host: '127.0.0.1', port }]);
  });

  it('takes the place of one that was left behind', async (t) => {
    const socketPath = join(await folder(t), 's');
    const left = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(process.argv[1], () => console.log('up'))`,
      socketPath,
    ]);
    await once(left.stdout, 'data');
    left.kill('SIGKILL');
    await once(left, 'exit');
    await listening(t, { socketPath });
    assert.match(await exchange(socketPath, `GET /${TOKEN}/ HTTP/1.1`, HOST), /^HTTP\/1\.1 200/);
  });

  it('that is in use makes the port free again', async (t) => {
    const socketPath = join(await folder(t), 's');
    await listening(t, { socketPath });
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    await assert.rejects(listening(t, { port, socketPath }), { kind: 'busy', message: /another program listens on/ });
    assert.equal((await listening(t, { port })).port, port);
  });
});
