import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { Lines } from '../shared/lines.js';
import type { Command } from './programs.js';

const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };

/** An MCP client over pipes that hands on answers as they came, and tells of notifications. */
export class RawClient {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (answer: Buffer) => void>();
  #notified: (method: string) => void = () => undefined;
  #next = 1;

  constructor([program, ...args]: Command, env: NodeJS.ProcessEnv) {
    this.#process = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = new Lines();
    this.#process.stdout.on('data', (chunk: Buffer) => lines.push(chunk, (line) => this.#take(line)));
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  async initialize(): Promise<void> {
    await this.request('initialize', INITIALIZE);
    this.#process.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  /** The answer to a request, as it came. */
  request(method: string, params: unknown): Promise<Buffer> {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  /** The next notification of a method. */
  notification(method: string): Promise<void> {
    return new Promise((resolve) => {
      this.#notified = (each) => {
        if (each === method) resolve();
      };
    });
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    await ended;
  }

  #take(line: Buffer): void {
    const head = line.toString('latin1', 0, 120);
    const id = Number(/^\{"jsonrpc":"2.0","id":(\d+),/.exec(head)?.[1]);
    const method = /"method":"([^"]+)"/.exec(head)?.[1];
    this.#waiting.get(id)?.(line);
    this.#waiting.delete(id);
    if (method !== undefined) this.#notified(method);
  }
}
