import { createHash, randomBytes } from 'node:crypto';
import type { Dialled } from './listener.js';
import { acceptedToken } from './token.js';

/** Who proves that it knows a token, without saying it; the word keeps one's proof from serving as another's. */
export type Prover = 'broker' | 'editor' | 'hub' | 'child';

/** 32 hex digits that nobody guesses, for one proof. */
export function nonce(): string {
  return randomBytes(16).toString('hex');
}

/**
 * What shows that `who` knows a token. `claim` is DIALLED:NONCE:NONCE, the address as it was dialled and the nonces of the
 * dialler and of the listener.
 */
export function proofOf(token: string, who: Prover, claim: string): string {
  return keyed(token, `${who}:${claim}`);
}

/** Whether a cookie, `proof:` and the proof, is that of `who` for one of the tokens; takes the same time whichever it is. */
export function isProof(cookie: string, who: Prover, claim: string, tokens: readonly string[]): boolean {
  const proofs = tokens.map((token) => `proof:${proofOf(token, who, claim)}`);
  return acceptedToken(cookie, proofs);
}

/** Whether what was dialled is where it came in: somebody who relays a proof from another port gains nothing. */
export function isOwnAddress(dialled: string, at: Dialled): boolean {
  if ('path' in at) return dialled === `unix:${at.path}`;
  const host = at.host.includes(':') ? `[${at.host}]` : at.host;
  const loopback = host === '[::1]' || host.startsWith('127.');
  return dialled === `${host}:${at.port}` || (loopback && dialled === `localhost:${at.port}`);
}

/** Lower-case hex, made with what Vim has, too. */
function keyed(key: string, text: string): string {
  return sha256(`${key}:${sha256(`${key}:${text}`)}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
