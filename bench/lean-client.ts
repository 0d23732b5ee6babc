import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { LineMeter } from './line-meter.js';
import type { Command } from './programs.js';

interface Waiting {
  resolve(bytes: number): void;
  reject(error: Error): void;
}

/** Milliseconds that a process has to end. */
const PATIENCE = 3000;

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

/** An MCP client over pipes that does as little as it can, so that what stands between it and the child shows. */
export class LeanClient {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  constructor([program, ...args]: Command, env: NodeJS.ProcessEnv) {
    this.#process = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const meter = new LineMeter((id, bytes, failed) => this.#answer(id, bytes, failed));
    this.#process.stdout.on('data', (chunk: Buffer) => meter.push(chunk));
    this.#process.on('error', (error) => this.#fail(error));
    this.#process.on('exit', () => this.#fail(new Error(`${args.join(' ')} ended`)));
    this.#process.stdin.on('error', () => undefined);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Says hello; fulfilled with the first answer. */
  async initialize(): Promise<void> {
    await this.request('initialize', INITIALIZE);
    this.#process.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  /** Calls a tool, as clients do with a progress token; the bytes of the answer. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<number> {
    return this.request('tools/call', { name, arguments: args, _meta: { progressToken: this.#next } });
  }

  request(method: string, params: unknown): Promise<number> {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  /** Ends the process in the way of the protocol, by closing its input; one that does not care is killed. */
  async close(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    const slow = setTimeout(() => this.#process.kill('SIGKILL'), PATIENCE);
    await ended;
    clearTimeout(slow);
  }

  #answer(id: number, bytes: number, failed: boolean): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failed) waiting?.reject(new Error(`the call ${id} was answered by an error`));
    else waiting?.resolve(bytes);
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
