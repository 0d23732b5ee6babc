import type { Call } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import { Frame } from '../shared/jsonrpc.js';
import { type Edit, joined } from '../shared/parts.js';
import type { Form } from './forms.js';
import { member, withParams } from './members.js';
import { FILTERS, META } from './modern.js';
import { type JsonObject, LIST_NAMES, LISTS, type ListName, listChanged, objectOf } from './protocol.js';

/** One `subscriptions/listen` of a client (2026-07-28, basic/patterns/subscriptions): open until it is cancelled. */
export class Listening {
  readonly form: Form;
  /** The resources that it asked for, by the URIs it gave. */
  readonly uris: readonly string[];
  readonly #call: Call;
  readonly #wanted: ReadonlySet<string>;
  /** What it was last told of each list. */
  #told: ReadonlyMap<ListName, string>;

  /**
   * `lists` is how they are now.
   * @throws Fault `invalid` for a request without a filter.
   */
  constructor(call: Call, form: Form, lists: ReadonlyMap<ListName, string>) {
    const filter = call.frame.value('notifications');
    if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
      throw new Fault('invalid', 'subscriptions/listen needs notifications, an object');
    const { resourceSubscriptions: uris } = filter as JsonObject;
    this.#call = call;
    this.form = form;
    this.#told = lists;
    this.#wanted = new Set(Object.values(FILTERS).filter((name) => objectOf(filter)[name] === true));
    this.uris = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
  }

  /** Says what it will be told of. */
  acknowledge(): void {
    const lists = Object.fromEntries([...this.#wanted].map((name) => [name, true]));
    const notifications = this.uris.length === 0 ? lists : { ...lists, resourceSubscriptions: this.uris };
    this.#say('notifications/subscriptions/acknowledged', { notifications });
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
    this.#call.from.about(this.#call, [notification.with([...edits, ...own])]);
  }

  #say(method: string, params: JsonObject): void {
    this.hear(Frame.parse(Buffer.from(JSON.stringify({ jsonrpc: '2.0', method, params }))), []);
  }
}
