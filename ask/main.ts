/** Puts one question to the person: reads it as a line of JSON, writes the answer as a line of JSON, and ends. */
import { asFault, Fault } from '../shared/fault.js';
import type { Answer, Prompt } from '../shared/prompt.js';
import { type Dialog, dialogs } from './dialog.js';
import { askInTerminal } from './terminal.js';

// Whoever asked ends this by a signal, or goes away.
process.stdin.resume();

const [way = 'any'] = process.argv.slice(2);
const answer = await ask(way, await question()).catch((error: unknown) => ({ error: asFault(error).text }));
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit());

async function question(): Promise<Prompt> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return JSON.parse(text) as Prompt;
}

async function ask(way: string, prompt: Prompt): Promise<Answer> {
  if (way === 'tty') return await askInTerminal(prompt);
  const dialog: Dialog | undefined = await dialogs(way === 'yad' ? ['yad'] : ['yad', 'zenity']);
  if (dialog !== undefined) return await dialog(prompt);
  if (way === 'any' && prompt.terminal) return await askInTerminal(prompt);
  throw new Fault('unsupported', 'there is no display, or neither yad nor zenity is installed');
}
