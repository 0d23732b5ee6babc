import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { cleanup } from './cleanup.js';

/** What lies between a client and a server over HTTP, and can cut all their connections. */
export interface Cuttable {
  readonly url: string;
  cut(): void;
}

/** Puts it before the server at an address. */
export async function cuttable(t: TestContext, url: string): Promise<Cuttable> {
  const { hostname, port, pathname } = new URL(url);
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
  };
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    keep(near);
    keep(far);
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  cleanup(t, () => {
    server.close();
    cut();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`, cut };
}
