import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Fault } from '../shared/fault.js';
import { BaseLink } from '../shared/link.js';
import { oneLine } from '../shared/one-line.js';
import { joined, type Parts } from '../shared/parts.js';
import { EventStream } from './sse.js';

/** The most clients at one time; each holds a connection open, so that those who have gone are known. */
const MOST = 256;

/**
 * A client of protocol 2024-11-05 over HTTP as a link (basic/transports, HTTP with SSE): all that is for it goes out as
 * events on one response, what it sends comes by POST to an address that the first event names.
 */
class EventSession extends BaseLink {
  readonly #stream: EventStream;

  constructor(response: ServerResponse, endpoint: string) {
    super('a client over HTTP');
    this.#stream = new EventStream(response, {});
    this.#stream.send(Buffer.from(endpoint), 'endpoint');
    response.once('close', () => this.ended(new Fault('gone', `${this.name} went away`)));
  }

  /** Takes the text of a message, or of a batch of them. */
  post(text: Buffer): void {
    this.deliver(text);
  }

  protected override open(): void {
    // Nothing to begin: requests bring what there is to read.
  }

  protected override write(parts: Parts): void {
    this.#stream.send(oneLine(joined(parts)));
    this.checkUnsent(this.#stream.unsent, () => this.#stream.cut());
  }

  protected override shut(): void {
    this.#stream.end();
  }
}

/** The clients of protocol 2024-11-05 over HTTP, by the name in the address that each posts to. */
export class EventSessions {
  readonly #byId = new Map<string, EventSession>();

  get(id: string): EventSession | undefined {
    return this.#byId.get(id);
  }

  /**
   * Begins one on the response to its GET.
   * @throws Fault `busy` when there are too many.
   */
  begin(response: ServerResponse): EventSession {
    if (this.#byId.size >= MOST) throw new Fault('busy', 'too many clients are connected');
    const id = randomUUID();
    // Resolved by the client against the address that it asked, so that it holds no token of its own.
    const session = new EventSession(response, `messages?session=${id}`);
    this.#byId.set(id, session);
    response.once('close', () => this.#byId.delete(id));
    return session;
  }

  close(): void {
    for (const session of this.#byId.values()) session.close();
  }
}
