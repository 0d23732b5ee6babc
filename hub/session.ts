import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../shared/fault.js';
import type { IdKey } from '../shared/jsonrpc.js';
import { BaseLink, type ReplyTo } from '../shared/link.js';
import { oneLine } from '../shared/one-line.js';
import { joined, type Parts } from '../shared/parts.js';
import { Exchange } from './exchange.js';
import { Journal, type Place, placeOf } from './journal.js';
import { EventStream } from './sse.js';

/** Messages that wait for a client to listen. */
const MOST_UNHEARD = 100;
/** Streams whose rest is kept for a client that has lost them. */
const MOST_LOST = 16;
/** The first revision in which an event may be without a message. */
const MARKED_SINCE = '2025-11-25';
const REVISION_HEADER = 'mcp-protocol-version';
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
  /** Those for whose rest the client may come, by the number of the stream. */
  readonly #streams = new Map<number, Exchange>();
  /** Requests that still run although the client has left their responses. */
  readonly #abandoned = new Set<IdKey>();
  /** What belongs to no request. */
  readonly #journal = new Journal(0);
  #lastStream = 0;
  #listening: EventStream | undefined;
  #unheard: (readonly [message: Buffer, id: string])[] = [];
  #gone: NodeJS.Timeout | undefined;
  readonly #onEnd: (session: Session) => void;

  constructor(onEnd: (session: Session) => void) {
    super('a client over HTTP');
    this.#onEnd = onEnd;
  }

  /** Whether the client waits for something now. */
  get isBusy(): boolean {
    return this.#listening !== undefined || this.#reachable !== undefined;
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
    this.#abandoned.delete(id);
  }

  /**
   * Opens the stream for what belongs to no request; one that was open ends, since its reader may be long gone. Where the
   * client names the last event that it heard, it gets what followed that one on its stream; false where that is not known.
   */
  listen(response: ServerResponse, after?: string): boolean {
    this.#used();
    const place = after === undefined ? undefined : placeOf(after);
    if (after !== undefined && place === undefined) return false;
    if (place !== undefined && place.stream !== this.#journal.stream) return this.#takeUp(place, response);
    const missed = place === undefined ? this.#unheard : this.#journal.after(place.behind);
    if (missed === undefined) return false;
    this.#listening?.end();
    const stream = new EventStream(response, this.#headers());
    this.#listening = stream;
    for (const [message, id] of missed) stream.sendAs(id, message);
    this.#unheard = [];
    response.once('close', () => {
      if (this.#listening === stream) this.#listening = undefined;
      if (this.#exchanges.size + this.#abandoned.size > 0) this.#left();
    });
    return true;
  }

  protected override open(): void {
    // Nothing to begin: requests bring what there is to read.
  }

  protected override write(parts: Parts): void {
    const message = oneLine(joined(parts));
    const way = this.#listening ?? this.#reachable;
    if (way instanceof Exchange) way.send(message);
    else {
      const id = this.#journal.add(message);
      if (way === undefined) this.#keep(message, id);
      else way.sendAs(id, message);
    }
    this.checkUnsent(way?.unsent ?? 0, () => way?.cut());
  }

  protected override writeReply({ id, last }: ReplyTo, parts: Parts): void {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) {
      // The client has left the request; its answer has nowhere to go.
      if (last) this.#abandoned.delete(id);
      else this.write(parts);
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
    this.#streams.clear();
    this.#listening?.end();
    this.#onEnd(this);
  }

  #headers(): Record<string, string> {
    return { [SESSION_HEADER]: this.id };
  }

  /** An exchange by which something can be said to the client now. */
  get #reachable(): Exchange | undefined {
    for (const exchange of this.#exchanges.values()) if (!exchange.isLost) return exchange;
    return undefined;
  }

  #expect(ids: readonly IdKey[], response: ServerResponse): void {
    this.#lastStream += 1;
    const journal = new Journal(this.#lastStream);
    const isStream = prefersEvents(response.req);
    const isMarked = String(response.req.headers[REVISION_HEADER] ?? '') >= MARKED_SINCE;
    const exchange = new Exchange(ids, response, this.#headers(), { journal, isStream, isMarked });
    for (const id of ids) this.#exchanges.set(id, exchange);
    this.#streams.set(journal.stream, exchange);
    this.#watch(journal.stream, exchange, response);
  }

  /** Goes on with a stream that the client has lost. */
  #takeUp({ stream, behind }: Place, response: ServerResponse): boolean {
    const exchange = this.#streams.get(stream);
    if (exchange?.takeUp(response, behind) !== true) return false;
    this.#watch(stream, exchange, response);
    return true;
  }

  #watch(stream: number, exchange: Exchange, response: ServerResponse): void {
    response.once('close', () => {
      if (exchange.left(response)) this.#forgetOldest();
      else this.#drop(stream, exchange);
      if ([...exchange.ids].length > 0 && (exchange.isLost || !this.#streams.has(stream))) this.#left();
    });
  }

  /** Nobody can come for the rest of it. */
  #drop(stream: number, exchange: Exchange): void {
    this.#streams.delete(stream);
    for (const id of exchange.ids) {
      this.#exchanges.delete(id);
      this.#abandoned.add(id);
    }
  }

  #forgetOldest(): void {
    const lost = [...this.#streams].filter(([, { isLost }]) => isLost);
    const oldest = lost.length > MOST_LOST ? lost[0] : undefined;
    if (oldest !== undefined) this.#drop(...oldest);
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

  #keep(message: Buffer, id: string): void {
    this.#unheard.push([message, id]);
    if (this.#unheard.length > MOST_UNHEARD) this.#unheard.shift();
  }
}

/** Whether a client, which has to take both kinds of response, names the stream of events first. */
function prefersEvents({ headers: { accept = '' } }: IncomingMessage): boolean {
  const events = accept.indexOf('text/event-stream');
  return events !== -1 && events < accept.indexOf('application/json');
}
