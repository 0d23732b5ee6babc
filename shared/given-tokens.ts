import { readFileSync, statSync } from 'node:fs';
import { Fault, systemFault } from './fault.js';
import type { Flag } from './flags.js';
import { checkedToken } from './token.js';

/** The options by which a person gives tokens in place of the derived one. */
export const TOKEN_FLAGS: readonly Flag[] = [
  { name: 'token', value: 'T', many: true, help: 'accept this token instead of the derived one; may be repeated' },
  {
    name: 'token-file',
    value: 'FILE',
    many: true,
    help: 'the same for each line of a file that only you can read: other users see command lines',
  },
];

/**
 * All tokens that were given.
 * @throws Fault `invalid` for what is no token, `denied` where others can read the file.
 */
export function givenTokens(flags: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const inFiles = (flags.get('token-file') ?? []).flatMap((path) => tokensIn(path));
  return [...(flags.get('token') ?? []).map((token) => checkedToken(token, '--token')), ...inFiles];
}

function tokensIn(path: string): readonly string[] {
  let text: string;
  try {
    if ((statSync(path).mode & 0o077) !== 0)
      throw new Fault('denied', `${path} can be read by others`, { next: 'Run chmod 600 on it.' });
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw error instanceof Fault ? error : systemFault(`cannot read ${path}`, error);
  }
  const tokens = text.split('\n').map((line) => line.trim());
  const given = tokens.filter((token) => token !== '').map((token) => checkedToken(token, path));
  // None would mean the derived one, which is not what was asked for.
  if (given.length === 0) throw new Fault('invalid', `${path} has no token`, { next: 'Write one on each line.' });
  return given;
}
