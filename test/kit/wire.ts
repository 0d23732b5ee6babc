import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A raw connection: what comes is gathered until the other side ends it. */
export class Wire {
  readonly socket: Socket;
  /** Fulfilled with all that came, once the connection has ended in whatever way. */
  readonly closed: Promise<string>;
  /** What has come so far. */
  text = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      this.text += chunk;
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', () => resolve(this.text));
    });
  }

  /** Connects to a port of this machine, or to a unix socket. */
  static async open(where: number | string): Promise<Wire> {
    const socket = typeof where === 'number' ? connect(where, '127.0.0.1') : connect(where);
    socket.setNoDelay();
    await once(socket, 'connect');
    return new Wire(socket);
  }

  /** Writes the pieces as packets of their own. */
  async write(...pieces: readonly (string | Buffer)[]): Promise<void> {
    for (const piece of pieces) {
      await new Promise<void>((resolve) => {
        this.socket.write(piece, () => setImmediate(resolve));
      });
    }
  }
}

/** Sends one HTTP request as it is and takes the answer. */
export async function exchange(where: number | string, ...lines: readonly string[]): Promise<string> {
  const wire = await Wire.open(where);
  await wire.write(`${lines.join('\r\n')}\r\n\r\n`);
  return wire.closed;
}

/** Whether somebody listens on a port of this machine. */
export async function listens(port: number): Promise<boolean> {
  const wire = await Wire.open(port).catch(() => undefined);
  wire?.socket.destroy();
  return wire !== undefined;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
