import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { asFault, Fault } from '../shared/fault.js';
import { checkedMembers } from '../shared/json-check.js';
import { looseMessage } from '../shared/jsonrpc.js';
import type { Link } from '../shared/link.js';

type Id = string | number;

/** The code that a question to the client fails with when the client has gone. */
const CONNECTION_CLOSED = -32000;
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/**
 * The SDK's view of a {@link Link}. When the other side has said all it will say, requests that came before are still
 * answered, and only then the connection counts as closed.
 */
export class LinkTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Fulfilled when the connection is closed. */
  readonly closed: Promise<void>;
  readonly #link: Link;
  readonly #heard: (message: unknown) => void;
  readonly #settle: () => void;
  /** Requests of the client that are not answered yet, and ours to the client. */
  readonly #theirs = new Set<Id>();
  readonly #ours = new Set<Id>();
  #finished = false;
  #closed = false;

  /** `heard` is told of each message before the SDK is. */
  constructor(link: Link, heard: (message: unknown) => void) {
    this.#link = link;
    this.#heard = heard;
    let settle = (): void => undefined;
    this.closed = new Promise((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
  }

  async start(): Promise<void> {
    this.#link.start({
      message: (bytes) => this.#take(bytes),
      inputEnd: () => this.#finish(),
      end: () => this.#gone(),
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message) {
      if ('id' in message) this.#ours.add(message.id);
      if (this.#finished && 'id' in message) this.#unanswerable(message.id);
    } else if (message.id !== undefined) {
      this.#theirs.delete(message.id);
    }
    this.#link.send(JSON.stringify(message));
    this.#closeWhenDrained();
  }

  async close(): Promise<void> {
    this.#link.close();
    this.#gone();
  }

  /** The other side will say no more: closes when all its requests are answered. */
  #finish(): void {
    this.#finished = true;
    for (const id of this.#ours) this.#unanswerable(id);
    this.#closeWhenDrained();
  }

  #take(bytes: Buffer): void {
    let message: JSONRPCMessage;
    try {
      checkedMembers(bytes);
      message = JSON.parse(bytes.toString()) as JSONRPCMessage;
    } catch (error) {
      const { message: why } = asFault(error);
      const { id = null, method } = looseMessage(bytes);
      const code = method === undefined ? PARSE_ERROR : INVALID_REQUEST;
      this.#link.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: why } }));
      this.onerror?.(new Fault('protocol', `a message could not be read: ${why}`));
      return;
    }
    this.#note(message);
    this.#heard(message);
    this.onmessage?.(message);
  }

  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) {
      if (message.id !== undefined) this.#ours.delete(message.id);
    } else if ('id' in message) {
      this.#theirs.add(message.id);
    } else if (message.method === 'notifications/cancelled') {
      // A cancelled request is not answered.
      this.#theirs.delete((message.params as { requestId?: Id } | undefined)?.requestId ?? '');
    }
  }

  #gone(): void {
    this.#theirs.clear();
    this.#finish();
  }

  #unanswerable(id: Id): void {
    this.#ours.delete(id);
    const error = { code: CONNECTION_CLOSED, message: 'the client closed its side' };
    setImmediate(() => this.onmessage?.({ jsonrpc: '2.0', id, error }));
  }

  #closeWhenDrained(): void {
    if (!this.#finished || this.#theirs.size > 0 || this.#closed) return;
    this.#closed = true;
    this.#link.close();
    this.onclose?.();
    this.#settle();
  }
}
