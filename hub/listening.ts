import type { Call } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import { Frame } from '../shared/jsonrpc.js';
import { type Edit, joined, type Splice } from '../shared/parts.js';
import type { Form } from './forms.js';
import { member, withParams } from './members.js';
import { FILTERS, META } from './modern.js';
import { type JsonObject, LIST_NAMES, LISTS, type ListName, listChanged, objectOf } from './protocol.js';

/** One `subscriptions/listen` of a client (2026-07-28, basic/patterns/subscriptions): open until it is cancelled. */
export class Listening {
  readonly form: Form;
  /** The resources that it asked for, by the URIs it gave. */
  readonly uris: readonly string[];
  /** The tasks that it asked for, by the ids it gave. */
  readonly taskIds: readonly string[];
  readonly #call: Call;
  readonly #wanted: ReadonlySet<string>;
  /** What it was last told of each list. */
  #told: ReadonlyMap<ListName, string>;
  /** What came before it was said what it will be told of. */
  #early: Splice[] | undefined = [];

  /**
   * `lists` is how they are now.
   * @throws Fault `invalid` for a request without a filter.
   */
  constructor(call: Call, form: Form, lists: ReadonlyMap<ListName, string>) {
    const filter = call.frame.value('notifications');
    if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
      throw new Fault('invalid', 'subscriptions/listen needs notifications, an object');
    const { resourceSubscriptions, taskIds } = filter as JsonObject;
    this.#call = call;
    this.form = form;
    this.#told = lists;
    this.#wanted = new Set(Object.values(FILTERS).filter((name) => objectOf(filter)[name] === true));
    this.uris = textsIn(resourceSubscriptions);
    this.taskIds = textsIn(taskIds);
  }

  /** Says what it will be told of, these tasks among it, and from then on tells. */
  acknowledge(taskIds: readonly string[]): void {
    const lists = Object.fromEntries([...this.#wanted].map((name) => [name, true]));
    const notifications = {
      ...lists,
      ...(this.uris.length === 0 ? {} : { resourceSubscriptions: this.uris }),
      ...(taskIds.length === 0 ? {} : { taskIds }),
    };
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#say('notifications/subscriptions/acknowledged', { notifications });
    for (const notification of early) this.#call.from.about(this.#call, [notification]);
  }

  /** Tells of the lists that have changed, where it asked for that. */
  tellChanged(lists: ReadonlyMap<ListName, string>): void {
    const changed = LIST_NAMES.filter((list) => this.#told.get(list) !== lists.get(list));
    this.#told = lists;
    const kinds = new Set(
      changed.map((list) => LISTS[list].capability).filter((kind) => this.#wanted.has(FILTERS[kind])),
    );
    for (const kind of kinds) this.#say(listChanged(kind), {});
  }

  /** Passes on that a resource has changed. */
  hear(notification: Frame, edits: readonly Edit[]): void {
    const known = notification.at('_meta', META.subscription);
    const { id } = this.#call.frame;
    const own =
      known === undefined
        ? withParams(notification, [], [member(META.subscription, joined([id]))])
        : [{ span: known, text: joined([id]) }];
    const told = notification.with([...edits, ...own]);
    if (this.#early === undefined) this.#call.from.about(this.#call, [told]);
    else this.#early.push(told);
  }

  #say(method: string, params: JsonObject): void {
    this.hear(Frame.parse(Buffer.from(JSON.stringify({ jsonrpc: '2.0', method, params }))), []);
  }
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}
