import assert from 'node:assert/strict';
import type { Link } from '../../shared/link.js';

/** A decoded message. */
export type Message = Record<string, unknown>;

/** What a message must contain; objects are compared member by member, absent members are free. */
export type Pattern = Record<string, unknown>;

const PATIENCE = 5000;

/** One end of a connection in a test: sends raw messages and takes what comes, in order. */
export class End {
  readonly name: string;
  readonly #link: Link;
  readonly #arrived: Buffer[] = [];
  #wake: () => void = () => undefined;
  #ended = false;
  #fences = 0;

  constructor(name: string, link: Link) {
    this.name = name;
    this.#link = link;
    link.start({
      message: (bytes) => {
        this.#arrived.push(bytes);
        this.#wake();
      },
      end: () => {
        this.#ended = true;
        this.#wake();
      },
    });
  }

  send(message: Message): void {
    this.sendText(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  sendText(text: string): void {
    this.#link.send(text);
  }

  /** The next message; it must match the pattern. */
  async next(pattern: Pattern = {}): Promise<Message> {
    const message = JSON.parse((await this.nextBytes(pattern)).toString()) as Message;
    match(message, pattern, this.name);
    return message;
  }

  /** The bytes of the next message; the pattern says what is waited for. */
  async nextBytes(pattern: Pattern = {}): Promise<Buffer> {
    const deadline = Date.now() + PATIENCE;
    while (this.#arrived.length === 0) {
      assert.ok(!this.#ended, `${this.name}: the connection ended while waiting for ${JSON.stringify(pattern)}`);
      await this.#arrival(deadline, `${this.name}: nothing came while waiting for ${JSON.stringify(pattern)}`);
    }
    return this.#arrived.shift() as Buffer;
  }

  /** Everything sent before on this end has been dealt with, and nothing but the answer to this comes back. */
  async fence(): Promise<void> {
    this.#fences += 1;
    const id = `fence-${this.#fences}`;
    this.send({ id, method: 'ping' });
    await this.next({ id, result: {} });
  }

  /** Waits for the connection to end. */
  async ended(): Promise<void> {
    const deadline = Date.now() + PATIENCE;
    while (!this.#ended) await this.#arrival(deadline, `${this.name}: the connection did not end`);
  }

  close(): void {
    this.#link.close();
  }

  #arrival(deadline: number, complaint: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(complaint)), deadline - Date.now());
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function match(actual: unknown, pattern: unknown, where: string): void {
  if (pattern instanceof RegExp) assert.match(String(actual), pattern, where);
  else if (typeof pattern === 'object' && pattern !== null && !Array.isArray(pattern)) {
    assert.ok(typeof actual === 'object' && actual !== null, `${where} is ${JSON.stringify(actual)}`);
    for (const [name, value] of Object.entries(pattern)) {
      match((actual as Message)[name], value, `${where}.${name}`);
    }
  } else assert.deepEqual(actual, pattern, `${where} of ${JSON.stringify(actual)}`);
}
