import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { Fault } from './fault.js';

/**
 * A token as it may be given, and where: long enough not to be guessed from a proof, and safe in a URL.
 * @throws Fault `invalid`, without repeating it.
 */
export function checkedToken(token: string, from: string): string {
  if (/^[A-Za-z0-9._~-]{16,256}$/.test(token)) return token;
  throw new Fault('invalid', `${from}: a token is 16 or more of A-Z a-z 0-9 . _ ~ -`, {
    next: 'Run with --help for the options.',
  });
}

/**
 * The name of a broker or hub.
 * @throws Fault `invalid`
 */
export function checkedName(name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw new Fault('invalid', '--name takes letters, digits and . _ -, 64 at most', {
    next: 'Run with --help for the options.',
  });
}

/** The programs that own a listener; each has tokens and ports of its own. */
export type Program = 'hub' | 'vim';

const FIRST_PORT = 16384;
const PORTS = 16384;

/** The token of a listener that was given none: 32 characters that are safe in a URL. */
export function derivedToken(secret: Buffer, program: Program, name: string): string {
  return derived(secret, `token ${program} ${name}`, 24).toString('base64url');
}

/** What signs what a hub gives out and has to know again when it runs anew. */
export function derivedKey(secret: Buffer, name: string): Uint8Array {
  return derived(secret, `sign hub ${name}`, 32);
}

/** The port of a listener that was given none, 16384 to 32767, below the range that systems hand out by themselves. */
export function derivedPort(secret: Buffer, program: Program, name: string): number {
  return FIRST_PORT + (derived(secret, `port ${program} ${name}`, 4).readUInt32BE() % PORTS);
}

/** RFC 5869. */
function derived(secret: Buffer, info: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', info, length));
}

/** Characters of the longest token, and the bytes that any two are compared in, whatever they hold. */
const LONGEST = 256;
const COMPARED = 4 + LONGEST * 3;

/** Whether `given` is one of the accepted tokens; takes the same time whichever it is, and however much of it is right. */
export function acceptedToken(given: string, accepted: readonly string[]): boolean {
  const wanted = padded(given);
  let found = false;
  for (const token of accepted) found = timingSafeEqual(padded(token), wanted) || found;
  return found && given.length <= LONGEST;
}

function padded(text: string): Buffer {
  const bytes = Buffer.alloc(COMPARED);
  bytes.writeUInt32LE(text.length);
  bytes.write(text, 4);
  return bytes;
}
