import type { ServerResponse } from 'node:http';
import type { IdKey } from '../shared/jsonrpc.js';
import { EventStream } from './sse.js';

/**
 * The response to one POST with requests. A single request that is answered without anything before it gets plain JSON;
 * else the response becomes a stream of events, which ends with the last answer.
 */
export class Exchange {
  readonly #response: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #open: Set<IdKey>;
  readonly #isSingle: boolean;
  #stream: EventStream | undefined;

  constructor(ids: readonly IdKey[], response: ServerResponse, headers: Readonly<Record<string, string>>) {
    this.#open = new Set(ids);
    this.#isSingle = ids.length === 1;
    this.#response = response;
    this.#headers = headers;
  }

  /** The requests that wait for their answers. */
  get ids(): Iterable<IdKey> {
    return this.#open;
  }

  get unsent(): number {
    return this.#response.writableLength;
  }

  /** The answer to a request; its status counts where nothing was sent before it. */
  answer(id: IdKey, message: Buffer, status = 200): void {
    if (this.#isSingle && this.#stream === undefined) this.#answerPlain(message, status);
    else this.send(message);
    this.settle(id);
  }

  /** What belongs to a request and is not its answer. */
  send(message: Buffer): void {
    this.#stream ??= new EventStream(this.#response, this.#headers);
    this.#stream.send(message);
  }

  /** A request needs no answer any more. */
  settle(id: IdKey): void {
    this.#open.delete(id);
    if (this.#open.size > 0 || this.#response.writableEnded) return;
    if (this.#stream === undefined) this.#response.writeHead(202, this.#headers).end();
    else this.#stream.end();
  }

  /** Ends it without the answers. */
  end(): void {
    for (const id of [...this.#open]) this.settle(id);
  }

  #answerPlain(message: Buffer, status: number): void {
    const headers = { 'content-type': 'application/json', 'content-length': message.length, ...this.#headers };
    this.#response.writeHead(status, headers).end(message);
  }
}
