import type { Call } from '../shared/call.js';
import { asFault, Fault } from '../shared/fault.js';
import type { Edit } from '../shared/parts.js';
import type { Peer } from '../shared/peer.js';
import { asksForms } from '../shared/permission-form.js';
import type { Caller } from './caller.js';
import { type Child, isModern, takesModern } from './child.js';
import { Course } from './course.js';
import type { Gate } from './gate.js';
import { type HeldCalls, HeldCrossing } from './held.js';
import { PassedCrossing } from './passed.js';
import { FORMS, type JsonObject, OWN_ALIAS } from './protocol.js';
import { type Ask, Crossing } from './relay.js';
import { RetriedCrossing } from './retried.js';
import { TaskedCrossing } from './tasked.js';
import { hasTasks, type Tasks } from './tasks.js';

/** Whose state a call brings that is made again, and that state in the place of the ticket. */
export interface Again {
  readonly alias: string;
  readonly edit: Edit;
}

/** What has to do with a call on its way to a child. */
export interface OnTheWay {
  readonly held: HeldCalls;
  readonly tasks: Tasks;
  /** Resolves when the hub's own tools are there, where they are to be. */
  readonly ownReady: () => Promise<void>;
  /** Decides which calls of tools may cross, where that is wanted. */
  readonly gate: Gate | undefined;
  /** Puts a question of a child in the course of a call. */
  readonly ask: (child: Child, question: Call, on: Crossing) => void;
}

/** Sends calls to the child that they are for: past the gate, once it is there, in the way of the eras on both sides. */
export class Crossings {
  readonly #around: OnTheWay;

  constructor(around: OnTheWay) {
    this.#around = around;
  }

  /**
   * Sends a call on, with places exchanged; `again` is what it brings from an earlier round.
   * @throws Fault `invalid` for the state of another child.
   */
  send(caller: Caller, call: Call, to: Child, own: readonly Edit[], again?: Again): void {
    const child = to.instance(caller.owner);
    if (again !== undefined && again.alias !== child.alias)
      throw new Fault('invalid', `the requestState is one of ${again.alias}, not of ${child.alias}`);
    const edits = again === undefined ? own : [...own, again.edit];
    const { gate, held } = this.#around;
    if (gate?.holds(child, call) === true) {
      const course = new Course(caller, call, edits, held, again !== undefined);
      void gate.pass(course, child, (on, exact) => this.#cross(caller, on, child, exact));
    } else this.#cross(caller, call, child, edits);
  }

  #cross(caller: Caller, call: Call, child: Child, edits: readonly Edit[]): void {
    if (child.peer !== undefined) this.#crossing(caller, call, child, child.peer).forward(edits);
    else void this.#whenReady(caller, call, child, edits);
  }

  async #whenReady(caller: Caller, call: Call, child: Child, edits: readonly Edit[]): Promise<void> {
    try {
      const signal = call.signal();
      if (child.alias === OWN_ALIAS) await this.#around.ownReady();
      const peer = await child.ready(signal);
      if (call.open) this.#crossing(caller, call, child, peer).forward(edits);
    } catch (error) {
      call.fail(asFault(error));
    }
  }

  /** How a call crosses, by the eras on both sides. */
  #crossing(caller: Caller, call: Call, child: Child, to: Peer): Crossing {
    const { held, ask, tasks } = this.#around;
    const { timeout } = child;
    const isOlder = !isModern(child);
    const own = this.#offered(caller);
    const isAskedHere = !isOlder && own !== undefined && !caller.can('sampling') && !caller.can('roots');
    if (caller.era === 'modern' && takesModern(child) && !isAskedHere)
      return new PassedCrossing(call, to, caller, child, { tickets: held.tickets, tasks });
    if (isOlder && caller.era === 'legacy')
      return hasTasks(child)
        ? new TaskedCrossing(call, to, caller, child, tasks, timeout)
        : new Crossing(call, to, caller, timeout);
    const put: Ask = (question, on) => ask(child, question, on);
    if (isOlder) return new HeldCrossing(call, to, caller, held, put, timeout);
    return new RetriedCrossing(call, to, caller, put, { timeout, offered: own });
  }

  /** What a child may ask although the caller cannot be asked it, because the person can be without it. */
  #offered(caller: Caller): JsonObject | undefined {
    return this.#around.gate?.standsIn === true && !asksForms(caller.capabilities?.['elicitation']) ? FORMS : undefined;
  }
}
