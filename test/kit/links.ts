import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { WebSocket } from 'ws';
import { type Link, memoryLinks, streamLink } from '../../shared/link.js';
import { listen } from '../../shared/listener.js';
import { socketLink } from '../../shared/socket.js';

/** Makes the two ends of a fresh connection. */
export type LinkKind = () => Promise<readonly [Link, Link]>;

/** Every kind of link, by name. */
export const LINK_KINDS: ReadonlyMap<string, LinkKind> = new Map([
  ['memory', () => Promise.resolve(memoryLinks())],
  ['stdio', () => Promise.resolve(pipes())],
  ['TCP', tcp],
  ['WebSocket', webSocket],
]);

function pipes(): [Link, Link] {
  const there = new PassThrough();
  const back = new PassThrough();
  return [streamLink('pipe', back, there), streamLink('pipe', there, back)];
}

async function tcp(): Promise<[Link, Link]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as { port: number }).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  return [streamLink('near', near, near), streamLink('far', far, far)];
}

async function webSocket(): Promise<[Link, Link]> {
  const token = 'a-token-of-the-test';
  let arrived: (link: Link) => void = () => undefined;
  const far = new Promise<Link>((resolve) => {
    arrived = resolve;
  });
  const listener = await listen({ host: '127.0.0.1', port: 0, tokens: () => [token], socket: (link) => arrived(link) });
  const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/${token}/x`);
  const near = socketLink('near', socket);
  await once(socket, 'open');
  socket.once('close', () => void listener.close());
  return [near, await far];
}
