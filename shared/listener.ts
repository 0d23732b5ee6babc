import { chmod, lstat, unlink } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Admission, admit } from './admission.js';
import { NEWLINE, OPEN_ARRAY } from './ascii.js';
import { Fault, systemFault } from './fault.js';
import { limits } from './limits.js';
import { type Link, streamLink } from './link.js';
import { log } from './log.js';

/** Where a connection came in. */
export type Dialled = { readonly host: string; readonly port: number } | { readonly path: string };

/**
 * Takes over a raw-line connection after its first line. It authenticates the words itself, then calls `link.start`;
 * a link that it neither starts nor closes is closed when the time to speak is over.
 */
export type RawHandler = (words: readonly unknown[], link: Link, at: Dialled) => void;

export interface ListenOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** A unix socket to listen on beside the port. */
  readonly socketPath?: string;
  /** The tokens accepted now. */
  readonly tokens: () => readonly string[];
  /** Raw-line protocols by the first word of their first line, a JSON array. */
  readonly raw?: ReadonlyMap<string, RawHandler>;
  /** An admitted HTTP request; `path` is what follows the token. */
  readonly http?: (request: IncomingMessage, response: ServerResponse, path: string) => void;
  /** An admitted WebSocket; `path` is what follows the token. */
  readonly socket?: (link: Link, path: string) => void;
  /** Milliseconds in which a connection must have said who it is; where it is left out, those of `limits`. */
  readonly patience?: number;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Stops listening and ends all connections. */
  close(): Promise<void>;
}

const FIRST_LINE = 8192;

/** Who has said all it has to say may still wait for answers. */
const HALF_OPEN = { allowHalfOpen: true };

/**
 * One TCP port (and a unix socket) for everything: the first byte `[` begins a raw-line protocol, anything else is HTTP
 * or a WebSocket upgrade. Nothing is handed on before it is authenticated, and a silent connection is ended.
 * @throws Fault `busy` when the address is in use, `gone` when it cannot be used.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const http = httpServer(options);
  const connections = new Set<Socket>();
  const accept = (socket: Socket): void => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    sniff(socket, http, options);
  };
  const tcp = createServer({ ...HALF_OPEN, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 }, accept);
  await listening(tcp, { host: options.host, port: options.port }, `${options.host}:${options.port}`);
  const servers = [tcp];
  try {
    if (options.socketPath !== undefined) servers.push(await unixServer(options.socketPath, accept));
  } catch (error) {
    tcp.close();
    throw error;
  }
  const { port } = tcp.address() as { port: number };
  const close = async (): Promise<void> => {
    const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of connections) socket.destroy();
    http.closeAllConnections();
    await Promise.all(closed);
  };
  return { host: options.host, port, close };
}

/** Looks at the first byte and hands the connection on. */
function sniff(socket: Socket, http: Server, options: ListenOptions): void {
  const patience = setTimeout(() => socket.destroy(), options.patience ?? limits.greeting);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => clearTimeout(patience));
  socket.once('data', (chunk: Buffer) => {
    if (chunk[0] === OPEN_ARRAY) {
      rawConnection(socket, chunk, patience, options);
      return;
    }
    clearTimeout(patience);
    socket.pause();
    socket.unshift(chunk);
    http.emit('connection', socket);
    process.nextTick(() => socket.resume());
  });
}

/** Gathers the first line, leaving what follows unread, and then lets the protocol's owner take over. */
function rawConnection(socket: Socket, first: Buffer, patience: NodeJS.Timeout, options: ListenOptions): void {
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(NEWLINE);
    if ((end === -1 ? head.length : end) > FIRST_LINE) socket.destroy();
    if (end === -1 || socket.destroyed) return;
    socket.off('data', onData).pause();
    if (end + 1 < head.length) socket.unshift(head.subarray(end + 1));
    handOver(socket, head.subarray(0, end), patience, options);
  };
  socket.on('data', onData);
  onData(first);
}

function handOver(socket: Socket, line: Buffer, patience: NodeJS.Timeout, options: ListenOptions): void {
  const words = arrayOf(line);
  const handler = typeof words[0] === 'string' ? options.raw?.get(words[0]) : undefined;
  if (handler === undefined) {
    socket.destroy();
    return;
  }
  const link = streamLink(peerName(socket), socket, socket, { onStart: () => clearTimeout(patience) });
  try {
    handler(words, link, dialled(socket, options));
  } catch (error) {
    log.warn(`a connection was refused: ${error instanceof Error ? error.message : String(error)}`);
    socket.destroy();
  }
}

function arrayOf(line: Buffer): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line.toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function dialled(socket: Socket, options: ListenOptions): Dialled {
  const { localAddress, localPort } = socket;
  if (localAddress === undefined || localPort === undefined) return { path: options.socketPath ?? '' };
  return { host: localAddress.replace(/^::ffff:/, ''), port: localPort };
}

function peerName(socket: Socket): string {
  return socket.remoteAddress === undefined
    ? 'a local connection'
    : `${socket.remoteAddress}:${socket.remotePort ?? 0}`;
}

function httpServer(options: ListenOptions): Server {
  const patience = options.patience ?? limits.greeting;
  const times = {
    headersTimeout: patience,
    requestTimeout: patience * 3,
    connectionsCheckingInterval: Math.ceil(patience / 4),
  };
  const server = createHttpServer(times, (request, response) => {
    // The token may stand in the address.
    response.setHeader('referrer-policy', 'no-referrer');
    const admission = admit(request, options.tokens(), options.host);
    if (!admission.admitted) refuse(response, admission);
    else if (options.http === undefined) refuse(response, { status: 404, reason: 'nothing is served here' });
    else options.http(request, response, admission.path);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    void upgrade(request, socket, head, options);
  });
  // The limits above are only enforced by a server that believes it listens.
  server.emit('listening');
  return server;
}

function refuse(response: ServerResponse, { status, reason }: { status: number; reason: string }): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${reason}\n`);
}

async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, options: ListenOptions): Promise<void> {
  const admission: Admission = admit(request, options.tokens(), options.host);
  const accept = options.socket;
  if (!admission.admitted || accept === undefined) {
    const status = admission.admitted ? '404 Not Found' : `${admission.status} ${admission.reason}`;
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    return;
  }
  const { acceptSocket } = await import('./socket.js');
  acceptSocket(request, socket, head, (link) => accept(link, admission.path));
}

async function unixServer(path: string, accept: (socket: Socket) => void): Promise<NetServer> {
  if (await answers(path)) throw new Fault('busy', `another program listens on ${path}`);
  const left = await lstat(path).catch(() => undefined);
  if (left?.isSocket() === true) await unlink(path);
  const server = createServer(HALF_OPEN, accept);
  await listening(server, { path }, path);
  await chmod(path, 0o600);
  return server;
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

function listening(
  server: NetServer,
  where: { host: string; port: number } | { path: string },
  name: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const busy = error.code === 'EADDRINUSE';
      reject(
        busy
          ? new Fault('busy', `${name} is in use`, { cause: error })
          : systemFault(`cannot listen on ${name}`, error),
      );
    });
    server.listen(where, () => {
      server.removeAllListeners('error');
      server.on('error', (error) => log.warn(`${name}: ${error.message}`));
      resolve();
    });
  });
}
