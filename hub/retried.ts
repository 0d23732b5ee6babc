import { Call } from '../shared/call.js';
import { asFault, Fault } from '../shared/fault.js';
import { isText, type Span } from '../shared/json.js';
import { Frame } from '../shared/jsonrpc.js';
import { type Edit, joined, type Parts } from '../shared/parts.js';
import type { Peer } from '../shared/peer.js';
import type { Caller } from './caller.js';
import { envelopeFor } from './envelope.js';
import { list, member, textAt, withParams } from './members.js';
import { INPUT_REQUIRED, META, TASKS } from './modern.js';
import { type JsonObject, objectOf } from './protocol.js';
import { type Ask, Crossing } from './relay.js';

/** The most times that a child may ask in the course of one call. */
const MOST_ROUNDS = 100;
/** Milliseconds before a call is made again where the child wants nothing but that. */
const PAUSE = 200;

/** Whether a result asks the client something. */
export function asks(answer: Frame): boolean {
  const type = answer.inside('result')?.get('resultType');
  return type !== undefined && isText(answer.bytes, type, INPUT_REQUIRED);
}

/**
 * A call of a client that is sent requests, or that cannot be asked anything, to a child that sends none. Where the child's
 * answer asks something, the client or the person is asked, and the call is made again with the answers and the child's state
 * as it was given (2026-07-28).
 */
export class RetriedCrossing extends Crossing {
  readonly #ask: Ask;
  readonly #offered: JsonObject | undefined;
  #edits: readonly Edit[] = [];
  /** What the client has not answered yet, by the key that the child gave it. */
  readonly #open = new Map<string, Call>();
  readonly #answers = new Map<string, Buffer>();
  #state: Buffer | undefined;
  #rounds = 0;

  constructor(call: Call, to: Peer, caller: Caller, ask: Ask, { timeout, offered }: Options) {
    super(call, to, caller, timeout);
    this.#ask = ask;
    this.#offered = offered;
  }

  override forward(edits: readonly Edit[]): void {
    this.#edits = edits;
    this.#send([]);
  }

  override answer(outcome: Frame | Fault): void {
    if (outcome instanceof Fault || outcome.kind === 'error' || !asks(outcome)) super.answer(outcome);
    else this.#begin(outcome);
  }

  override cancelled(params: Readonly<Record<string, unknown>>, notification?: Frame): void {
    this.#withdraw(params);
    super.cancelled(params, notification);
  }

  #begin(answer: Frame): void {
    this.rest();
    this.#rounds += 1;
    this.#answers.clear();
    const state = answer.inside('result')?.get('requestState');
    this.#state = state === undefined ? undefined : textAt(answer, state);
    try {
      if (this.#rounds > MOST_ROUNDS) throw new Fault('protocol', `${this.to.name} asks without end`);
      for (const [key, place] of answer.inside('result')?.inside('inputRequests') ?? [])
        this.#open.set(key, this.#question(key, answer, place));
    } catch (error) {
      this.#fail(asFault(error));
      return;
    }
    if (this.#open.size === 0) setTimeout(() => this.#again(), PAUSE).unref();
    for (const question of [...this.#open.values()]) this.#ask(question, this);
  }

  /** One of the questions as if it had come as a request. */
  #question(key: string, answer: Frame, place: Span): Call {
    const inner = textAt(answer, place).subarray(1);
    const frame = identified(Frame.parse(joined(['{"jsonrpc":"2.0","id":', JSON.stringify(key), ',', inner])), key);
    return new Call(frame, {
      serves: (call) => this.#open.get(key) === call,
      answer: (call, parts) => {
        if (this.#open.get(key) === call) this.#answered(key, call, parts);
      },
      about: () => undefined,
    });
  }

  #answered(key: string, question: Call, parts: Parts): void {
    this.#open.delete(key);
    const answer = Frame.parse(joined(parts));
    const result = answer.span('result');
    if (result !== undefined) this.#answers.set(key, textAt(answer, result));
    else if (question.frame.method === 'elicitation/create') this.#answers.set(key, Buffer.from('{"action":"cancel"}'));
    else {
      this.#withdraw({ reason: 'another question could not be answered' });
      this.call.relay(answer);
      return;
    }
    if (this.#open.size === 0) this.#again();
  }

  #again(): void {
    if (!this.call.open) return;
    const { frame } = this.call;
    if (frame.at('inputResponses') !== undefined || frame.at('requestState') !== undefined) {
      this.#fail(new Fault('invalid', 'a call may not bring inputResponses or requestState of its own'));
      return;
    }
    const answers = [...this.#answers].map(([key, answer]) => member(key, answer));
    const members = answers.length === 0 ? [] : [member('inputResponses', joined(['{', list(answers), '}']))];
    if (this.#state !== undefined) members.push(member('requestState', this.#state));
    this.#send(members);
  }

  #send(members: readonly Buffer[]): void {
    const { frame } = this.call;
    const meta = envelope(frame, this.caller, this.#offered);
    super.forward([...this.#edits, ...withParams(frame, members, meta), ...capable(frame, this.#offered)]);
  }

  #withdraw(params: Readonly<Record<string, unknown>>): void {
    const questions = [...this.#open.values()];
    this.#open.clear();
    for (const question of questions) question.cancel(params);
  }

  #fail(fault: Fault): void {
    this.#withdraw({ reason: fault.message });
    this.call.fail(fault);
  }
}

interface Options {
  readonly timeout: number | undefined;
  /** Capabilities that the caller has not, and the hub has in its place. */
  readonly offered: JsonObject | undefined;
}

/** The members of `_meta` that a request needs for a child of 2026-07-28, but for those that it has. */
function envelope(frame: Frame, { info, capabilities = {}, level }: Caller, offered: JsonObject = {}): Buffer[] {
  return Object.entries(envelopeFor(info, { ...withoutTasks(capabilities), ...offered }, level))
    .filter(([name]) => frame.at('_meta', name) === undefined)
    .map(([name, value]) => member(name, JSON.stringify(value)));
}

/** Who is asked through sessions, or here, cannot be given tasks of 2026-07-28. */
function withoutTasks({ extensions, tasks: _, ...others }: JsonObject): JsonObject {
  const { [TASKS]: __, ...rest } = objectOf(extensions);
  return extensions === undefined ? others : { ...others, extensions: rest };
}

/** Before 2026-07-28, a question that sends the person to a page bears a name of its own. */
function identified(frame: Frame, key: string): Frame {
  if (frame.value('mode') !== 'url' || frame.at('elicitationId') !== undefined) return frame;
  return Frame.parse(joined([frame.with(withParams(frame, [member('elicitationId', JSON.stringify(key))], []))]));
}

/** Adds what is offered to the capabilities that a request names itself. */
function capable(frame: Frame, offered: JsonObject | undefined): Edit[] {
  const span = frame.at('_meta', META.capabilities);
  if (span === undefined || offered === undefined) return [];
  const own = objectOf(JSON.parse(frame.bytes.subarray(span.start, span.end).toString()));
  return [{ span, text: JSON.stringify({ ...withoutTasks(own), ...offered }) }];
}
