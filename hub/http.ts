import type { IncomingMessage, ServerResponse } from 'node:http';
import { OPEN_ARRAY } from '../shared/ascii.js';
import { asFault, Fault } from '../shared/fault.js';
import { errorObject, Frame, type IdKey, idKey, keyOf } from '../shared/jsonrpc.js';
import type { Link } from '../shared/link.js';
import { oneLine } from '../shared/one-line.js';
import { joined, type Part } from '../shared/parts.js';
import { wholeBody } from '../shared/whole.js';
import { EventSessions } from './event-session.js';
import type { Mirrored } from './mirrored.js';
import { MODERN } from './modern.js';
import { objectOf, REVISIONS } from './protocol.js';
import { SESSION_HEADER, type Session } from './session.js';
import { Sessions } from './sessions.js';
import { checkStateless, isStateless, REVISION, StatelessLink } from './stateless.js';

/**
 * MCP over HTTP (basic/transports): one session for each client up to 2025-11-25, each request by itself from 2026-07-28
 * on; and the streams of events of 2024-11-05.
 */
export class HttpFront {
  readonly #serve: (link: Link, isForOne?: boolean) => void;
  readonly #mirrored: (tool: string) => readonly Mirrored[];
  readonly #sessions = new Sessions();
  readonly #eventSessions = new EventSessions();

  /**
   * `serve` takes the link of a new session, or of one request that belongs to none; `mirrored` says which arguments of a
   * tool, by its shown name, headers have to repeat.
   */
  constructor(serve: (link: Link, isForOne?: boolean) => void, mirrored: (tool: string) => readonly Mirrored[]) {
    this.#serve = serve;
    this.#mirrored = mirrored;
  }

  /** Answers a request that was authenticated; `path` is what follows the token. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): void {
    this.#handle(request, response, path).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, error instanceof Refusal ? error : new Refusal(400, asFault(error)));
    });
  }

  close(): void {
    this.#sessions.close();
    this.#eventSessions.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const [, place = ''] = /^\/?([^/?]*)\/?(\?.*)?$/.exec(path) ?? [undefined, 'elsewhere'];
    if (place === 'sse' || place === 'messages') await this.#older(request, response, path);
    else if (place === '' || place === 'mcp') await this.#current(request, response);
    else throw new Refusal(404, 'MCP is served at the root, and at /sse for clients of 2024-11-05');
  }

  /** Protocol 2024-11-05: a stream of events by GET, and an address to post to. */
  async #older(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (request.method === 'GET' && path.startsWith('/sse')) {
      if (!accepts(request, 'text/event-stream')) throw new Refusal(406, 'Accept must allow text/event-stream');
      this.#serve(this.#eventSessions.begin(response));
      return;
    }
    if (request.method !== 'POST' || path.startsWith('/sse'))
      throw new Refusal(405, 'GET /sse begins a session, POST sends to the address that it names');
    if (!isJson(request)) throw new Refusal(415, 'Content-Type must be application/json');
    const session = this.#eventSessions.get(new URL(path, 'http://localhost').searchParams.get('session') ?? '');
    if (session === undefined) throw new Refusal(404, 'the session has ended; begin anew');
    const text = oneLine(await body(request));
    response.writeHead(202).end();
    session.post(text);
  }

  async #current(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isModern = request.headers[REVISION] === MODERN;
    if (isModern && request.method !== 'POST')
      throw new Refusal(405, `only POST is understood from ${MODERN} on`, { allow: 'POST' });
    if (request.method === 'POST') await this.#post(request, response);
    else if (request.method === 'GET') this.#listen(request, response);
    else if (request.method === 'DELETE') this.#delete(request, response);
    else throw new Refusal(405, 'only GET, POST and DELETE are understood', { allow: 'GET, POST, DELETE' });
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isJson(request)) throw new Refusal(415, 'Content-Type must be application/json');
    if (!accepts(request, 'application/json') || !accepts(request, 'text/event-stream'))
      throw new Refusal(406, 'Accept must allow application/json and text/event-stream');
    const text = oneLine(await body(request));
    const message = text[0] === OPEN_ARRAY ? undefined : Frame.parse(text);
    if (message !== undefined && isStateless(request.headers, message)) {
      this.#answerOne(message, request, response);
      return;
    }
    checkRevision(request);
    const { ids, cancelled, begins } = message === undefined ? batchOutline(text) : outline(message);
    const session = begins && request.headers[SESSION_HEADER] === undefined ? this.#begin() : this.#session(request);
    const doubled = ids.find((id) => session.waits(id));
    if (doubled !== undefined) throw new Refusal(400, 'the id of this request is in use by an open one');
    session.post(text, ids, response);
    if (cancelled !== undefined) session.settle(cancelled);
  }

  /** A request of 2026-07-28, which belongs to no session; a notification says nothing here. */
  #answerOne(message: Frame, request: IncomingMessage, response: ServerResponse): void {
    if (message.kind !== 'request') {
      response.writeHead(202).end();
      return;
    }
    try {
      checkStateless(message, request.headers, this.#mirrored);
    } catch (error) {
      refuse(response, new Refusal(400, asFault(error)), message.id);
      return;
    }
    const link = new StatelessLink(message, response);
    this.#serve(link, true);
    link.begin();
  }

  #listen(request: IncomingMessage, response: ServerResponse): void {
    checkRevision(request);
    if (!accepts(request, 'text/event-stream')) throw new Refusal(406, 'Accept must allow text/event-stream');
    const after = request.headers['last-event-id'];
    if (!this.#session(request).listen(response, typeof after === 'string' ? after : undefined))
      throw new Refusal(400, 'what followed that event is not known any more');
  }

  #delete(request: IncomingMessage, response: ServerResponse): void {
    checkRevision(request);
    this.#session(request).close(new Fault('gone', 'the client ended the session'));
    response.writeHead(200).end();
  }

  #begin(): Session {
    const session = this.#sessions.begin();
    this.#serve(session);
    return session;
  }

  #session(request: IncomingMessage): Session {
    const id = request.headers[SESSION_HEADER];
    if (typeof id !== 'string') throw new Refusal(400, 'there is no session here; initialize first');
    const session = this.#sessions.get(id);
    if (session === undefined) throw new Refusal(404, 'the session has ended; initialize anew');
    return session;
  }
}

/** An answer that is no success. */
class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly fault: Fault;

  constructor(status: number, fault: Fault | string, headers: Readonly<Record<string, string>> = {}) {
    super(String(fault));
    this.status = status;
    this.headers = headers;
    this.fault = typeof fault === 'string' ? new Fault('protocol', fault) : fault;
  }
}

function refuse(response: ServerResponse, { status, headers, fault }: Refusal, id: Part = 'null'): void {
  const text = joined(['{"jsonrpc":"2.0","id":', id, ',"error":', JSON.stringify(errorObject(fault)), '}']);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** A missing header stands for a revision that had none; one that is not spoken here is refused with those that are. */
function checkRevision(request: IncomingMessage): void {
  const revision = request.headers[REVISION];
  if (revision === undefined || REVISIONS.includes(String(revision))) return;
  throw new Refusal(400, `protocol ${String(revision)} is not spoken here; ${REVISIONS.join(', ')} are`);
}

function isJson(request: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

function accepts(request: IncomingMessage, type: string): boolean {
  const [kind = ''] = type.split('/');
  const accepted = (request.headers.accept ?? '').split(',').map((each) => each.split(';')[0]?.trim().toLowerCase());
  return accepted.some((each) => each === type || each === `${kind}/*` || each === '*/*');
}

async function body(request: IncomingMessage): Promise<Buffer> {
  return await wholeBody(request).catch((error: unknown) => {
    const fault = asFault(error);
    throw fault.kind === 'protocol' ? new Refusal(413, fault) : fault;
  });
}

interface Outline {
  /** The requests in it. */
  readonly ids: readonly IdKey[];
  /** The request that it cancels. */
  readonly cancelled?: IdKey | undefined;
  /** Whether it begins a session. */
  readonly begins: boolean;
}

function outline(frame: Frame): Outline {
  const isCancel = frame.method === 'notifications/cancelled';
  const span = isCancel ? frame.at('requestId') : undefined;
  return {
    ids: frame.kind === 'request' ? [frame.idKey] : [],
    cancelled: span === undefined ? undefined : idKey(frame.bytes, span),
    begins: frame.method === 'initialize',
  };
}

function batchOutline(text: Buffer): Outline {
  const messages: unknown = JSON.parse(text.toString());
  const ids: IdKey[] = [];
  for (const message of Array.isArray(messages) ? messages : []) {
    const { id, method } = objectOf(message);
    if (method !== undefined && (typeof id === 'number' || typeof id === 'string')) ids.push(keyOf(id));
  }
  return { ids, begins: false };
}
