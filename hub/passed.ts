import type { Call } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import { isObject, isText, members } from '../shared/json.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';
import type { Peer } from '../shared/peer.js';
import type { Caller } from './caller.js';
import { headed } from './headed.js';
import { textAt } from './members.js';
import { Crossing } from './relay.js';
import { asks } from './retried.js';
import type { Tickets } from './tickets.js';

/**
 * A call of a client to a child, both of 2026-07-28. Questions of the child go on as they are but for the alias before
 * what a person reads and for its state, which is given out in a ticket, so that it comes back to this child alone.
 */
export class PassedCrossing extends Crossing {
  readonly #alias: string;
  readonly #tickets: Tickets;

  constructor(call: Call, to: Peer, caller: Caller, alias: string, tickets: Tickets, timeout?: number) {
    super(call, to, caller, timeout);
    this.#alias = alias;
    this.#tickets = tickets;
  }

  override answer(outcome: Frame | Fault): void {
    const id = outcome instanceof Fault || outcome.kind === 'error' || !asks(outcome) ? undefined : outcome.span('id');
    if (id === undefined || outcome instanceof Fault) {
      super.answer(outcome);
      return;
    }
    this.rest();
    const { frame, from } = this.call;
    from.answer(this.call, [
      outcome.with([{ span: id, text: frame.id }, ...this.#state(outcome), ...this.#heads(outcome)]),
    ]);
  }

  #state(answer: Frame): Edit[] {
    const span = answer.inside('result')?.get('requestState');
    if (span === undefined) return [];
    const state: unknown = JSON.parse(textAt(answer, span).toString());
    const ticket = this.#tickets.issue({ child: this.#alias, state: String(state) }, this.call.frame);
    return [{ span, text: JSON.stringify(ticket) }];
  }

  #heads(answer: Frame): Edit[] {
    return [...(answer.inside('result')?.inside('inputRequests') ?? [])].flatMap(([, { start }]) => {
      if (!isObject(answer.bytes, start)) return [];
      const request = members(answer.bytes, start);
      const method = request.get('method');
      const isForPerson = method !== undefined && isText(answer.bytes, method, 'elicitation/create');
      const message = isForPerson ? request.inside('params')?.get('message') : undefined;
      return headed(answer.bytes, message, `${this.#alias}: `);
    });
  }
}
