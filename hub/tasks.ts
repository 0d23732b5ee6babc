import { createHmac, timingSafeEqual } from 'node:crypto';
import { Fault } from '../shared/fault.js';
import type { Peer } from '../shared/peer.js';
import type { Caller } from './caller.js';
import { type Child, isModern } from './child.js';
import { type Era, TASKS } from './modern.js';
import { objectOf } from './protocol.js';

/** A task as the child that has it knows it. */
export interface TaskAt {
  readonly child: Child;
  readonly id: string;
}

/** What is known of a task. */
interface Known {
  /** The session that began it. */
  readonly owner: Caller | undefined;
  /** When the child may forget it, in milliseconds since the epoch. */
  readonly until: number;
  isOver: boolean;
  /** Ends what was kept for it; called when it is over. */
  stop: () => void;
}

/** The most tasks of one child that are remembered. */
const MOST = 10_000;
/** Milliseconds for a child to cancel one. */
const PATIENCE = 30_000;
/** Bytes of the mark that makes an id of ours. */
const MARK = 16;

/** Whether a child has tasks, in the form of its era (2025-11-25, or the extension of 2026-07-28). */
export function hasTasks(child: Child): boolean {
  const capabilities = child.catalogue?.capabilities ?? {};
  return isModern(child) ? TASKS in objectOf(capabilities['extensions']) : 'tasks' in capabilities;
}

/** Whether a client of 2026-07-28 says that it knows tasks. */
export function knowsTasks({ capabilities }: Caller): boolean {
  return TASKS in objectOf(capabilities?.['extensions']);
}

/**
 * The tasks of all children. A client sees each under `ALIAS.MARK.ID`: the mark is signed, so that nobody comes by an id
 * who was not given it. A task of a session is that session's alone; without sessions whoever has the id has the task.
 */
export class Tasks {
  readonly #children: { get(alias: string): Child | undefined };
  readonly #key: Uint8Array;
  readonly #known = new Map<Child, Map<string, Known>>();

  /** `key` signs the ids: those of an earlier run hold as long as it is the same. */
  constructor(children: { get(alias: string): Child | undefined }, key: Uint8Array) {
    this.#children = children;
    this.#key = key;
  }

  /** The id under which clients of an era see a task. */
  shown(era: Era, { alias }: Child, id: string): string {
    return `${alias}.${this.#mark(era, alias, id)}.${id}`;
  }

  /** A child has begun a task for a caller; `ttl` is how long it keeps it, in milliseconds. */
  begin(caller: Caller, child: Child, id: string, ttl: number): Known {
    const tasks = this.#known.get(child) ?? new Map<string, Known>();
    this.#known.set(child, tasks);
    tasks.get(id)?.stop();
    tasks.delete(id);
    const [oldest] = tasks.keys();
    if (tasks.size >= MOST && oldest !== undefined) forget(tasks, oldest);
    const owner = caller.era === 'legacy' ? caller : undefined;
    const known = { owner, until: Date.now() + ttl, isOver: false, stop: nothing };
    tasks.set(id, known);
    return known;
  }

  /** A task goes on no longer. */
  over(child: Child, id: string): void {
    const tasks = this.#known.get(child);
    const known = tasks?.get(id);
    if (known === undefined || known.isOver) return;
    known.isOver = true;
    known.stop();
    known.stop = nothing;
    if (known.owner === undefined) tasks?.delete(id);
  }

  /**
   * The task that a caller means by an id.
   * @throws Fault `unknown` for one that it was not given.
   */
  find(caller: Caller, shown: unknown): TaskAt {
    const [alias = '', mark = '', ...rest] = typeof shown === 'string' ? shown.split('.') : [];
    const id = rest.join('.');
    const isOurs = isSame(mark, this.#mark(caller.era, alias, id));
    const child = isOurs ? this.#children.get(alias)?.instance(caller.owner) : undefined;
    if (child !== undefined && (caller.era === 'modern' || this.owner(child, id)?.peer === caller.peer))
      return { child, id };
    throw new Fault('unknown', `there is no task ${JSON.stringify(shown)?.slice(0, 200)}`);
  }

  /** The session that began a task. */
  owner(child: Child, id: string): Caller | undefined {
    return this.#known.get(child)?.get(id)?.owner;
  }

  /** The tasks of a session, by child. */
  of(peer: Peer): (readonly [child: Child, ids: ReadonlySet<string>])[] {
    return [...this.#known].flatMap(([child, tasks]) => {
      const own = [...tasks].filter(([, { owner }]) => owner?.peer === peer);
      return own.length === 0 ? [] : [[child, new Set(own.map(([id]) => id))] as const];
    });
  }

  /** A session has ended: its tasks, which nobody can ask for any more, end with it. */
  leave(peer: Peer): void {
    for (const [child, ids] of this.of(peer)) {
      const tasks = this.#known.get(child) ?? new Map<string, Known>();
      for (const id of ids) {
        if (goesOn(tasks.get(id))) cancel(child, id);
        forget(tasks, id);
      }
      if (tasks.size === 0) this.#known.delete(child);
    }
  }

  /** Whether a child has tasks that may go on. */
  isBusy(child: Child): boolean {
    return [...(this.#known.get(child)?.values() ?? [])].some(goesOn);
  }

  #mark(era: Era, alias: string, id: string): string {
    const text = JSON.stringify(['task', era, alias, id]);
    return createHmac('sha256', this.#key).update(text).digest().subarray(0, MARK).toString('base64url');
  }
}

function nothing(): void {
  // Nothing is kept for it.
}

function goesOn(known: Known | undefined): boolean {
  return known !== undefined && !known.isOver && known.until > Date.now();
}

function forget(tasks: Map<string, Known>, id: string): void {
  tasks.get(id)?.stop();
  tasks.delete(id);
}

function cancel({ peer, catalogue }: Child, id: string): void {
  if (peer === undefined || !('cancel' in objectOf(catalogue?.capabilities['tasks']))) return;
  // It may be over by now, or gone.
  peer.request('tasks/cancel', { taskId: id }, { timeout: PATIENCE }).catch(() => undefined);
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
