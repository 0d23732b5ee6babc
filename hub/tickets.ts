import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import { limits } from '../shared/limits.js';
import { type JsonObject, objectOf } from './protocol.js';

/** The most tickets remembered as used; they end by themselves after their time. */
const MOST_USED = 10_000;

/** What a ticket is for: a call that waits here, or the state of a child. */
export type Purpose = { readonly held: string } | { readonly child: string; readonly state: string | undefined };

/**
 * What a client is given with questions and brings back with the answers (2026-07-28, `requestState`): signed, for the
 * very call it was given for, for one use, for a limited time. The key lives as long as the hub.
 */
export class Tickets {
  readonly #key = randomBytes(32);
  readonly #used = new Map<string, number>();

  /** A ticket for calling again exactly like `call`. */
  issue(purpose: Purpose, call: Frame): string {
    const content = { ...purpose, id: randomBytes(12).toString('base64url'), until: Date.now() + limits.question };
    const text = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${text}.${this.#mark(text, call)}`;
  }

  /**
   * What the ticket that a call brings is for; it is used up.
   * @throws Fault `invalid` for one that was not given out for this call, or was used before, or is too old.
   */
  redeem(ticket: unknown, call: Frame): Purpose {
    const [text = '', mark = ''] = typeof ticket === 'string' ? ticket.split('.') : [];
    if (!isSame(mark, this.#mark(text, call))) throw refused('was not given out for this call');
    const content = objectOf(JSON.parse(Buffer.from(text, 'base64url').toString()));
    const { id, until, held, child, state } = content;
    if (Number(until) < Date.now()) throw refused('is too old');
    if (this.#used.has(String(id))) throw refused('was used before');
    this.#use(String(id), Number(until));
    if (typeof held === 'string') return { held };
    return { child: String(child), state: typeof state === 'string' ? state : undefined };
  }

  #mark(text: string, call: Frame): string {
    return createHmac('sha256', this.#key).update(text).update('.').update(digest(call)).digest('base64url');
  }

  #use(id: string, until: number): void {
    const now = Date.now();
    for (const [old, end] of this.#used) {
      if (end >= now && this.#used.size < MOST_USED) break;
      this.#used.delete(old);
    }
    this.#used.set(id, until);
  }
}

/** Members of `params` that differ when a call is made again with the answers. */
const CHANGING: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState']);

/** What a call is, whichever way it is written. */
function digest({ method, params }: Frame): string {
  const own = Object.entries(params).filter(([name]) => !CHANGING.has(name));
  return createHash('sha256')
    .update(JSON.stringify([method, inOrder(Object.fromEntries(own))]))
    .digest('base64');
}

/** The value with the members of each object by name; its depth was bounded when it was read. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', value.map(inOrder)];
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return ['object', members.map(([name, each]) => [name, inOrder(each)])];
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refused(why: string): Fault {
  return new Fault('invalid', `the requestState ${why}`, { next: 'Make the call anew, without it.' });
}
