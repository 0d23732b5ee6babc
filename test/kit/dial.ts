import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { streamLink } from '../../shared/link.js';
import { socketLink } from '../../shared/socket.js';
import { cleanup } from './cleanup.js';
import { End, type Message } from './end.js';

/** Dials a hub at the address that it prints, by a raw line, as a child. */
export async function dialLine(t: TestContext, url: string, alias: string, token?: string): Promise<End> {
  const socket = await dialled(t, url, alias, token);
  return new End(alias, streamLink('the hub', socket, socket));
}

async function dialled(t: TestContext, url: string, alias: string, token?: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  cleanup(t, () => socket.destroy());
  await once(socket, 'connect');
  socket.write(`${JSON.stringify(['mcp-connect', token ?? pathname.split('/')[1], alias])}\n`);
  return socket;
}

/** Has a program dial a hub as a child: its standard streams are the connection. */
export async function dialProgram(
  t: TestContext,
  url: string,
  alias: string,
  [program = '', ...args]: readonly string[],
): Promise<void> {
  const socket = await dialled(t, url, alias);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  cleanup(t, () => child.kill());
  socket.pipe(child.stdin);
  child.stdout.pipe(socket);
}

/** The same over a WebSocket. */
export async function dialSocket(t: TestContext, url: string, alias: string): Promise<End> {
  const socket = new WebSocket(url.replace('http:', 'ws:') + alias);
  cleanup(t, () => socket.terminate());
  // The link has to be there at once: the first message may have come with the answer to the upgrade.
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(new End(alias, socketLink('the hub', socket))));
    socket.once('error', reject);
  });
}

/** Answers the hub's greeting as a child that offers these tools. */
export async function introduce(child: End, tools: readonly Message[], about: Message = {}): Promise<void> {
  const { id } = await child.next({ method: 'initialize' });
  child.send({
    id,
    result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: child.name }, ...about },
  });
  await child.next({ method: 'notifications/initialized' });
  const list = await child.next({ method: 'tools/list' });
  child.send({ id: list['id'], result: { tools } });
}
