import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The verbs of the plugin, sorted. */
export const VERBS = [
  'changes',
  'cursor',
  'edit',
  'eval',
  'ex',
  'follow',
  'grep',
  'hash',
  'keymap',
  'listen',
  'matches',
  'new',
  'notify',
  'open',
  'probe',
  'pulse',
  'read',
  'redo',
  'refused',
  'save',
  'screen',
  'selection',
  'stage',
  'staged',
  'state',
  'substitute',
  'undo',
  'unfollow',
  'unstage',
  'welcome',
];

/** What a Vim answers that does not do what it is asked. */
export class Refusal {
  readonly err: unknown;

  constructor(category: string, message: string, data: object = {}) {
    this.err = { category, message, data };
  }
}

type Answer = (params: Record<string, unknown>) => unknown;

/** The other side of the private protocol, for what a real Vim would not do. */
export class FakeVim {
  readonly #socket: Socket;
  readonly #answers: Record<string, Answer>;
  /** Verbs that were called, in order. */
  readonly called: string[] = [];
  /** Size of the largest frame, in bytes. */
  largest = 0;
  /** Lines that were no calls. */
  readonly lines: unknown[] = [];
  #rest = '';

  private constructor(socket: Socket, answers: Record<string, Answer>) {
    this.#socket = socket;
    this.#answers = {
      welcome: () => ({ major: 1, minor: 0, pid: 1, cwd: '/', version: '9', verbs: VERBS }),
      refused: () => ({}),
      pulse: () => ({ mode: 'n', busy: '' }),
      ...answers,
    };
    socket.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    socket.on('error', () => undefined);
  }

  static async connect(url: string, answers: Record<string, Answer> = {}): Promise<FakeVim> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new FakeVim(socket, answers);
  }

  send(line: unknown): void {
    this.#socket.write(`${JSON.stringify(line)}\n`);
  }

  /** Fulfilled when the broker closes the connection. */
  async closed(): Promise<void> {
    if (!this.#socket.closed) await once(this.#socket, 'close');
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      this.largest = Math.max(this.largest, Buffer.byteLength(line) + 1);
      this.#line(JSON.parse(line) as unknown);
    }
  }

  #line(message: unknown): void {
    const [word, , params, id] = message as [string, string, [string, Record<string, unknown>], number];
    if (word !== 'call') {
      this.lines.push(message);
      return;
    }
    this.called.push(params[0]);
    const answer = this.#answers[params[0]]?.(params[1]);
    if (answer instanceof Refusal) this.send([id, { err: answer.err }]);
    else if (answer !== undefined) this.send([id, { ok: answer }]);
  }
}

/** The keyed hash of the handshake, written anew from its description. */
export function keyed(key: string, text: string): string {
  const sha = (value: string): string => createHash('sha256').update(value).digest('hex');
  return sha(`${key}:${sha(`${key}:${text}`)}`);
}
