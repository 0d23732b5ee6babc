import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Fault } from '../shared/fault.js';
import type { Answer, Prompt } from '../shared/prompt.js';
import type { Shown, Windows } from './windows.js';
import { yad } from './yad.js';
import { zenity } from './zenity.js';

/** Asks in a window. */
export type Dialog = (prompt: Prompt) => Promise<Answer>;

/** The first of these programs that is installed, if there is a display. */
export async function dialogs(names: readonly string[]): Promise<Dialog | undefined> {
  const { DISPLAY: x11 = '', WAYLAND_DISPLAY: wayland = '' } = process.env;
  if (x11 === '' && wayland === '') return undefined;
  const windows = [yad, zenity]
    .filter(({ program }) => names.includes(program))
    .find(({ program }) => isInstalled(program));
  return windows === undefined ? undefined : (prompt) => ask(windows, prompt);
}

async function ask(windows: Windows, prompt: Prompt): Promise<Answer> {
  const choice = await shown(windows, windows.question(prompt));
  if (choice === 'allow' || choice === 'deny') return { decision: choice };
  if (choice === 'deny because') {
    const reason = await shown(windows, windows.reason(`${prompt.from}: why not?`));
    return { decision: 'deny', ...(reason === '' ? {} : { reason }) };
  }
  const decision = choice === 'always allow' ? 'allow' : 'deny';
  const scope = await shown(windows, windows.scopes(`${prompt.from}: always ${decision}`, prompt.scopes));
  return scope === undefined ? { decision: 'deny' } : { decision, scope };
}

function shown<T>({ program }: Windows, { args, input = '', meaning }: Shown<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'pipe' });
    const end = (): void => void child.kill();
    process.once('SIGTERM', () => {
      end();
      process.exit(1);
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => reject(new Fault('gone', `${program}: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (signal !== null) reject(new Fault('gone', `${program} was ended by ${signal}`));
      // Its exit status is that of a no.
      else if (/open display/.test(complaints)) reject(new Fault('gone', `${program} cannot open the display`));
      else resolve(meaning(code ?? 1, output.replace(/\n$/, '')));
    });
  });
}

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
