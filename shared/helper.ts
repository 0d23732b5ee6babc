import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Fault } from './fault.js';
import { inherited } from './inherited.js';
import { limits } from './limits.js';
import { type Answer, type Prompt, readAnswer, readError } from './prompt.js';

/** Characters of an answer at most. */
const LONGEST = 64 * 1024;

/** The program that asks and its arguments. */
export type Command = readonly [string, ...string[]];

/** Our own program that asks, in one of its ways. */
export function ownHelper(...args: readonly string[]): Command {
  const bundled = join(import.meta.dirname, 'mcp-ask.js');
  return [process.execPath, existsSync(bundled) ? bundled : join(import.meta.dirname, '../ask/main.js'), ...args];
}

/**
 * Has a program ask the person: it gets the question as one line of JSON on its standard input and answers with one line.
 * It is ended when the question is withdrawn.
 * @throws Fault `denied` when it ends without an answer: nobody has said yes.
 */
export async function askBy([program, ...args]: Command, prompt: Prompt, signal: AbortSignal): Promise<Answer> {
  const asking = spawn(program, args, { env: inherited(), stdio: ['pipe', 'pipe', 'inherit'] });
  const end = (): void => void asking.kill();
  signal.addEventListener('abort', end, { once: true });
  const timer = setTimeout(end, limits.question);
  try {
    const line = await firstLine(asking, `${JSON.stringify(prompt)}\n`);
    const answer = readAnswer(line, prompt.scopes.length);
    if (answer !== undefined) return answer;
    const [file, said] = [basename(program), line === '' ? 'ended without an answer' : 'gave no proper answer'];
    throw nobody(readError(line) ?? `${file} ${said}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    end();
  }
}

/** The first line that it writes, or '' if it ends before. */
function firstLine(asking: ChildProcess, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    asking.on('error', (error) => reject(nobody(error.message)));
    asking.once('close', () => resolve(''));
    asking.stdin?.on('error', () => undefined);
    asking.stdin?.end(input);
    asking.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end !== -1) resolve(text.slice(0, end));
      else if (text.length > LONGEST) resolve(text);
    });
  });
}

function nobody(why: string): Fault {
  return new Fault('denied', `the person could not be asked: ${why}`, {
    next: 'They can start it with another --ask, allow it by a rule, or with --auto-allow.',
  });
}
