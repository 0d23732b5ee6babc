import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Home } from '../kit/home.js';
import { eventually } from '../kit/until.js';
import type { Vim } from '../kit/vim.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const BUNDLED = resolve(ROOT, 'dist/bin/mcp-vim.js');
/** The program as it is installed, or as it was just compiled. */
export const PROGRAM = existsSync(BUNDLED) ? resolve(ROOT, 'bin/mcp-vim') : resolve(ROOT, 'dist/child-vim/main.js');

/** A person's answer to a question. */
export type Answer =
  | { action: 'accept'; content: { decision: string; scope?: string; reason?: string; seen?: boolean } }
  | { action: 'decline' }
  | { action: 'cancel' };

/** Also where there is more to read than the question shows. */
export const ALLOW: Answer = { action: 'accept', content: { decision: 'allow', seen: true } };
export const DENY: Answer = { action: 'accept', content: { decision: 'deny' } };

/** A tool's result as the tests look at it. */
export interface Result {
  readonly isError: boolean;
  readonly text: string;
  readonly value: Record<string, unknown>;
}

/** A running broker and a client of it over stdio. */
export class Broker {
  readonly client: Client;
  /** The questions the person was asked. */
  readonly questions: string[] = [];
  /** The forms they were asked with. */
  readonly forms: Record<string, unknown>[] = [];
  /** How the person answers the next ones. */
  answer: Answer | (() => Promise<Answer>) = ALLOW;
  /** What it wrote to standard error. */
  log = '';
  readonly #transport: StdioClientTransport;

  private constructor(client: Client, transport: StdioClientTransport) {
    this.client = client;
    this.#transport = transport;
  }

  /** Starts `mcp-vim --stdio` in `home`. */
  static async start(
    home: Home,
    args: readonly string[] = [],
    options: { elicitation?: boolean; modern?: boolean } = {},
  ): Promise<Broker> {
    const capabilities = options.elicitation === false ? {} : { elicitation: { form: {} } };
    const mode = options.modern === true ? { pin: '2026-07-28' } : 'legacy';
    const client = new Client({ name: 'test', version: '0' }, { capabilities, versionNegotiation: { mode } });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, '--stdio', ...args],
      env: home.env as Record<string, string>,
      stderr: 'pipe',
    });
    const broker = new Broker(client, transport);
    transport.stderr?.on('data', (chunk: Buffer) => {
      broker.log += chunk.toString();
    });
    if (options.elicitation !== false) {
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        broker.questions.push(params.message);
        if ('requestedSchema' in params) broker.forms.push(params.requestedSchema.properties);
        return typeof broker.answer === 'function' ? await broker.answer() : broker.answer;
      });
    }
    await client.connect(transport);
    return broker;
  }

  get pid(): number {
    return this.#transport.pid ?? 0;
  }

  /** Calls a tool. */
  async call(name: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Result> {
    const result = await this.client.callTool({ name, arguments: args }, signal === undefined ? {} : { signal });
    const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return {
      isError: result.isError === true,
      text,
      value: (result.structuredContent ?? {}) as Record<string, unknown>,
    };
  }

  /** The names of the connected editors. */
  async targets(): Promise<string[]> {
    const { value } = await this.call('targets');
    return (value['targets'] as { target: string }[]).map(({ target }) => target);
  }

  /** Has a Vim connect by `:Mcp` and waits for it. */
  async join(vim: Vim, command = 'Mcp'): Promise<string> {
    const before = await this.targets();
    await vim.ex(command);
    return await eventually('Vim is connected', async () =>
      (await this.targets()).find((name) => !before.includes(name)),
    );
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

/** The diff that replaces one line. */
export function change(line: number, from: string, to: string): string {
  return `@@ -${line},1 +${line},1 @@\n-${from}\n+${to}\n`;
}

/** The URL prefix of a broker in `home`. */
export function printedUrl(home: Home, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [PROGRAM, '--print-url', ...args], { env: home.env, encoding: 'utf8' }).trim();
}

/** The facts of a refusal, which stand on the last line of its text. */
export function refusal(result: Result): Record<string, unknown> {
  assert.equal(result.isError, true, result.text);
  return JSON.parse(result.text.slice(result.text.lastIndexOf('\n') + 1)) as Record<string, unknown>;
}
