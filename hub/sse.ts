import type { ServerResponse } from 'node:http';

/** How often a stream that is silent shows that it is alive, in milliseconds: proxies end what says nothing. */
const KEEP_ALIVE = 25_000;

/** Milliseconds after which a client that has lost a stream is to come back for it. */
const RETRY = 1000;

/** A response as a stream of server-sent events, one message each (MCP basic/transports, Streamable HTTP). */
export class EventStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>) {
    this.#response = response;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    });
    response.flushHeaders();
    const timer = setInterval(() => response.write(': alive\n\n'), KEEP_ALIVE).unref();
    response.once('close', () => clearInterval(timer));
  }

  /** Bytes that wait for the reader. */
  get unsent(): number {
    return this.#response.writableLength;
  }

  /** Tells the client where it is, so that it can come back for the rest; later revisions only know such an event. */
  mark(id: string): void {
    this.#response.write(`id: ${id}\nretry: ${RETRY}\ndata: \n\n`);
  }

  /** Sends a message as the event with this id. */
  sendAs(id: string, message: Buffer): void {
    this.#response.cork();
    this.#response.write(`id: ${id}\n`);
    this.send(message);
    this.#response.uncork();
  }

  /** Sends a message, which holds no line end, or another kind of event. */
  send(message: Buffer, kind = 'message'): void {
    this.#response.cork();
    this.#response.write(`event: ${kind}\ndata: `);
    this.#response.write(message);
    this.#response.write('\n\n');
    this.#response.uncork();
  }

  end(): void {
    this.#response.end();
  }

  /** Ends it with the connection, whatever has not been read. */
  cut(): void {
    this.#response.destroy();
  }
}
