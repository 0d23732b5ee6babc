import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../shared/backoff.js';
import { asFault, Fault } from '../shared/fault.js';
import { errorObject, Frame, type IdKey, idKey } from '../shared/jsonrpc.js';
import { BaseLink } from '../shared/link.js';
import { log } from '../shared/log.js';
import { oneLine } from '../shared/one-line.js';
import { joined, type Parts } from '../shared/parts.js';
import { wholeBody } from '../shared/whole.js';
import { Envelope } from './envelope.js';
import { events, isEvents, Place } from './events.js';
import { headerText, mirroredOf, mirrorHeaders } from './mirrored.js';
import { MODERN, NAMED } from './modern.js';
import { type Catalogue, NOTHING, objectOf } from './protocol.js';
import { type Headers, Requests, refusal } from './requests.js';
import type { OAuthClient } from './sign-in.js';

/** A server that is reached by a URL. */
export interface RemoteSpec {
  readonly url: string;
  /** Sent with each request; they may hold secrets. */
  readonly headers: ReadonlyMap<string, string>;
  /** How the hub is known to the authorization server, where the person says so. */
  readonly client?: OAuthClient;
}

/** A request that waits for its answer. */
interface Underway {
  readonly end: AbortController;
  readonly isModern: boolean;
}

/** Milliseconds for a server to take the end of a session. */
const GOODBYE = 2000;
/** How often a server that is away is asked for the rest of an answer. */
const ATTEMPTS = 5;
/** Statuses by which a server of 2024-11-05 answers a POST to the address of its event stream. */
const OLDER: ReadonlySet<number> = new Set([400, 404, 405]);

const SESSION = 'mcp-session-id';

/**
 * A connection to a server over Streamable HTTP (MCP basic/transports), or over the event stream and its endpoint of
 * protocol 2024-11-05 where the server knows no other. Nothing that may have run is sent twice: where an answer is cut
 * off, the request fails.
 */
export class RemoteLink extends BaseLink {
  /** Called when the server may have said something that was not heard: before its stream was open, or while it was cut. */
  onUnheard: () => void = () => undefined;
  /** What the server offers, as soon as it is known. */
  catalogue: () => Catalogue = () => NOTHING;
  readonly #spec: RemoteSpec;
  readonly #url: URL;
  readonly #requests: Requests;
  /** Where messages go: the address itself, or the endpoint that an older server names. */
  #endpoint: URL;
  #isOlder = false;
  #session: string | undefined;
  #revision: string | undefined;
  /** Requests under way. */
  readonly #open = new Map<IdKey, Underway>();
  readonly #closed = new AbortController();
  /** The notifications sent so far have been taken; what follows must not overtake them. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(name: string, spec: RemoteSpec) {
    super(name);
    this.#spec = spec;
    for (const [header, value] of spec.headers) log.hideNamed(header, value);
    this.#url = new URL(spec.url);
    this.#endpoint = this.#url;
    this.#requests = new Requests(name, this.#url, spec.headers.has('authorization') ? undefined : (spec.client ?? {}));
  }

  protected override open(): void {
    // Nothing is read before something was asked.
  }

  protected override write(parts: Parts): void {
    const bytes = joined(parts);
    const frame = Frame.parse(bytes);
    if (frame.method === 'notifications/cancelled' && this.#cancelled(frame)) return;
    const before = this.#before;
    const sent = before.then(() => (this.#closed.signal.aborted ? undefined : this.#send(frame)));
    sent.catch((error: unknown) => this.ended(asFault(error)));
    if (frame.kind === 'request') return;
    this.#before = sent.catch(() => undefined);
    if (frame.method === 'notifications/initialized') void this.#before.then(() => this.#listen());
  }

  protected override shut(): void {
    const leaving = this.#session === undefined ? undefined : this.#request('DELETE', AbortSignal.timeout(GOODBYE));
    leaving?.then((response) => response.resume()).catch(() => undefined);
    this.#closed.abort();
    for (const { end } of this.#open.values()) end.abort();
  }

  async #send(frame: Frame): Promise<void> {
    const isRequest = frame.kind === 'request';
    const end = new AbortController();
    if (isRequest) this.#open.set(frame.idKey, { end, isModern: Envelope.isIn(frame) });
    const { signal } = end;
    try {
      const response = await this.#request('POST', signal, frame);
      if (response.statusCode === 404 && this.#session !== undefined && !Envelope.isIn(frame)) {
        if (isRequest) this.#fail(frame, this.#gone('it has ended the session and did not take this; repeat it'));
        throw this.#gone('it ended the session');
      }
      if (isRequest) await this.#answered(frame, response, signal);
      else response.resume();
    } catch (error) {
      if (!signal.aborted) this.#failed(frame, error instanceof Fault ? error : this.#gone(asFault(error).message));
    } finally {
      if (isRequest) this.#open.delete(frame.idKey);
    }
  }

  /** What one request may not do, others may; everything else ends the connection. */
  #failed(frame: Frame, fault: Fault): void {
    if (frame.kind !== 'request' || fault.kind !== 'denied') throw fault;
    this.#fail(frame, fault);
  }

  async #answered(frame: Frame, response: IncomingMessage, signal: AbortSignal): Promise<void> {
    const status = response.statusCode ?? 0;
    const session = response.headers[SESSION];
    if (frame.method === 'initialize' && typeof session === 'string') this.#session = session;
    if (frame.method === 'initialize' && !this.#isOlder && OLDER.has(status)) {
      response.resume();
      await this.#fallBack(frame);
    } else if (status === 202 && this.#isOlder) response.resume();
    else if (status !== 200) await this.#refused(frame, response);
    else if (isEvents(response)) await this.#answeredByEvents(frame, response, signal);
    else this.#take(frame, await wholeBody(response));
  }

  /**
   * The answer is the last event of the response. One that ends without it is taken up where it was heard last, if the
   * server gave its events ids; else it was cut off.
   */
  async #answeredByEvents(frame: Frame, response: IncomingMessage, signal: AbortSignal): Promise<void> {
    let isAnswered = false;
    const place = new Place();
    const take = (text: Buffer): void => {
      isAnswered ||= isAnswerTo(oneLine(text), frame);
      this.#take(frame, text);
    };
    let stream: IncomingMessage | undefined = response;
    while (stream !== undefined) {
      await events(stream, take, place).catch(() => undefined);
      stream = isAnswered ? undefined : await this.#takenUp(place, signal);
    }
    if (!isAnswered)
      this.#fail(frame, this.#gone(`its answer to ${frame.method} was cut off; it may have been carried out`));
  }

  /** The rest of a stream that ended early, which asks for nothing anew; nothing where it cannot be had. */
  async #takenUp(place: Place, signal: AbortSignal): Promise<IncomingMessage | undefined> {
    if (place.id === undefined) return undefined;
    const backoff = new Backoff();
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      try {
        await sleep(place.retry ?? backoff.next(0), undefined, { signal, ref: false });
        const response = await this.#request('GET', signal, undefined, place.id);
        if (isEvents(response)) return response;
        response.resume();
        return undefined;
      } catch {
        // It may be back in a moment; where nobody waits any more, the next sleep ends at once.
      }
    }
    return undefined;
  }

  #take(frame: Frame, text: Buffer): void {
    const line = oneLine(text);
    if (frame.method === 'initialize' && isAnswerTo(line, frame)) this.#revision = revisionIn(line);
    this.deliver(line, frame.idKey);
  }

  #fail(frame: Frame, fault: Fault): void {
    const error = JSON.stringify(errorObject(fault));
    this.deliver(joined(['{"jsonrpc":"2.0","id":', frame.id, ',"error":', error, '}']));
  }

  /** Ends a request by ending its response. Whether that is all, as it is from 2026-07-28 on. */
  #cancelled(frame: Frame): boolean {
    const span = frame.at('requestId');
    const underway = span === undefined ? undefined : this.#open.get(idKey(frame.bytes, span));
    // The answer may come on a stream of its own, to which nobody listens any more.
    underway?.end.abort();
    return underway?.isModern === true;
  }

  /** From 2026-07-28 on the body says why in the protocol's own words; without that it is no such server. */
  async #refused(frame: Frame, response: IncomingMessage): Promise<void> {
    const { statusCode: status = 0 } = response;
    const said = await wholeBody(response).catch(() => Buffer.alloc(0));
    const error = Envelope.isIn(frame) ? errorIn(said) : undefined;
    if (error !== undefined) this.deliver(joined(['{"jsonrpc":"2.0","id":', frame.id, ',"error":', error, '}']));
    else this.#fail(frame, refusal(this.name, status, said, Envelope.isIn(frame)));
  }

  /** Hears what the server says by itself, as long as the connection stands; a server need not offer that. */
  async #listen(): Promise<void> {
    const backoff = new Backoff();
    const place = new Place();
    let wasOpen = false;
    while (!this.#closed.signal.aborted && !this.#isOlder) {
      const since = performance.now();
      try {
        const response = await this.#request('GET', this.#closed.signal, undefined, place.id);
        if (!isEvents(response)) {
          response.resume();
          if (wasOpen && response.statusCode === 404) this.ended(this.#gone('it ended the session'));
          return;
        }
        wasOpen = true;
        this.onUnheard();
        await events(response, (text) => this.deliver(oneLine(text)), place);
      } catch {
        // It is opened again below; that the server is away shows with the next request.
      }
      await sleep(place.retry ?? backoff.next(performance.now() - since), undefined, {
        signal: this.#closed.signal,
        ref: false,
      }).catch(() => undefined);
    }
  }

  /** Protocol 2024-11-05: a stream of events whose first one names the address for messages. */
  async #fallBack(frame: Frame): Promise<void> {
    const response = await this.#request('GET', this.#closed.signal);
    if (!isEvents(response))
      throw refusal(this.name, response.statusCode ?? 0, await wholeBody(response).catch(() => Buffer.alloc(0)));
    const named = await new Promise<URL>((resolve, reject) => {
      const take = (text: Buffer, kind: string | undefined): void => {
        if (kind === 'endpoint') resolve(new URL(text.toString(), this.#url));
        else this.deliver(oneLine(text));
      };
      const over = (): void => {
        const why = this.#gone('it ended the event stream');
        reject(why);
        this.ended(why);
      };
      events(response, take).then(over, over);
    });
    if (named.origin !== this.#url.origin) throw this.#gone(`it names an address of somebody else, ${named.origin}`);
    this.#endpoint = named;
    this.#isOlder = true;
    await this.#send(frame);
  }

  /** `after` is the id of the event behind which a stream is to be taken up. */
  #request(method: string, signal: AbortSignal, message?: Frame, after?: string): Promise<IncomingMessage> {
    const last = after === undefined ? {} : { 'last-event-id': after };
    const headers = { ...this.#headers(method, message), ...last };
    const url = method === 'POST' ? this.#endpoint : this.#url;
    return this.#requests.send({ method, url, headers, body: message?.bytes }, signal);
  }

  #headers(method: string, message: Frame | undefined): Headers {
    return {
      ...Object.fromEntries(this.#spec.headers),
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(message === undefined ? {} : { 'content-type': 'application/json', 'content-length': message.bytes.length }),
      ...(message !== undefined && Envelope.isIn(message) ? this.#repeated(message) : this.#sessionHeaders()),
    };
  }

  #sessionHeaders(): Record<string, string> {
    return {
      ...(this.#session === undefined ? {} : { [SESSION]: this.#session }),
      ...(this.#revision === undefined ? {} : { 'mcp-protocol-version': this.#revision }),
    };
  }

  /** What the headers of a request repeat of it from 2026-07-28 on. */
  #repeated(frame: Frame): Record<string, string> {
    const member = NAMED.get(frame.method);
    const name = member === undefined ? undefined : frame.value(member);
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': frame.method };
    if (typeof name !== 'string') return headers;
    const parameters = frame.method === 'tools/call' ? mirroredOf(this.catalogue().lists.tools, name) : [];
    const repeated = parameters.length === 0 ? {} : mirrorHeaders(parameters, objectOf(frame.value('arguments')));
    return { ...headers, 'mcp-name': headerText(name), ...repeated };
  }

  #gone(what: string): Fault {
    return new Fault('gone', `${this.name} at ${this.#url.origin}: ${what}`);
  }
}

function isAnswerTo(text: Buffer, frame: Frame): boolean {
  try {
    const { kind, idKey: key } = Frame.parse(text);
    return (kind === 'result' || kind === 'error') && key === frame.idKey;
  } catch {
    return false;
  }
}

function revisionIn(answer: Buffer): string | undefined {
  const { result } = objectOf(JSON.parse(answer.toString()));
  const revision = objectOf(result)['protocolVersion'];
  return typeof revision === 'string' ? revision : undefined;
}

/** The `error` of a message, as it is written. */
function errorIn(text: Buffer): Buffer | undefined {
  try {
    const frame = Frame.parse(oneLine(text));
    const span = frame.span('error');
    return span === undefined ? undefined : frame.bytes.subarray(span.start, span.end);
  } catch {
    return undefined;
  }
}
