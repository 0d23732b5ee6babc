import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { Home } from './home.js';
import { Screen } from './screen.js';
import { eventually } from './until.js';

const RUNTIME = resolve(import.meta.dirname, '../../../vim');

/** The least a person would have, and the channel by which the test looks in. */
const vimrc = (port: number): string => `
set nocompatible ttimeout ttimeoutlen=20 hidden backspace=indent,eol,start shortmess+=I nomore encoding=utf-8
set rtp^=${RUNTIME}
let g:kit = ch_open('127.0.0.1:${port}', #{mode: 'json', waittime: 2000})
runtime plugin/mcp.vim
`;

/** A real Vim in a terminal. */
export class Vim {
  readonly #process: ChildProcess;
  readonly #screen: Screen;
  readonly #channel: Channel;
  /** Process id of Vim itself. */
  pid = 0;
  #typed = 0;

  private constructor(process: ChildProcess, screen: Screen, channel: Channel) {
    this.#process = process;
    this.#screen = screen;
    this.#channel = channel;
  }

  /** Starts Vim in `home` with further vimrc lines and file arguments (names of letters, digits and `._/-`). */
  static async start(
    home: Home,
    options: { vimrc?: string; files?: readonly string[]; cwd?: string } = {},
  ): Promise<Vim> {
    const files = options.files ?? [];
    const channel = await Channel.listen();
    const rc = join(home.path, `vimrc.${channel.port}`);
    await writeFile(rc, vimrc(channel.port) + (options.vimrc ?? ''));
    for (const name of [rc, ...files]) if (!/^[\w./-]+$/.test(name)) throw new Error(`unquotable name ${name}`);
    const command = `stty rows 24 cols 80; ulimit -v 4000000; exec vim -u ${rc} -i ${home.path}/viminfo ${files.join(' ')}`;
    const child = spawn('script', ['-qfec', command, '/dev/null'], {
      cwd: options.cwd ?? home.path,
      env: home.env,
      detached: true,
    });
    const screen = new Screen((data) => child.stdin.write(data));
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => screen.write(chunk));
    const vim = new Vim(child, screen, channel);
    await channel.connected;
    await eventually('Vim has started', () => vim.eval<number>('v:vim_did_enter').then((entered) => entered === 1));
    // What Vim asks of the terminal by itself, unless it is compatible with Vi, is answered: see typed().
    await vim.until("v:termresponse != '' || !&esckeys", 1);
    vim.pid = await vim.eval<number>('getpid()');
    return vim;
  }

  /** Types keys, `\x1b` for Esc. */
  type(keys: string): void {
    this.#process.stdin?.write(keys);
  }

  /**
   * Types keys and waits until Vim has taken all of them, in whatever mode. A terminal's answer about its version goes
   * behind them: Vim takes it out of the input without a trace but `v:termresponse`. Not after a Ctrl-V, which wants it.
   */
  async typed(keys: string): Promise<void> {
    this.#typed += 1;
    const answer = `\x1b[>1;95;${this.#typed}c`;
    this.type(keys + answer);
    const deadline = performance.now() + 10_000;
    while ((await this.eval('v:termresponse')) !== answer) {
      if (performance.now() > deadline) throw new Error(`Vim does not take ${JSON.stringify(keys)}`);
    }
  }

  /** The rows of the terminal. */
  screen(): string[] {
    return this.#screen.rows;
  }

  /** Row and column of the terminal's cursor, from 0. */
  cursor(): { row: number; column: number } {
    return this.#screen.cursor;
  }

  /** Evaluates an expression in Vim, whatever it is doing. */
  eval<T = unknown>(expression: string): Promise<T> {
    return this.#channel.ask(expression) as Promise<T>;
  }

  /** Runs an Ex command. */
  async ex(command: string): Promise<string> {
    return await this.eval<string>(`execute(${JSON.stringify(command)})`);
  }

  /** Waits for an expression to have a value. */
  async until(expression: string, value: unknown): Promise<void> {
    let last: unknown;
    await eventually(`${expression} is ${JSON.stringify(value)}`, async () => {
      last = await this.eval(expression);
      return JSON.stringify(last) === JSON.stringify(value);
    }).catch((error: unknown) => {
      throw new Error(
        `${expression} stays ${JSON.stringify(last)}, not ${JSON.stringify(value)}\n${this.screen().join('\n')}`,
        { cause: error },
      );
    });
  }

  /** A new buffer with these lines in the current window and nothing to undo; its number. */
  async buffer(lines: readonly string[]): Promise<number> {
    await this.ex('enew!');
    await this.eval(`setline(1, ${JSON.stringify(lines)})`);
    await this.ex(
      'let b:ul = &ul | setlocal ul=-1 | call setline(1, getline(1)) | let &l:ul = b:ul | setlocal nomodified',
    );
    await this.eval('cursor(1, 1)');
    return await this.eval<number>('bufnr()');
  }

  /** The lines of a buffer. */
  lines(buffer: number): Promise<string[]> {
    return this.eval<string[]>(`getbufline(${buffer}, 1, '$')`);
  }

  /** The changedtick of a buffer. */
  tick(buffer: number): Promise<number> {
    return this.eval<number>(`getbufvar(${buffer}, 'changedtick')`);
  }

  /** Ends Vim at once, and waits for that. */
  async close(): Promise<void> {
    const gone =
      this.#process.exitCode === null && this.#process.signalCode === null ? once(this.#process, 'exit') : undefined;
    if (this.pid > 0) kill(this.pid);
    kill(-(this.#process.pid ?? 0));
    await gone;
    await this.#channel.close();
  }
}

function kill(pid: number): void {
  try {
    if (pid !== 0) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** The test's own way into Vim, `:help channel-commands`. */
class Channel {
  readonly port: number;
  readonly connected: Promise<void>;
  readonly #server: Server;
  readonly #waiting = new Map<
    number,
    { readonly done: (value: unknown) => void; readonly fail: (why: Error) => void }
  >();
  #socket: Socket | undefined;
  #last = 0;
  #rest = '';

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as { port: number }).port;
    this.connected = new Promise((done) => {
      server.once('connection', (socket: Socket) => {
        this.#socket = socket.setEncoding('utf8').on('data', (text: string) => this.#take(text));
        socket.on('error', () => undefined);
        socket.on('close', () => {
          for (const { fail } of this.#waiting.values()) fail(new Error('Vim has ended'));
        });
        done();
      });
    });
  }

  static async listen(): Promise<Channel> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Channel(server);
  }

  ask(expression: string): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((done, fail) => {
      const refuse = (): void => fail(new Error(`Vim cannot evaluate ${expression}`));
      this.#waiting.set(id, { done: (value) => (value === 'ERROR' ? refuse() : done(value)), fail });
      if (this.#socket?.destroyed === false) this.#socket.write(JSON.stringify(['expr', expression, -id]));
      else fail(new Error('Vim has ended'));
    });
  }

  async close(): Promise<void> {
    this.#socket?.destroy();
    await new Promise((done) => this.#server.close(done));
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const [id, value] = JSON.parse(line) as [number, unknown];
      this.#waiting.get(-id)?.done(value);
      this.#waiting.delete(-id);
    }
  }
}
