import { randomBytes } from 'node:crypto';
import type { Call } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import { type Link, memoryLinks } from '../shared/link.js';
import { log } from '../shared/log.js';
import { asksForms } from '../shared/permission-form.js';
import type { Caller } from './caller.js';
import { calmly } from './calm.js';
import type { Child, ChildEvents } from './child.js';
import { Children, type ChildSpec, type Reconfigured } from './children.js';
import { Client, type ClientEvents } from './client.js';
import type { Expose } from './expose.js';
import { AUTO, type Form } from './forms.js';
import type { Gate } from './gate.js';
import { headed } from './headed.js';
import { HeldCalls } from './held.js';
import { Listening } from './listening.js';
import { MergedLists } from './merged.js';
import type { Mirrored } from './mirrored.js';
import { tasksFault } from './modern.js';
import type { OwnTools } from './own.js';
import { ASKED, type ListName, OWN_ALIAS } from './protocol.js';
import { type Back, Crossing, relay } from './relay.js';
import { Router } from './router.js';
import type { Offers } from './shown.js';
import { Subscriptions } from './subscriptions.js';
import { type OfTask, ofTask, relatedBack } from './task-frames.js';
import { hearOfTasks, passStatus } from './task-news.js';
import { hasTasks, knowsTasks, Tasks } from './tasks.js';
import { Tickets } from './tickets.js';
import { Tree } from './tree.js';
import { Uris } from './uris.js';

/** What the hub is told beside its children. */
export interface HubSettings {
  /** Between alias and name, or {@link AUTO}. */
  readonly separator?: string;
  /** Whether the hub's own tools are offered beside those of the children. */
  readonly status?: boolean;
  /** What clients see of the tools. */
  readonly expose?: Expose;
  /** Decides which calls of tools may cross, where that is wanted. */
  readonly gate?: Gate | undefined;
  /** Called when a child without which the hub is not to run could not be started. */
  readonly missing?: (why: Fault) => void;
  /** Signs the ids of tasks, so that those of an earlier run hold; one of this run by default. */
  readonly key?: Uint8Array;
}

/** Milliseconds that clients wait to be told of a new configuration until it is known what the new children offer. */
const PATIENCE = 5000;

/** Least time between two notices to clients that lists have changed, in milliseconds. */
const CALM = 100;

const ELICITATION = 'elicitation/create';

/** Puts the parts together: clients in front, children behind, and who hears of what. */
export class Hub {
  readonly children: Children;
  readonly #router: Router;
  readonly #gate: Gate | undefined;
  readonly #clients = new Set<Client>();
  readonly #subscriptions = new Subscriptions();
  readonly #tree: Tree;
  readonly #tasks: Tasks;
  readonly #uris: Uris;
  /** Calls of clients that are not sent requests, and wait for their answers. */
  readonly #held = new HeldCalls(new Tickets());
  /** The clients that have asked to be told of changes, other than sessions, which are always told. */
  readonly #listening = new Set<Listening>();
  readonly #merged: MergedLists;
  readonly #separator: string;
  readonly #hasStatus: boolean;
  #expose: Expose;
  #own: Promise<OwnTools> | undefined;
  #ownReady: Promise<void> = Promise.resolve();
  readonly #tellChanges = calmly(() => this.#tellChanged(), CALM);
  /** How many new configurations are being taken up; clients are not told of changes meanwhile. */
  #unsettled = 0;

  constructor(specs: readonly ChildSpec[], settings: HubSettings = {}) {
    const { separator = AUTO, status = false, expose = 'all', gate, missing, key = randomBytes(32) } = settings;
    this.#separator = separator;
    this.#hasStatus = status;
    this.#expose = expose;
    this.#checkOwn(specs, expose);
    this.#gate = gate;
    gate?.configure(specs);
    const events: ChildEvents = {
      question: (child, call) => this.#question(child, call),
      notification: (child, frame, on) => this.#pass(child, frame, on),
      changed: (child) => this.#changed(child),
      fell: (_, why, wait) => this.#fell(why, wait),
      isNeeded: (child) => this.#subscriptions.has(child) || this.#tasks.isBusy(child),
      missing: (child, why) => missing?.(missingFault(child, why)),
    };
    this.#tree = new Tree(() => this.children.tellHubs());
    this.children = new Children(specs, events, () => this.#tree.path());
    this.#tasks = new Tasks(this.children, key);
    this.#uris = new Uris(this.children);
    const offers: Offers = (child, list, item) => list !== 'tools' || gate?.offers(child, item) !== false;
    this.#merged = new MergedLists(this.children, this.#uris.owners, () => this.#expose, offers);
    const { children } = this;
    this.#router = new Router(
      {
        children,
        merged: this.#merged,
        uris: this.#uris,
        subscriptions: this.#subscriptions,
        tree: this.#tree,
        held: this.#held,
        tasks: this.#tasks,
        expose: () => this.#expose,
        ownReady: () => this.#ownReady,
        gate,
        ask: (child, question, on) => this.#ask(child, question, on),
        listen: (call, caller) => this.#listen(call, caller),
      },
      separator,
    );
    if (status || expose === 'search') this.#offerOwn();
  }

  /**
   * Serves a client; resolves when it has gone away, with why. What it left behind ends then, unless the link is for one
   * request of a client that may come again.
   */
  serve(link: Link, isForOne = false): Promise<Fault> {
    return new Promise((resolve) => {
      const events: ClientEvents = {
        request: (from, call) => this.#router.request(from, call),
        notification: (from, frame) => this.#router.notification(from, frame),
        end: (from, why) => {
          this.#clients.delete(from);
          if (!isForOne) this.#left(from);
          this.#subscriptions.removeAll(from);
          this.#tree.forget(from);
          resolve(why);
        },
      };
      const client = new Client(link, events, isForOne);
      this.#clients.add(client);
      client.peer.start();
    });
  }

  /**
   * Makes these the configured children and starts the eager ones. Clients are told once what that comes to, when it is
   * known what the new ones offer.
   * @throws Fault when it cannot be; then all is as before.
   */
  configure(specs: readonly ChildSpec[], expose: Expose = this.#expose): Reconfigured {
    this.#checkOwn(specs, expose);
    const changes = this.children.configure(specs);
    if (expose !== this.#expose) this.#exposeBy(expose);
    this.#gate?.configure(specs);
    this.children.start();
    void this.#settle(changes);
    return changes;
  }

  /** Which arguments of a tool, by its shown name, headers over HTTP have to repeat. */
  mirrored(tool: string): readonly Mirrored[] {
    return this.#router.mirrored(tool);
  }

  /** Tells all clients something by a log message of the hub itself. */
  say(level: 'info' | 'warning' | 'error', text: string): void {
    for (const client of this.#clients) client.say(level, text);
  }

  /** Its servers, for a person. */
  get summary(): string {
    const aliases = [...this.children].map(({ alias }) => alias).filter((alias) => alias !== OWN_ALIAS);
    return aliases.length === 0 ? 'no servers' : `servers: ${aliases.join(', ')}`;
  }

  #offerOwn(): void {
    if (this.#own !== undefined) return;
    const [near, far] = memoryLinks([OWN_ALIAS, 'the hub']);
    this.#own = import('./own.js').then(
      ({ OwnTools: Own }) =>
        new Own(far, this.children, this.#merged, () => ({
          status: this.#hasStatus,
          expose: this.#expose,
          separator: this.#separator,
        })),
    );
    this.#ownReady = this.children.adopt(OWN_ALIAS, near);
  }

  /** @throws Fault `invalid` where a child has the alias of the hub's own tools. */
  #checkOwn(specs: readonly ChildSpec[], expose: Expose): void {
    if ((expose === 'search' || this.#hasStatus) && specs.some(({ alias }) => alias === OWN_ALIAS))
      throw new Fault('invalid', `the hub itself has the alias ${OWN_ALIAS} with --status and with --expose search`, {
        next: 'Give the child another one.',
      });
  }

  #exposeBy(expose: Expose): void {
    this.#expose = expose;
    this.#offerOwn();
    void this.#own?.then((own) => own.changed());
  }

  /** What waits for the client, and what runs for it alone, ends. */
  #left({ peer, owner }: Client): void {
    this.#held.dropAll(peer);
    this.#tasks.leave(peer);
    this.children.leave(owner);
  }

  /** A question that a child sends goes to the client that owns the call it belongs to. */
  #question(child: Child, question: Call): void {
    const open = crossingsAt(child, question.on);
    const task = ofTask(this.#tasks, child, question.frame);
    const [caller, ...others] = task?.caller === undefined ? callersOf(open, this.#clientsOf(child)) : [task.caller];
    const isForPerson = question.frame.method === ELICITATION;
    if (caller !== undefined && others.length === 0) {
      const [on, ...more] = open;
      if (isForPerson && task === undefined && more.length === 0) on?.own(question);
      this.#put(child, question, caller, lastOf(open, caller), task);
      // Which client is meant is not guessed; the person is the same.
    } else if (isForPerson && this.#gate?.standsIn === true) this.#gate.answer(child.alias, question);
    else {
      const why = caller === undefined ? 'nobody is' : 'no single client is';
      question.fail(new Fault('unsupported', `${why} there to answer ${child.alias}`));
    }
  }

  /** A question that came with the answer to a call goes to whoever made the call. */
  #ask(child: Child, question: Call, on: Crossing): void {
    this.#put(child, question, on.caller, on);
  }

  #put(child: Child, question: Call, caller: Caller, on: Crossing | undefined, task?: OfTask): void {
    const { frame } = question;
    const isForPerson = frame.method === ELICITATION;
    if (!canBeAsked(caller, frame)) {
      // What was offered is not an error to ask for, whichever client it is.
      if (isForPerson && this.#gate?.standsIn === true) this.#gate.answer(child.alias, question);
      else if (isForPerson && this.children.wasOffered(child, 'elicitation')) question.result({ action: 'decline' });
      else question.fail(new Fault('unsupported', `the client does not answer ${frame.method}`));
      return;
    }
    const head = isForPerson ? headed(frame.bytes, frame.at('message'), `${child.alias}: `) : [];
    const edits = task === undefined ? head : [...head, ...task.edits];
    const back: Back | undefined =
      task === undefined ? undefined : (answer) => relatedBack(this.#tasks, caller, answer, 'result');
    if (on === undefined) relay(question, caller.peer, edits, undefined, back);
    else on.ask(question, edits, back);
  }

  /** Notifications of a child go to the clients they may concern, but for what only some have asked for. */
  #pass(child: Child, frame: Frame, on: unknown): void {
    if (frame.method === 'notifications/resources/updated') {
      this.#subscriptions.updated(child, frame);
      return;
    }
    if (frame.method === 'notifications/tasks/status' && hasTasks(child)) {
      passStatus(this.#tasks, child, frame);
      return;
    }
    const isLog = frame.method === 'notifications/message';
    const head = isLog ? headed(frame.bytes, frame.at('logger'), `${child.alias}/`) : [];
    const task = ofTask(this.#tasks, child, frame);
    const edits = task === undefined ? head : [...head, ...task.edits];
    const open = crossingsAt(child, on);
    const callers = task?.caller === undefined ? callersOf(open, this.#clientsOf(child)) : [task.caller];
    for (const caller of callers) caller.hear(frame, edits, lastOf(open, caller)?.call);
  }

  /** Whom it may concern what a child says by itself: all, or the only one that it serves. */
  #clientsOf({ owner }: Child): Iterable<Client> {
    return owner === undefined ? this.#clients : [...this.#clients].filter((client) => client.owner === owner);
  }

  /** A client listens from now on, until it cancels that (2026-07-28). */
  #listen(call: Call, caller: Caller): void {
    const listening = new Listening(call, caller.form, this.#merged.states(caller.form));
    call.isStanding = true;
    const owned = listening.uris.map((uri) => ({ shown: uri, to: this.#uris.reached(uri, caller.owner) }));
    if (listening.taskIds.length > 0 && !knowsTasks(caller)) throw tasksFault();
    const end = new AbortController();
    call.watchedBy({
      cancelled: () => {
        end.abort(new Fault('cancelled', 'nobody listens any more'));
        this.#listening.delete(listening);
        this.#subscriptions.removeAll(listening);
      },
    });
    this.#listening.add(listening);
    for (const { shown, to } of owned) this.#subscriptions.begin(listening, to, shown);
    if (listening.taskIds.length === 0) listening.acknowledge([]);
    else void hearOfTasks(this.#tasks, listening, caller, end.signal);
  }

  async #settle({ added, replaced }: Reconfigured): Promise<void> {
    this.#unsettled += 1;
    if (added.length + replaced.length > 0) await this.children.learned(PATIENCE);
    this.#unsettled -= 1;
    this.#listsChanged();
  }

  #changed(child: Child): void {
    this.#gate?.saw(child);
    this.#subscriptions.renew(child);
    this.#listsChanged();
  }

  #listsChanged(): void {
    this.#uris.forget();
    if (this.#unsettled === 0) this.#tellChanges();
  }

  #tellChanged(): void {
    const states = new Map<Form, Map<ListName, string>>();
    for (const listener of [...this.#clients, ...this.#listening]) {
      const state = states.get(listener.form) ?? this.#merged.states(listener.form);
      states.set(listener.form, state);
      listener.tellChanged(state);
    }
  }

  #fell(why: Fault, wait?: number): void {
    const again = wait === undefined ? '' : `; it is started again in ${(wait / 1000).toFixed(1)} s`;
    const text = why.message + again;
    log.warn(why.next === undefined ? text : `${text}. ${why.next}`);
    this.say('warning', text);
  }
}

function missingFault({ alias }: Child, why: Fault): Fault {
  const next = why.next ?? `Correct it, or drop its --required to run without it.`;
  return new Fault('gone', `${alias} is required, but ${why.message}`, { cause: why, next });
}

/** The calls that a child has open; that one alone in whose course it said something, where that is known. */
function crossingsAt({ peer }: Child, on: unknown): Crossing[] {
  if (on instanceof Crossing) return [on];
  return (peer?.forwarded() ?? []).filter((waiting) => waiting instanceof Crossing);
}

/** Whom it may concern what a child says in the middle of calls: who made them; all, where there are none. */
function callersOf(open: readonly Crossing[], all: Iterable<Caller>): Caller[] {
  if (open.length === 0) return [...all];
  return [...new Map(open.map(({ caller }) => [caller.peer, caller])).values()];
}

/** The latest of them that one client made. */
function lastOf(open: readonly Crossing[], { peer }: Caller): Crossing | undefined {
  return open.findLast(({ caller }) => caller.peer === peer);
}

/** Whether a caller can be asked this: forms are not all that elicitation may be. */
function canBeAsked(caller: Caller, frame: Frame): boolean {
  if (!caller.can(ASKED.get(frame.method))) return false;
  const isForm = frame.method === ELICITATION && frame.value('mode') !== 'url';
  return !isForm || asksForms(caller.capabilities?.['elicitation']);
}
