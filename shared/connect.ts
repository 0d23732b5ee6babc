import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from './backoff.js';
import { asFault, Fault } from './fault.js';
import { limits } from './limits.js';
import { type Link, streamLink } from './link.js';
import { log } from './log.js';
import { nonce, proofOf } from './proof.js';
import { masterSecret } from './secret.js';
import { derivedPort, derivedToken } from './token.js';

/** Where a hub listens and under which alias the tools are offered there. */
interface HubAddress {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly alias: string;
}

/** A hub of the same person that listens where it does by itself, by its name. */
interface NamedHub {
  readonly name: string;
  readonly alias: string;
}

/** A hub as it is given with `--connect`. */
export type HubPlace = HubAddress | NamedHub;

/**
 * Takes `http://HOST:PORT/TOKEN/ALIAS` apart, or `NAME/ALIAS`, which holds no token.
 * @throws Fault `invalid`, without repeating the token.
 */
export function hubPlace(text: string): HubPlace {
  const [, hub, nickname] = /^(\w[\w.-]{0,63})\/([^/?#]+)$/.exec(text) ?? [];
  if (hub !== undefined && nickname !== undefined) return { name: hub, alias: nickname };
  const parts = /^http:\/\/(?:\[([0-9A-Fa-f:.]+)\]|([^/:@]+)):(\d+)\/([^/?#]+)\/([^/?#]+)$/.exec(text);
  const [, ipv6, name, port, token, alias] = parts ?? [];
  const host = ipv6 ?? name;
  if (host === undefined || token === undefined || alias === undefined || Number(port) > 65_535) {
    throw new Fault('invalid', '--connect takes http://HOST:PORT/TOKEN/ALIAS, or NAME/ALIAS', {
      next: "The hub's --print-url shows the first part.",
    });
  }
  log.hide(token);
  return { host, port: Number(port), token, alias };
}

/** Where it is at this moment: after a rotation the token of a name is another one. */
async function located(hub: HubPlace): Promise<HubAddress> {
  if ('host' in hub) return hub;
  const { current, first } = await masterSecret();
  const [port, token] = [derivedPort(first, 'hub', hub.name), derivedToken(current, 'hub', hub.name)];
  log.hide(token);
  return { host: '127.0.0.1', port, token, alias: hub.alias };
}

/** Keeps a connection to the hub until the signal aborts: `serve` runs for each, and waits between them grow. */
export async function keepConnected(
  hub: HubPlace,
  serve: (link: Link) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const where = 'host' in hub ? `at ${hub.host}:${hub.port}` : `named ${hub.name}`;
  const backoff = new Backoff();
  let told = '';
  const tell = (why: string): void => {
    if (why !== told) log.warn(`no connection to the hub ${where}: ${why}; trying again`);
    told = why;
  };
  while (!signal.aborted) {
    const since = performance.now();
    try {
      await once(await located(hub), serve, signal);
      tell('it closed the connection');
    } catch (error) {
      tell(asFault(error).message);
    }
    await sleep(backoff.next(performance.now() - since), undefined, { signal }).catch(() => undefined);
  }
}

async function once(hub: HubAddress, serve: (link: Link) => Promise<void>, signal: AbortSignal): Promise<void> {
  const socket = connect({ host: hub.host, port: hub.port, noDelay: true, keepAlive: true });
  const onAbort = (): unknown => socket.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await new Promise<void>((resolve, reject) =>
      socket.once('connect', resolve).once('error', reject).once('close', reject),
    );
    const link = streamLink('the hub', socket, socket);
    link.send(JSON.stringify(['mcp-connect', await exchangedProof(link, hub), hub.alias]));
    await serve(link);
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}

/**
 * Has the other side prove that it knows the token; what proves the same to it.
 * @throws Fault `denied` when it does not: whoever listens there gets neither the token nor the tools.
 */
async function exchangedProof(link: Link, { host, port, token }: HubAddress): Promise<string> {
  const own = nonce();
  const dialled = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  link.send(JSON.stringify(['mcp-connect-prove', own, dialled]));
  const [word, theirs, proofs] = await answerLine(link);
  const claim = `${dialled}:${own}:${String(theirs)}`;
  if (word !== 'mcp-connect-proof' || !Array.isArray(proofs) || !proofs.includes(proofOf(token, 'hub', claim))) {
    throw new Fault('denied', 'what listens there does not know the token; it was told nothing');
  }
  return `proof:${proofOf(token, 'child', claim)}`;
}

function answerLine(link: Link): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Fault('timeout', 'what listens there is no hub')), limits.greeting / 2);
    link.start({
      message: (bytes) => {
        clearTimeout(timer);
        const words: unknown = JSON.parse(bytes.toString());
        resolve(Array.isArray(words) ? words : []);
      },
      end: (why) => {
        clearTimeout(timer);
        reject(why);
      },
    });
  });
}
