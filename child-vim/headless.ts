import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Fault } from '../shared/fault.js';
import { inherited } from '../shared/inherited.js';
import { shutdown } from '../shared/shutdown.js';
import type { Editor } from './editor.js';
import type { Editors } from './editors.js';
import { BARE, PLUGIN } from './scripted.js';

/** Milliseconds in which a Vim has to connect. */
const PATIENCE = 15_000;
const MOST = 8;

/** Nothing runs in it but the plugin. What comes from outside comes by the environment and as a file argument. */
const SETUP =
  'set encoding=utf-8 hidden nomodeline | let &runtimepath .= "," .. $MCP_PLUGIN | let g:mcp_broker = $MCP_BROKER';
const CONNECT = 'runtime plugin/mcp.vim | call mcp#link#Connect($MCP_TARGET)';

/** Vims without a screen, started for clients. */
export class Headless {
  readonly #broker: string;
  readonly #editors: Editors;
  readonly #running = new Set<ChildProcess>();
  /** Those that have connected, by instance. */
  readonly #started = new Map<string, ChildProcess>();

  /** `broker` is the name by which they find it. */
  constructor(broker: string, editors: Editors) {
    this.#broker = broker;
    this.#editors = editors;
    shutdown.add('editors without a screen', () => {
      for (const child of this.#running) child.kill('SIGKILL');
    });
  }

  /**
   * Starts one on a file, or on nothing, as a target of its own; returns when it is connected. It ends with this process,
   * however that ends: its input closes then.
   * @throws Fault `busy` when there are too many, `unsupported` where no Vim can be started.
   */
  async start(target: string, file: string | undefined, signal: AbortSignal): Promise<Editor> {
    if (this.#running.size >= MOST) {
      throw new Fault('busy', `${MOST} editors run already`, { next: 'End one with stop-editor.' });
    }
    const child = spawn('vim', [...BARE, '--cmd', SETUP, '-c', CONNECT, ...(file === undefined ? [] : ['--', file])], {
      env: inherited({ MCP_PLUGIN: PLUGIN, MCP_BROKER: this.#broker, MCP_TARGET: target }),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#running.add(child);
    const ended = new Promise<never>((_, reject) => {
      child.once('error', (error) => reject(new Fault('unsupported', `Vim does not start: ${error.message}`)));
      child.once('close', () => {
        this.#running.delete(child);
        reject(new Fault('gone', 'Vim ended before it was connected'));
      });
    });
    try {
      const editor = await Promise.race([ended, this.#connected(child.pid, signal)]);
      this.#started.set(editor.instance, child);
      child.once('close', () => this.#started.delete(editor.instance));
      return editor;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Whether it was started here. */
  has(editor: Editor): boolean {
    return this.#started.has(editor.instance);
  }

  /** Ends one that was started here, and what is not saved in it; its name is free then. */
  async stop(editor: Editor): Promise<void> {
    const child = this.#started.get(editor.instance);
    if (child === undefined) return;
    editor.isLeaving = true;
    const { gone } = editor;
    const over = Promise.all([once(child, 'close'), gone.aborted ? undefined : once(gone, 'abort')]);
    child.kill('SIGKILL');
    await over;
  }

  async #connected(pid: number | undefined, signal: AbortSignal): Promise<Editor> {
    const late = AbortSignal.timeout(PATIENCE);
    return await new Promise((resolve, reject) => {
      const done = new AbortController();
      const fail = (): void => {
        done.abort();
        reject(
          late.aborted
            ? new Fault('timeout', `Vim did not connect within ${PATIENCE / 1000} s`)
            : new Fault('cancelled', 'the request was cancelled'),
        );
      };
      AbortSignal.any([signal, late]).addEventListener('abort', fail, { signal: done.signal });
      this.#editors.onAdd((editor) => {
        if (editor.facts.pid !== pid) return;
        done.abort();
        resolve(editor);
      }, done.signal);
    });
  }
}
