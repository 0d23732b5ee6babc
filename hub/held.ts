import { Call, type CallSource } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import { isObject, members } from '../shared/json.js';
import { Frame } from '../shared/jsonrpc.js';
import { limits } from '../shared/limits.js';
import { type Edit, joined, type Part } from '../shared/parts.js';
import type { Peer } from '../shared/peer.js';
import type { Caller } from './caller.js';
import { ENVELOPE } from './envelope.js';
import { list, member, prepended, textAt, withoutMeta } from './members.js';
import { COMPLETE, INPUT_REQUIRED, NO_RESOURCE, URL_NEEDED } from './modern.js';
import { objectOf } from './protocol.js';
import { type Ask, Crossing } from './relay.js';
import type { Tickets } from './tickets.js';

/** The error that they are told as (JSON-RPC 2.0 section 5.1). */
const INVALID_PARAMS = -32602;
/** The most calls that wait at one time for their client to call again. */
const MOST = 1000;

/** A call that waits for its client to bring answers. */
export interface HeldCall {
  readonly caller: Caller;
  /** Goes on with the answers that a new call brings. */
  continue(call: Call): void;
  /** Gives up, because nobody will bring them. */
  drop(reason: string): void;
}

/** Calls that wait for their client to bring answers, by the name that the ticket bears. */
export class HeldCalls {
  readonly tickets: Tickets;
  readonly #byName = new Map<string, HeldCall>();
  #next = 0;

  constructor(tickets: Tickets) {
    this.tickets = tickets;
  }

  /** Keeps a call; its name. */
  keep(held: HeldCall): string {
    const [oldest] = this.#byName.keys();
    if (this.#byName.size >= MOST && oldest !== undefined)
      this.take(oldest)?.drop('too many calls wait for answers of their clients');
    this.#next += 1;
    const name = String(this.#next);
    this.#byName.set(name, held);
    return name;
  }

  take(name: string): HeldCall | undefined {
    const held = this.#byName.get(name);
    this.#byName.delete(name);
    return held;
  }

  /** Ends those of a client that has gone. */
  dropAll(peer: Peer): void {
    for (const [name, held] of this.#byName)
      if (held.caller.peer === peer) this.take(name)?.drop('the client has gone');
  }
}

/**
 * A call of a client that is not sent requests, to a child that sends them. Questions of the child answer the call
 * (`input_required`); the client makes the call again with the answers, and the child, which knows nothing of that, goes on.
 */
export class HeldCrossing extends Crossing implements HeldCall {
  readonly #held: HeldCalls;
  readonly #ask: Ask;
  /** The call as it came first, and what is exchanged in it. */
  #first: readonly [frame: Frame, edits: readonly Edit[]] | undefined;
  /** Whether the child did nothing, so that the call may be made anew. */
  #isRefused = false;
  readonly #questions = new Map<string, { readonly call: Call; readonly edits: readonly Edit[] }>();
  #asked = 0;
  #isDue = false;
  /** What came while the client was away. */
  #outcome: Frame | Fault | undefined;
  #expiry: NodeJS.Timeout | undefined;

  constructor(call: Call, to: Peer, caller: Caller, held: HeldCalls, ask: Ask, timeout?: number) {
    super(call, to, caller, timeout);
    this.#held = held;
    this.#ask = ask;
  }

  override ask(question: Call, edits: readonly Edit[]): void {
    this.#asked += 1;
    const key = `question-${this.#asked}`;
    this.#questions.set(key, { call: question, edits });
    question.watchedBy({ cancelled: () => this.#questions.delete(key) });
    this.#askSoon();
  }

  override answer(outcome: Frame | Fault): void {
    this.rest();
    if (!this.call.open) this.#outcome = outcome;
    else if (outcome instanceof Fault) this.call.fail(outcome);
    else if (outcome.kind === 'error') this.#failed(outcome);
    else this.#answered(outcome, completed(outcome, this.call.frame.method));
  }

  override forward(own: readonly Edit[]): void {
    const { frame } = this.call;
    const edits = [...own, ...withoutMeta(frame, ENVELOPE)];
    this.#first = [frame, edits];
    super.forward(edits);
  }

  override cancelled(params: Readonly<Record<string, unknown>>, notification?: Frame): void {
    clearTimeout(this.#expiry);
    super.cancelled(params, notification);
  }

  /** Gives the child up, because nobody will bring the answers. */
  drop(reason: string): void {
    this.cancelled({ reason });
  }

  /** Goes on with the answers that a new call brings. */
  continue(call: Call): void {
    clearTimeout(this.#expiry);
    this.call = call;
    call.watchedBy(this);
    const answers = new Map(call.frame.inside('params')?.inside('inputResponses') ?? []);
    for (const [key, question] of this.#questions) {
      const place = answers.get(key);
      if (place === undefined || !isObject(call.frame.bytes, place.start)) continue;
      this.#questions.delete(key);
      const { id } = question.call.frame;
      question.call.from.answer(question.call, [
        '{"jsonrpc":"2.0","id":',
        id,
        ',"result":',
        textAt(call.frame, place),
        '}',
      ]);
    }
    if (this.#outcome !== undefined) this.answer(this.#outcome);
    else if (this.#questions.size > 0) this.#askSoon();
    else if (this.#isRefused && this.#first !== undefined) {
      const [frame, edits] = this.#first;
      this.#isRefused = false;
      super.forward(edits, undefined, frame);
    } else this.resume();
  }

  /** Questions that come together are put together. */
  #askSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      if (this.call.open && this.#questions.size > 0) this.#askNow();
    });
  }

  #askNow(): void {
    this.rest();
    const requests = [...this.#questions].map(([key, { call, edits }]) => member(key, inputRequest(call.frame, edits)));
    const name = this.#held.keep(this);
    this.#expiry = setTimeout(
      () => this.#held.take(name)?.drop('the client brought no answer'),
      limits.question,
    ).unref();
    const ticket = this.#held.tickets.issue({ held: name }, this.call.frame);
    const result = list([
      member('resultType', JSON.stringify(INPUT_REQUIRED)),
      member('inputRequests', joined(['{', list(requests), '}'])),
      member('requestState', JSON.stringify(ticket)),
    ]);
    this.call.from.answer(this.call, ['{"jsonrpc":"2.0","id":', this.call.frame.id, ',"result":{', result, '}}']);
  }

  #answered(answer: Frame, edits: readonly Edit[]): void {
    const id = answer.span('id');
    const { frame, from } = this.call;
    if (id !== undefined) from.answer(this.call, [answer.with([{ span: id, text: frame.id }, ...edits])]);
  }

  /** An error that the client's revision does not have is told as that one does. */
  #failed(answer: Frame): void {
    const span = answer.span('error');
    const code = span === undefined ? undefined : members(answer.bytes, span.start).get('code');
    const number = code === undefined ? undefined : Number(textAt(answer, code).toString());
    if (number === URL_NEEDED && this.#visit(answer)) return;
    const isOld = code !== undefined && (number === NO_RESOURCE || number === URL_NEEDED);
    this.#answered(answer, isOld ? [{ span: code, text: String(INVALID_PARAMS) }] : []);
  }

  /** The child has done nothing yet, and wants the person to visit pages first: then the call is made anew. */
  #visit(answer: Frame): boolean {
    const { elicitations } = objectOf(objectOf(answer.outcome)['data']);
    if (!Array.isArray(elicitations) || elicitations.length === 0) return false;
    this.#isRefused = true;
    for (const page of elicitations as unknown[]) {
      const text = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'elicitation/create', params: objectOf(page) });
      this.#ask(new Call(Frame.parse(Buffer.from(text)), NOBODY), this);
    }
    return true;
  }
}

/** Whom nothing is answered. */
const NOBODY: CallSource = { serves: () => true, answer: () => undefined, about: () => undefined };

/** A question as it stands among `inputRequests`: without the id of a request. */
function inputRequest(frame: Frame, edits: readonly Edit[]): Part {
  const changed = Frame.parse(joined([frame.with(edits)]));
  const params = changed.span('params');
  const parts = [member('method', JSON.stringify(changed.method))];
  if (params !== undefined) parts.push(member('params', textAt(changed, params)));
  return joined(['{', list(parts), '}']);
}

/** What a result of an older child lacks for a client of 2026-07-28. */
function completed(answer: Frame, method: string): Edit[] {
  const result = answer.span('result');
  if (result === undefined || !isObject(answer.bytes, result.start)) return [];
  const missing = [
    ['resultType', COMPLETE],
    ...(method === 'resources/read'
      ? ([
          ['ttlMs', 0],
          ['cacheScope', 'private'],
        ] as const)
      : []),
  ].filter(([name]) => answer.inside('result')?.get(String(name)) === undefined);
  if (missing.length === 0) return [];
  return [
    prepended(
      answer.bytes,
      result,
      missing.map(([name, value]) => member(String(name), JSON.stringify(value))),
    ),
  ];
}
