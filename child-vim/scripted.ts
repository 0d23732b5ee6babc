import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Fault } from '../shared/fault.js';
import { inherited } from '../shared/inherited.js';

/** The plugin, beside the bundle or the build. */
export const PLUGIN = resolve(import.meta.dirname, '../../vim');

/** A Vim without a terminal and without anything of the person's: vimrc, viminfo, swap file. */
export const BARE = ['-u', 'NONE', '-i', 'NONE', '-N', '-n', '--not-a-term', '-T', 'xterm'];

/** One function of the plugin, run in a Vim that is started for it and ends with it. */
export interface Script {
  /** The function, such as `mcp#replay#Main`. */
  readonly main: string;
  /** More arguments of Vim. */
  readonly args?: readonly string[];
  /** What comes from outside comes by the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** The file for what comes of it, or for what went wrong. */
  readonly out: string;
  /** Milliseconds that it may take. */
  readonly patience: number;
}

/** How a script ended. */
export interface Ended {
  /** It ended as it should. */
  readonly isDone: boolean;
  /** It took too long and was killed. */
  readonly isLate: boolean;
  /** What it left in the file; undefined where there is none. */
  readonly said: string | undefined;
}

/** @throws Fault `unsupported` where no Vim can be started, `cancelled` when the signal is aborted. */
export async function runScript(script: Script, signal?: AbortSignal): Promise<Ended> {
  const setup = [
    '--cmd',
    'set encoding=utf-8',
    '--cmd',
    'let &runtimepath = $MCP_PLUGIN',
    '-c',
    `call ${script.main}()`,
  ];
  const child = spawn('vim', [...(script.args ?? []), ...BARE, ...setup], {
    env: inherited({ ...script.variables, MCP_PLUGIN: PLUGIN }),
    stdio: 'ignore',
    timeout: script.patience,
    killSignal: 'SIGKILL',
    ...(signal === undefined ? {} : { signal }),
  });
  const [status, ending] = (await once(child, 'close').catch((error: unknown) => {
    if (signal?.aborted === true) throw new Fault('cancelled', 'the request was cancelled');
    throw new Fault('unsupported', `no Vim can be started beside mcp-vim: ${String(error)}`, {
      next: 'Install Vim 9 with all features.',
    });
  })) as [number | null, string | null];
  const said = await readFile(script.out, 'utf8').catch(() => undefined);
  return { isDone: status === 0, isLate: ending !== null, said };
}
