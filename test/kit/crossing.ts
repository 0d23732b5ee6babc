import assert from 'node:assert/strict';
import { Frame } from '../../shared/jsonrpc.js';
import type { End } from './end.js';
import { answerNext, Inside } from './inside.js';
import type { Random } from './random.js';
import { Exactly, filled, Own, type Pieces, Wild } from './wild.js';

/** What the hub may exchange: ids, tokens, names, and text that it heads with the alias. */
export type Places = Readonly<Record<string, string>>;

/** A request, and the results that it may have. */
export interface Request {
  readonly method: string;
  readonly params?: unknown;
  /** What the sender writes in the open places, and what the receiver sees. */
  readonly sent?: Places;
  readonly seen?: Places;
  readonly results: readonly unknown[];
}

/** A client and a child with the hub between them. */
export class Crossing {
  readonly client: End;
  readonly child: End;
  readonly #wild: Wild;
  #next = 0;

  private constructor(client: End, child: End, wild: Wild) {
    this.client = client;
    this.child = child;
    this.#wild = wild;
  }

  static async begin(random: Random): Promise<Crossing> {
    const inside = new Inside();
    const client = await inside.client({ elicitation: {}, sampling: {}, roots: {} });
    const child = inside.dial('vim');
    const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} };
    await answerNext(child, 'initialize', { protocolVersion: '2025-11-25', capabilities });
    await child.next({ method: 'notifications/initialized' });
    return new Crossing(client, child, new Wild(random));
  }

  wild(value: unknown): Pieces {
    return this.#wild.written(value);
  }

  message(members: Readonly<Record<string, unknown>>): Pieces {
    return this.#wild.written({ jsonrpc: new Exactly('"2.0"'), ...members });
  }

  /** A request from one to the other, which comes as it was sent; the ids under which it is open. */
  async asks(
    from: End,
    to: End,
    { method, params, sent, seen }: Request,
  ): Promise<{ own: string; there: string; token: string }> {
    this.#next += 1;
    const own = [`${this.#next}`, `"id ${this.#next}"`, `90071992547409930${this.#next}`][this.#next % 3] ?? '';
    const token = [`"t\\u006fken ${this.#next}"`, `${this.#next}.0`][this.#next % 2] ?? '';
    const request = this.message({ id: new Own('id'), method, ...(params === undefined ? {} : { params }) });
    from.sendText(filled(request, { ...sent, id: own, token }));
    const bytes = await to.nextBytes({ method });
    const there = textOf(bytes, 'id');
    assert.equal(bytes.toString(), filled(request, { ...seen, id: there, token: there }));
    return { own, there, token };
  }

  /** The answer to it, by a result or an error. */
  async answers(
    from: End,
    to: End,
    ids: { own: string; there: string },
    outcome: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const answer = this.message({ id: new Own('id'), ...outcome });
    from.sendText(filled(answer, { id: ids.there }));
    assert.equal((await to.nextBytes()).toString(), filled(answer, { id: ids.own }));
  }

  async tells(
    from: End,
    to: End,
    members: Readonly<Record<string, unknown>>,
    sent: Places = {},
    seen = sent,
  ): Promise<void> {
    const notification = this.message(members);
    from.sendText(filled(notification, sent));
    assert.equal((await to.nextBytes(members)).toString(), filled(notification, seen));
  }
}

function textOf(bytes: Buffer, member: 'id'): string {
  const span = Frame.parse(bytes).span(member);
  return bytes.toString('utf8', span?.start, span?.end);
}
