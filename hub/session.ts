import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Fault } from '../shared/fault.js';
import type { IdKey } from '../shared/jsonrpc.js';
import { BaseLink, MAX_UNSENT, type ReplyTo } from '../shared/link.js';
import { oneLine } from '../shared/one-line.js';
import { joined, type Parts } from '../shared/parts.js';
import { Exchange } from './exchange.js';
import { EventStream } from './sse.js';

/** Messages that wait for a client to listen. */
const MOST_UNHEARD = 100;
/** Milliseconds after which a client that has left in the middle of its calls is taken to be gone. */
const GONE = 5000;

/** What the client needs in order to name the session. */
export const SESSION_HEADER = 'mcp-session-id';

/**
 * One session over Streamable HTTP as a link: what comes by POST is delivered, what belongs to a request goes out with
 * its response, all else on the stream that the client opens by GET, or with any response until it does.
 */
export class Session extends BaseLink {
  readonly id: string = randomUUID();
  /** When it was last spoken to, in milliseconds since the epoch. */
  lastUsed: number = Date.now();
  readonly #exchanges = new Map<IdKey, Exchange>();
  #listening: EventStream | undefined;
  #unheard: Buffer[] = [];
  #gone: NodeJS.Timeout | undefined;
  readonly #onEnd: (session: Session) => void;

  constructor(onEnd: (session: Session) => void) {
    super('a client over HTTP');
    this.#onEnd = onEnd;
  }

  /** Whether the client waits for something now. */
  get isBusy(): boolean {
    return this.#exchanges.size > 0 || this.#listening !== undefined;
  }

  /** Whether a request with this id waits for its answer. */
  waits(id: IdKey): boolean {
    return this.#exchanges.has(id);
  }

  /** Takes the text of a message, or of a batch of them, with the requests in it. */
  post(text: Buffer, ids: readonly IdKey[], response: ServerResponse): void {
    this.#used();
    if (ids.length === 0) response.writeHead(202, this.#headers()).end();
    else this.#expect(ids, response);
    this.deliver(text);
  }

  /** A request was cancelled, so that no answer comes. */
  settle(id: IdKey): void {
    this.#exchanges.get(id)?.settle(id);
    this.#exchanges.delete(id);
  }

  /** Opens the stream for what belongs to no request; one that was open ends, since its reader may be long gone. */
  listen(response: ServerResponse): void {
    this.#used();
    this.#listening?.end();
    const stream = new EventStream(response, this.#headers());
    this.#listening = stream;
    for (const message of this.#unheard.splice(0)) stream.send(message);
    response.once('close', () => {
      if (this.#listening === stream) this.#listening = undefined;
    });
  }

  protected override open(): void {
    // Nothing to begin: requests bring what there is to read.
  }

  protected override write(parts: Parts): void {
    const message = oneLine(joined(parts));
    const [anyone] = this.#exchanges.values();
    const way = this.#listening ?? anyone;
    if (way === undefined) this.#keep(message);
    else way.send(message);
    if ((way?.unsent ?? 0) > MAX_UNSENT) this.ended(new Fault('gone', `${this.name} does not read`));
  }

  protected override writeReply({ id, last }: ReplyTo, parts: Parts): void {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) {
      // The client has left the request; its answer has nowhere to go.
      if (!last) this.write(parts);
      return;
    }
    const message = oneLine(joined(parts));
    if (last) {
      this.#exchanges.delete(id);
      exchange.answer(id, message);
    } else exchange.send(message);
    this.lastUsed = Date.now();
  }

  protected override shut(): void {
    clearTimeout(this.#gone);
    for (const exchange of new Set(this.#exchanges.values())) exchange.end();
    this.#exchanges.clear();
    this.#listening?.end();
    this.#onEnd(this);
  }

  #headers(): Record<string, string> {
    return { [SESSION_HEADER]: this.id };
  }

  #expect(ids: readonly IdKey[], response: ServerResponse): void {
    const exchange = new Exchange(ids, response, this.#headers());
    for (const id of ids) this.#exchanges.set(id, exchange);
    response.once('close', () => {
      const left = [...this.#exchanges].filter(([, each]) => each === exchange);
      for (const [id] of left) this.#exchanges.delete(id);
      if (left.length > 0) this.#left();
    });
  }

  #used(): void {
    this.lastUsed = Date.now();
    clearTimeout(this.#gone);
  }

  /** The client has closed the connection of a call that may still run. */
  #left(): void {
    clearTimeout(this.#gone);
    if (this.isBusy) return;
    const gone = (): void => this.ended(new Fault('gone', `${this.name} went away`));
    this.#gone = setTimeout(gone, GONE).unref();
  }

  #keep(message: Buffer): void {
    this.#unheard.push(message);
    if (this.#unheard.length > MOST_UNHEARD) this.#unheard.shift();
  }
}
