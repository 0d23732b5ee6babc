import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Fault } from '../shared/fault.js';
import { Frame } from '../shared/jsonrpc.js';
import { BaseLink, type ReplyTo } from '../shared/link.js';
import { oneLine } from '../shared/one-line.js';
import { joined, type Parts } from '../shared/parts.js';
import { checkEnvelope, Envelope } from './envelope.js';
import { Exchange } from './exchange.js';
import { decodedHeader, type Mirrored, wrongHeader } from './mirrored.js';
import { headerFault, META, MODERN, NAMED } from './modern.js';
import { objectOf } from './protocol.js';

/** The header that says the revision. */
export const REVISION = 'mcp-protocol-version';

/** Whether a message belongs to no session, as from 2026-07-28 on, or claims a revision that came later. */
export function isStateless(headers: IncomingHttpHeaders, message: Frame): boolean {
  return Envelope.isIn(message) || (headers[REVISION] === MODERN && message.method !== 'initialize');
}

/**
 * Checks that a request has its envelope, and that the headers say what it says; `mirrored` says which arguments of a tool
 * they have to repeat.
 * @throws Fault `protocol`, `unsupported` or `invalid`.
 */
export function checkStateless(
  message: Frame,
  headers: IncomingHttpHeaders,
  mirrored: (tool: string) => readonly Mirrored[],
): void {
  const revision = message.value('_meta', META.revision);
  if (revision === undefined)
    throw new Fault('invalid', `a request of ${MODERN} needs ${META.revision} and ${META.capabilities} in its _meta`);
  mustSay(headers, REVISION, String(revision));
  checkEnvelope(objectOf(message.value('_meta')));
  mustSay(headers, 'mcp-method', message.method);
  const member = NAMED.get(message.method);
  const name = member === undefined ? undefined : message.value(member);
  if (typeof name !== 'string') return;
  mustSay(headers, 'mcp-name', name);
  const wanted = message.method === 'tools/call' ? mirrored(name) : [];
  const wrong = wanted.length === 0 ? undefined : wrongHeader(wanted, objectOf(message.value('arguments')), headers);
  if (wrong !== undefined) throw headerFault(...wrong);
}

function mustSay(headers: IncomingHttpHeaders, name: string, wanted: string): void {
  const value = headers[name];
  if (typeof value !== 'string') throw headerFault(name, 'is missing');
  if (decodedHeader(value.trim()) !== wanted) throw headerFault(name, 'does not say what the body says');
}

/** What of the protocol itself went wrong, as a status; all else is an answer like any other. */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  [-32700, 400],
  [-32600, 400],
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);

/** Why a link ends as it should: made once, for it is said with each request. */
const ANSWERED = new Fault('gone', 'the request was answered');

/** Bytes of an answer up to which it may be an error that has a status of its own. */
const SHORT = 64 * 1024;

/**
 * One request over HTTP as a link: what belongs to it goes out with its response. The client takes it back by closing the
 * connection.
 */
export class StatelessLink extends BaseLink {
  readonly #request: Frame;
  readonly #exchange: Exchange;
  #isAnswered = false;

  constructor(request: Frame, response: ServerResponse) {
    super('a client over HTTP');
    this.#request = request;
    this.#exchange = new Exchange([request.idKey], response, {});
    response.once('close', () => {
      if (!this.#isAnswered) this.ended(new Fault('cancelled', 'the client closed the request'));
    });
  }

  /** Delivers the request. */
  begin(): void {
    this.deliver(this.#request.bytes);
  }

  protected override open(): void {
    // There is nothing to read but the request.
  }

  protected override write(): void {
    // What belongs to no request has no way to a client without a session.
  }

  protected override writeReply({ id, last }: ReplyTo, parts: Parts): void {
    const message = oneLine(joined(parts));
    if (!last) {
      this.#exchange.send(message);
      this.checkUnsent(this.#exchange.unsent, () => this.#exchange.cut());
      return;
    }
    this.#isAnswered = true;
    this.#exchange.answer(id, message, status(message));
    this.close(ANSWERED);
  }

  protected override shut(): void {
    this.#exchange.end();
  }
}

function status(message: Buffer): number {
  if (message.length > SHORT || !message.includes('"error"')) return 200;
  const frame = Frame.parse(message);
  return frame.kind === 'error' ? (STATUSES.get(objectOf(frame.outcome)['code']) ?? 200) : 200;
}
