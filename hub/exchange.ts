import type { ServerResponse } from 'node:http';
import type { IdKey } from '../shared/jsonrpc.js';
import { endAtOnce } from '../shared/whole.js';
import type { Journal } from './journal.js';
import { EventStream } from './sse.js';

/** Milliseconds after which a client that hears nothing may give up, or something between that forwards the response. */
const QUIET = 20_000;

/** How the response to a POST is given. */
export interface ExchangeOptions {
  /** It is a stream of events from the beginning. */
  readonly isStream?: boolean;
  /** Keeps what is sent on the stream, for a client that loses it. */
  readonly journal?: Journal;
  /** The client understands an event without a message, which says where the stream begins. */
  readonly isMarked?: boolean;
}

/**
 * The response to one POST with requests. A single request that is answered soon and without anything before it gets plain
 * JSON; else the response becomes a stream of events, which ends with the last answer.
 */
export class Exchange {
  #response: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #options: ExchangeOptions;
  readonly #open: Set<IdKey>;
  readonly #isSingle: boolean;
  readonly #quiet: NodeJS.Timeout;
  #stream: EventStream | undefined;
  #isLost = false;

  constructor(
    ids: readonly IdKey[],
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    options: ExchangeOptions = {},
  ) {
    this.#open = new Set(ids);
    this.#isSingle = ids.length === 1;
    this.#response = response;
    this.#headers = headers;
    this.#options = options;
    this.#quiet = setTimeout(() => this.#shown(), QUIET).unref();
    if (options.isStream === true) this.#streaming();
  }

  /** The requests that wait for their answers. */
  get ids(): Iterable<IdKey> {
    return this.#open;
  }

  get unsent(): number {
    return this.#isLost ? 0 : this.#response.writableLength;
  }

  /** Whether the client has lost the stream, and may come back for it. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The answer to a request; its status counts where nothing was sent before it. */
  answer(id: IdKey, message: Buffer, status = 200): void {
    if (this.#isSingle && this.#stream === undefined) this.#answerPlain(message, status);
    else this.send(message);
    this.settle(id);
  }

  /** What belongs to a request and is not its answer. */
  send(message: Buffer): void {
    const stream = this.#streaming();
    const id = this.#options.journal?.add(message);
    if (this.#isLost) return;
    if (id === undefined) stream.send(message);
    else stream.sendAs(id, message);
  }

  /** A request needs no answer any more. */
  settle(id: IdKey): void {
    this.#open.delete(id);
    if (this.#open.size > 0) return;
    clearTimeout(this.#quiet);
    if (this.#isLost || this.#response.writableEnded) return;
    if (this.#stream === undefined) this.#response.writeHead(202, this.#headers).end();
    else this.#stream.end();
  }

  /** Ends it without the answers. */
  end(): void {
    for (const id of [...this.#open]) this.settle(id);
  }

  /** Ends it with the connection, whatever has not been read. */
  cut(): void {
    this.#response.destroy();
  }

  /** A response was closed. Whether that leaves something for which the client can come back. */
  left(response: ServerResponse): boolean {
    if (response !== this.#response) return true;
    clearTimeout(this.#quiet);
    this.#isLost = this.#stream !== undefined && this.#options.journal !== undefined && !response.writableFinished;
    return this.#isLost;
  }

  /** Goes on with another response, behind so many messages; whether those after them are still known. */
  takeUp(response: ServerResponse, behind: number): boolean {
    const missed = this.#options.journal?.after(behind);
    if (missed === undefined) return false;
    if (!this.#isLost) this.#response.destroy();
    this.#isLost = false;
    this.#response = response;
    this.#stream = new EventStream(response, this.#headers);
    for (const [message, id] of missed) this.#stream.sendAs(id, message);
    if (this.#open.size === 0) this.#stream.end();
    return true;
  }

  /** Shows that the answer is still awaited. */
  #shown(): void {
    if (!this.#response.destroyed) this.#streaming();
  }

  #streaming(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    const { journal, isMarked } = this.#options;
    this.#stream = new EventStream(this.#response, this.#headers);
    if (journal !== undefined && isMarked === true) this.#stream.mark(journal.place);
    return this.#stream;
  }

  #answerPlain(message: Buffer, status: number): void {
    const headers = { 'content-type': 'application/json', 'content-length': message.length, ...this.#headers };
    endAtOnce(this.#response.writeHead(status, headers), message);
  }
}
