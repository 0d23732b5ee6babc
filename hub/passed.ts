import type { Call } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import { isText } from '../shared/json.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';
import type { Peer } from '../shared/peer.js';
import type { Caller } from './caller.js';
import type { Child } from './child.js';
import { headsOf } from './headed.js';
import { textAt } from './members.js';
import { Crossing } from './relay.js';
import { asks } from './retried.js';
import { told } from './task-frames.js';
import { hasTasks, type Tasks } from './tasks.js';
import type { Tickets } from './tickets.js';

/** What is given out in the hub's own words. */
export interface Signed {
  readonly tickets: Tickets;
  readonly tasks: Tasks;
}

/** `resultType` of a call that has become a task. */
const TASK = 'task';

/**
 * A call of a client to a child, both of 2026-07-28. Questions of the child go on as they are but for the alias before
 * what a person reads and for its state, which is given out in a ticket, so that it comes back to this child alone.
 */
export class PassedCrossing extends Crossing {
  readonly #child: Child;
  readonly #tickets: Tickets;
  readonly #tasks: Tasks;

  constructor(call: Call, to: Peer, caller: Caller, child: Child, { tickets, tasks }: Signed) {
    super(call, to, caller, child.timeout);
    this.#child = child;
    this.#tickets = tickets;
    this.#tasks = tasks;
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
      outcome.with([{ span: id, text: frame.id }, ...this.#state(outcome), ...headsOf(outcome, 'result', this.#child)]),
    ]);
  }

  /** The ids of tasks, and what a task asks. */
  protected override exchanged(answer: Frame): readonly Edit[] {
    const { method } = this.call.frame;
    if (answer.kind !== 'result' || !hasTasks(this.#child)) return [];
    const result = answer.inside('result');
    const type = result?.get('resultType');
    const isNew = method === 'tools/call' && type !== undefined && isText(answer.bytes, type, TASK);
    if (!isNew && !method.startsWith('tasks/')) return [];
    const task = told(this.#tasks, 'modern', this.#child, answer, result);
    if (task === undefined) return [];
    if (isNew) this.#tasks.begin(this.caller, this.#child, task.id, task.ttl);
    if (task.isOver) this.#tasks.over(this.#child, task.id);
    return [...task.edits, ...headsOf(answer, 'result', this.#child)];
  }

  #state(answer: Frame): Edit[] {
    const span = answer.inside('result')?.get('requestState');
    if (span === undefined) return [];
    const state: unknown = JSON.parse(textAt(answer, span).toString());
    const ticket = this.#tickets.issue({ child: this.#child.alias, state: String(state) }, this.call.frame);
    return [{ span, text: JSON.stringify(ticket) }];
  }
}
