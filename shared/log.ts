/** Diagnostic lines on standard error. Standard output belongs to MCP, so nothing else may write there. */
import { visibleLine } from './escape.js';
import { queuedOutput } from './output.js';

/** Unwritten bytes from which on lines are dropped: whoever does not read them must not cost memory. */
const MOST_UNREAD = 1024 * 1024;

const output = queuedOutput(2, process.stderr);
output.on('error', () => undefined);

const hidden = new Set<string>();
const SECRET = /TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTHORIZATION|COOKIE|(?:API|ACCESS|PRIVATE)[-_]?KEY/i;

/** Warnings that are not repeated, and how many of them are remembered. */
const said = new Set<string>();
const MOST_SAID = 1000;
let program = 'mcp';

function redacted(text: string): string {
  let shown = text;
  for (const secret of hidden) shown = shown.replaceAll(secret, '[token]');
  return shown;
}

function write(level: string, text: string): void {
  const line = redacted(text);
  if (output.writableLength > MOST_UNREAD || output.destroyed) return;
  output.write(`${program}: ${level}${visibleLine(line.replace(/[\r\n]+/g, ' '))}\n`);
}

export const log = {
  /** Names the program at the head of each line. */
  name(name: string): void {
    program = name;
  },
  /** Never prints this text from now on: every occurrence becomes `[token]`. */
  hide(secret: string): void {
    if (secret.length >= 4) hidden.add(secret);
  },
  /** The same for a variable or a header, if its name says that it holds a secret. */
  hideNamed(name: string, value: string): void {
    if (SECRET.test(name)) log.hide(value.replace(/^Bearer +/i, ''));
  },
  /** The text without what is hidden. */
  redacted,
  info: (text: string): void => write('', text),
  warn: (text: string): void => write('warning: ', text),
  /** A warning about a state that lasts, which is found again and again. */
  warnOnce(text: string): void {
    if (said.has(text)) return;
    if (said.size >= MOST_SAID) said.clear();
    said.add(text);
    log.warn(text);
  },
  error: (text: string): void => write('error: ', text),
};
