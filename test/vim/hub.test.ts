import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { proofOf } from '../../shared/proof.js';
import { type Home, makeHome } from '../kit/home.js';
import { eventually } from '../kit/until.js';
import { Broker } from './broker.js';

const TOKEN = 'the-token-of-the-hub';
const NONCE = '0123456789abcdef0123456789abcdef';

/** A listener in the place of a hub, which takes what comes line by line. */
class FakeHub {
  readonly connections: { readonly socket: Socket; readonly lines: string[] }[] = [];
  port = 0;
  readonly #server = createServer((socket) => {
    const lines: string[] = [];
    this.connections.push({ socket, lines });
    socket.on('error', () => undefined);
    socket
      .setEncoding('utf8')
      .on('data', (text: string) => lines.push(...text.split('\n').filter((line) => line !== '')));
  });

  static async listen(): Promise<FakeHub> {
    const hub = new FakeHub();
    hub.#server.listen(0, '127.0.0.1');
    await once(hub.#server, 'listening');
    hub.port = (hub.#server.address() as { port: number }).port;
    return hub;
  }

  /** The words of a line of a connection, once it has come. */
  async words(connection: number, line: number): Promise<unknown[]> {
    const text = await eventually(`line ${line}`, () => this.connections[connection]?.lines[line]);
    return JSON.parse(text) as unknown[];
  }

  send(connection: number, message: unknown): void {
    this.connections[connection]?.socket.write(`${JSON.stringify(message)}\n`);
  }

  close(): void {
    this.#server.close();
    for (const { socket } of this.connections) socket.destroy();
  }
}

describe('mcp-vim --connect', () => {
  let home: Home;
  let hub: FakeHub;
  let broker: Broker;

  beforeEach(async () => {
    home = await makeHome();
    hub = await FakeHub.listen();
    broker = await Broker.start(home, ['--connect', `http://127.0.0.1:${hub.port}/${TOKEN}/vim`]);
  });
  afterEach(async () => {
    assert.ok(!broker.log.includes(TOKEN));
    await broker.close();
    hub.close();
    await home.remove();
  });

  it('offers its tools to a hub that proves itself, and again when the connection is lost', async () => {
    for (const round of [0, 1]) {
      const [word, theirs, dialled] = await hub.words(round, 0);
      assert.deepEqual([word, dialled], ['mcp-connect-prove', `127.0.0.1:${hub.port}`]);
      const claim = `${String(dialled)}:${String(theirs)}:${NONCE}`;
      hub.send(round, ['mcp-connect-proof', NONCE, ['another', proofOf(TOKEN, 'hub', claim)]]);
      assert.deepEqual(await hub.words(round, 1), ['mcp-connect', `proof:${proofOf(TOKEN, 'child', claim)}`, 'vim']);
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hub', version: '0' } };
      hub.send(round, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
      assert.match(JSON.stringify(await hub.words(round, 2)), /"name":"mcp-vim".*"id":1/);
      hub.connections[round]?.socket.destroy();
    }
  });

  it('tells a listener that does not know the token nothing, and serves it nothing', async () => {
    await hub.words(0, 0);
    hub.send(0, ['mcp-connect-proof', NONCE, [proofOf('another-token-than-that', 'hub', 'x')]]);
    hub.send(0, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await eventually('it says so', () => broker.log.includes('does not know the token'));
    await hub.words(1, 0);
    for (const { lines } of hub.connections) assert.ok(lines.every((line) => line.startsWith('["mcp-connect-prove",')));
  });
});
