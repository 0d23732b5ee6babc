import { listenerUrl } from '../shared/address.js';
import { limits } from '../shared/limits.js';
import type { Link } from '../shared/link.js';
import { type Listener, type ListenOptions, listen, type RawHandler } from '../shared/listener.js';
import { log } from '../shared/log.js';
import { isOwnAddress, isProof, nonce, proofOf } from '../shared/proof.js';
import { masterSecret } from '../shared/secret.js';
import { acceptedToken, derivedPort } from '../shared/token.js';
import { Tokens } from '../shared/tokens.js';
import type { Children } from './children.js';
import type { HubOptions } from './options.js';

/** Where the hub listens and which tokens it accepts there. */
export interface FrontDoor {
  readonly host: string;
  readonly port: number;
  readonly tokens: Tokens;
}

/** What the options say, completed by what is derived from the master secret and the hub's name. */
export async function frontDoor({ name, bind, tokens }: HubOptions): Promise<FrontDoor> {
  return {
    host: bind.host ?? '127.0.0.1',
    port: bind.port ?? derivedPort((await masterSecret()).first, 'hub', name),
    tokens: await Tokens.of(tokens, 'hub', name),
  };
}

/** The address for `--connect`, to which the dialler adds its alias. */
export function connectUrl({ host, port, tokens }: FrontDoor): string {
  return listenerUrl(host, port, tokens.newest);
}

/**
 * Accepts children that dial in: a raw line `["mcp-connect", COOKIE, ALIAS]` and then newline-delimited MCP, or a
 * WebSocket on `/TOKEN/ALIAS`; the dialler is the server. The cookie is a token, or the proof of one from a child that
 * has made the hub prove itself first, by `["mcp-connect-prove", NONCE, DIALLED]`. Other HTTP requests are `http`'s.
 */
export function acceptChildren(
  { host, port, tokens }: FrontDoor,
  children: Children,
  http: NonNullable<ListenOptions['http']>,
): Promise<Listener> {
  const take = (words: readonly unknown[], link: Link, accepts: (cookie: string) => boolean): void => {
    const [, cookie, alias] = words;
    if (typeof cookie === 'string' && accepts(cookie)) children.dialledIn(alias, link);
    else refuse(link, 'it gave no accepted token');
  };
  return listen({
    host,
    port,
    tokens: () => tokens.accepted(),
    raw: new Map<string, RawHandler>([
      ['mcp-connect', (words, link) => take(words, link, (cookie) => acceptedToken(cookie, tokens.accepted()))],
      [
        'mcp-connect-prove',
        ([, theirs, dialled], link, at) => {
          if (typeof theirs !== 'string' || typeof dialled !== 'string' || !isOwnAddress(dialled, at)) {
            refuse(link, 'it dialled another address than this one');
            return;
          }
          const own = nonce();
          const claim = `${dialled}:${theirs}:${own}`;
          const known = tokens.accepted();
          link.send(JSON.stringify(['mcp-connect-proof', own, known.map((token) => proofOf(token, 'hub', claim))]));
          firstLine(link, (words) => take(words, link, (cookie) => isProof(cookie, 'child', claim, known)));
        },
      ],
    ]),
    http,
    socket: (link, path) => children.dialledIn(path.replace(/^\//, ''), link),
  });
}

/** Waits for the one line that follows a proof. */
function firstLine(link: Link, take: (words: readonly unknown[]) => void): void {
  const timer = setTimeout(() => refuse(link, 'it said no more'), limits.greeting / 2);
  let isFirst = true;
  link.start({
    message: (bytes) => {
      clearTimeout(timer);
      if (isFirst) take(wordsOf(bytes));
      isFirst = false;
    },
    end: () => clearTimeout(timer),
  });
}

function wordsOf(bytes: Buffer): readonly unknown[] {
  try {
    const words: unknown = JSON.parse(bytes.toString());
    return Array.isArray(words) ? words : [];
  } catch {
    return [];
  }
}

function refuse(link: Link, why: string): void {
  log.warn(`a child that dialled in was refused: ${why}`);
  link.close();
}
