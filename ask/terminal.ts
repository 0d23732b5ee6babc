import { openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadStream, WriteStream } from 'node:tty';
import { Fault } from '../shared/fault.js';
import { type Answer, type Prompt, wholeText } from '../shared/prompt.js';
import { Keys } from './keys.js';
import { laidOut } from './layout.js';

/** Milliseconds after a question appears in which nobody can have read it: what is typed then is no answer to it. */
const GLANCE = 400;
/** Rows that the question needs beside its text. */
const FRAME = 7;

const CHOICES = 'a: allow once   A: allow always   d: deny once   D: deny always';
const ONCE = 'a: allow   d: deny';

/**
 * Asks in the terminal that this process belongs to. Nothing but a letter and Enter is a yes; what was typed before does
 * not count, and what was not shown in full cannot be allowed.
 * @throws Fault `unsupported` where there is no such terminal.
 */
export async function askInTerminal(prompt: Prompt): Promise<Answer> {
  const terminal = openTerminal();
  process.once('SIGTERM', () => {
    terminal.print('\nThis is not asked any more.\n');
    terminal.close();
    process.exit(1);
  });
  try {
    return await answerOf(terminal, prompt);
  } finally {
    terminal.close();
  }
}

interface Terminal {
  readonly keys: Keys;
  readonly rows: number;
  readonly columns: number;
  print(text: string): void;
  close(): void;
}

function openTerminal(): Terminal {
  if (isInBackground()) throw nowhere('it runs in the background');
  let descriptor: number;
  try {
    descriptor = openSync('/dev/tty', 'r+');
  } catch {
    throw nowhere('it has none');
  }
  const input = new ReadStream(descriptor);
  // Also makes readable what was typed before, so that it can be passed over.
  input.setRawMode(true);
  const output = new WriteStream(openSync('/dev/tty', 'w'));
  const print = (text: string): void => void output.write(text.replaceAll('\n', '\r\n'));
  return {
    keys: new Keys(input, print),
    rows: output.rows || 24,
    columns: output.columns || 80,
    print,
    close: () => {
      input.setRawMode(false);
      input.destroy();
      output.destroy();
    },
  };
}

async function answerOf(terminal: Terminal, prompt: Prompt): Promise<Answer> {
  const lines = laidOut(wholeText(prompt), terminal.columns);
  // Who asks stays on the screen, above everything.
  const most = Math.max(terminal.rows - FRAME, 1);
  let unseen = lines.length > most;
  const all = prompt.scopes.length === 0 ? ONCE : CHOICES;
  const choices = unseen ? `${all}   v: view all` : all;
  terminal.print(`\n${lines.slice(0, most).join('\n')}\n`);
  if (unseen) terminal.print(`… ${lines.length} lines; v shows all of them, which comes before allowing it\n`);
  await sleep(GLANCE);
  for (;;) {
    terminal.print(`\n${choices}\nYour answer [d]: `);
    const letter = (await terminal.keys.line()).trim();
    if (letter === 'v') {
      const wasShown = await viewed(terminal, lines);
      unseen = unseen && !wasShown;
    } else if (unseen && letter.toLowerCase() === 'a') terminal.print('Not all of it has been shown yet.\n');
    else return await meaning(letter, terminal, prompt);
  }
}

async function meaning(letter: string, terminal: Terminal, prompt: Prompt): Promise<Answer> {
  switch (letter) {
    case 'a':
      return { decision: 'allow' };
    case 'A':
      return (await always(terminal, prompt, 'allow')) ?? { decision: 'deny' };
    case 'D':
      return await withReason(terminal, (await always(terminal, prompt, 'deny')) ?? { decision: 'deny' });
    case 'd':
      return await withReason(terminal, { decision: 'deny' });
    default:
      return { decision: 'deny' };
  }
}

/** Shows a text page by page; whether to its end. */
async function viewed({ print, keys, rows }: Terminal, lines: readonly string[]): Promise<boolean> {
  const page = Math.max(rows - 3, 1);
  for (let at = 0; at < lines.length; at += page) {
    print(`${lines.slice(at, at + page).join('\n')}\n`);
    if (at + page >= lines.length) break;
    print(`-- ${at + page} of ${lines.length} lines; Enter for more, q to stop --`);
    if ((await keys.line()).trim() !== '') return false;
  }
  return true;
}

async function always(
  { print, keys }: Terminal,
  { scopes }: Prompt,
  decision: 'allow' | 'deny',
): Promise<Answer | undefined> {
  print(`\nFrom now on, ${decision}:\n`);
  for (const [index, scope] of scopes.entries()) print(`  ${index + 1}: ${scope}\n`);
  print('Number [none]: ');
  const number = Number((await keys.line()).trim());
  return scopes[number - 1] === undefined ? undefined : { decision, scope: number - 1 };
}

async function withReason({ print, keys }: Terminal, answer: Answer): Promise<Answer> {
  print('Why, for the assistant [nothing]: ');
  const reason = (await keys.line()).trim();
  return { ...answer, ...(reason === '' ? {} : { reason }) };
}

/** proc(5): a process outside the terminal's foreground group would be stopped when it reads. */
function isInBackground(): boolean {
  let fields: readonly string[];
  try {
    const text = readFileSync('/proc/self/stat', 'utf8');
    fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return false;
  }
  const [, , group, , , foreground] = fields;
  return foreground !== '-1' && group !== foreground;
}

function nowhere(why: string): Fault {
  return new Fault('unsupported', `the question cannot be put in a terminal: ${why}`);
}
