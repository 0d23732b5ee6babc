import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { Fault } from './fault.js';
import { limits } from './limits.js';
import { BaseLink, type Link } from './link.js';
import { oneLine } from './one-line.js';
import { joined, type Parts } from './parts.js';

class SocketLink extends BaseLink {
  readonly #socket: WebSocket;

  constructor(name: string, socket: WebSocket) {
    super(name);
    this.#socket = socket;
    socket.pause();
    socket.on('error', (error) =>
      this.ended(new Fault('gone', `the connection to ${this.name} was lost: ${error.message}`)),
    );
    socket.on('close', () => this.ended(new Fault('gone', `${this.name} closed the connection`)));
  }

  protected override open(): void {
    this.#socket.on('message', (data: RawData) => this.deliver(oneLine(bytesOf(data))));
    this.#socket.resume();
  }

  protected override write(parts: Parts): void {
    this.#socket.send(joined(parts), { binary: false });
    this.checkUnsent(this.#socket.bufferedAmount, () => this.#socket.terminate());
  }

  protected override shut(): void {
    this.#socket.close();
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

/** A WebSocket as a link: one text frame a message. */
export function socketLink(name: string, socket: WebSocket): Link {
  return new SocketLink(name, socket);
}

/** Parts of a message at most: each costs memory, however small it is. */
const MOST_FRAGMENTS = 64;

let server: WebSocketServer | undefined;

function socketServer(): WebSocketServer {
  const sizes = { maxPayload: limits.message, maxFragments: MOST_FRAGMENTS };
  server ??= new WebSocketServer({ noServer: true, clientTracking: false, ...sizes });
  return server;
}

/** Completes the upgrade of an admitted request. */
export function acceptSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  accept: (link: Link) => void,
): void {
  socketServer().handleUpgrade(request, socket, head, (accepted) => accept(socketLink('a WebSocket', accepted)));
}
