import type { Readable, Writable } from 'node:stream';
import { Lines } from '../../shared/lines.js';
import type { Message } from './end.js';
import { soon } from './until.js';

/** What a tool call came to. */
export interface Outcome {
  /** The first text of its result. */
  readonly text: string;
  readonly error: { readonly code: number; readonly message: string } | undefined;
  readonly message: Message;
}

/** A client without any SDK, which sends what it is told and keeps all that comes. */
export class LeanClient {
  /** All notifications that came. */
  readonly notifications: Message[] = [];
  /** How it answers requests, by method. */
  readonly answers = new Map<string, (params: Message) => unknown>();
  readonly #output: Writable;
  readonly #open = new Map<string, (message: Message) => void>();
  readonly #watchers = new Set<() => void>();
  #next = 0;

  constructor(input: Readable, output: Writable) {
    this.#output = output;
    const lines = new Lines();
    input.on('data', (chunk: Buffer) => {
      lines.push(chunk, (line) => this.#take(JSON.parse(line.toString()) as Message));
    });
    output.on('error', () => undefined);
  }

  send(message: Message): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Ends its side of the connection. */
  end(): void {
    this.#output.end();
  }

  /** Sends a request; its answer as it came. */
  request(method: string, params: Message = {}, id: unknown = this.#freshId()): Promise<Message> {
    const key = JSON.stringify(id);
    const answer = new Promise<Message>((resolve) => this.#open.set(key, resolve));
    this.send({ id, method, params });
    return soon(`answer to ${method} ${JSON.stringify(params).slice(0, 100)}`, answer, 15_000);
  }

  /** Says hello under a name; what the server says of itself. */
  async greet(capabilities: Message = {}, name = 'lean'): Promise<Message> {
    const clientInfo = { name, version: '1' };
    const answer = await this.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    this.send({ method: 'notifications/initialized' });
    return answer['result'] as Message;
  }

  async call(name: string, args: Message = {}, more: Message = {}, id?: unknown): Promise<Outcome> {
    const message = await this.request('tools/call', { name, arguments: args, ...more }, id);
    const result = (message['result'] ?? {}) as { content?: { text?: string }[] };
    return { text: result.content?.[0]?.text ?? '', error: message['error'] as Outcome['error'], message };
  }

  async toolNames(): Promise<string[]> {
    const { result } = (await this.request('tools/list')) as { result: { tools: { name: string }[] } };
    return result.tools.map(({ name }) => name);
  }

  /** The first notification of this method, from the given one on, that holds the text; waits for it. */
  async notification(method: string, holding = '', from = 0): Promise<Message> {
    const fits = (message: Message): boolean =>
      message['method'] === method && JSON.stringify(message['params'] ?? {}).includes(holding);
    const found = (): Message | undefined => this.notifications.slice(from).find(fits);
    await soon(
      `${method} ${holding}`,
      this.#when(() => found() !== undefined),
    );
    return found() as Message;
  }

  #when(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  #freshId(): string {
    this.#next += 1;
    return `lean ${this.#next}`;
  }

  #take(message: Message): void {
    const { id, method } = message;
    if (method === undefined) this.#answered(message);
    else if (id === undefined) this.notifications.push(message);
    else this.#answer(id, String(method), (message['params'] ?? {}) as Message);
    for (const look of [...this.#watchers]) look();
  }

  #answered(message: Message): void {
    const key = JSON.stringify(message['id']);
    const resolve = this.#open.get(key);
    if (resolve === undefined) throw new Error(`an answer to nothing: ${JSON.stringify(message).slice(0, 300)}`);
    this.#open.delete(key);
    resolve(message);
  }

  #answer(id: unknown, method: string, params: Message): void {
    const answer = this.answers.get(method);
    if (answer === undefined) this.send({ id, error: { code: -32601, message: `no ${method}` } });
    else this.send({ id, result: answer(params) });
  }
}
