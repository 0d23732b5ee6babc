import { isLoopback, listenerUrl } from '../shared/address.js';
import { type HubPlace, keepConnected } from '../shared/connect.js';
import { asFault, Fault } from '../shared/fault.js';
import { type Listener, listen, type RawHandler } from '../shared/listener.js';
import { log } from '../shared/log.js';
import { systemd } from '../shared/notify.js';
import { RuleFile } from '../shared/rule-file.js';
import { shutdown } from '../shared/shutdown.js';
import { stdioLink } from '../shared/stdio.js';
import { acceptedToken } from '../shared/token.js';
import { announce, socketPath } from './discovery.js';
import { Editors } from './editors.js';
import { vimProtocols } from './handshake.js';
import { Headless } from './headless.js';
import type { HttpFront } from './http.js';
import { joinRunning, RAW_MCP } from './join.js';
import { listened } from './listened.js';
import type { Options } from './options.js';
import { UNASKED } from './permission.js';
import { type Serving, serveLink } from './serve.js';
import { serverFactory } from './server.js';

/** Runs the broker: listener, discovery, and what the options add. What it opens is registered with `shutdown`. */
export async function runBroker(options: Options): Promise<void> {
  const editors = new Editors(options.patience, options.isTraced);
  const rules = new RuleFile(`vim-${options.name}`);
  const policy = { decided: options.decided, rules, unasked: UNASKED };
  const serving: Serving = {
    factory: serverFactory(editors, policy, options, new Headless(options.name, editors)),
    heard: listened(editors, policy),
  };
  try {
    await openListener(options, editors, serving);
  } catch (error) {
    if (asFault(error).kind === 'busy' && (await joined(options))) return;
    throw error;
  }
  if (options.connect !== undefined) offerToHub(options.connect, serving);
  if (options.stdio) void serveStandardStreams(serving);
}

/** Another client may have started a broker of this name before: then this process only passes on. */
async function joined(options: Options): Promise<boolean> {
  const { stdio, connect, name } = options;
  if (!stdio || connect !== undefined) return false;
  return await joinRunning(name, permissions(options));
}

async function openListener(options: Options, editors: Editors, serving: Serving): Promise<void> {
  const { name, host, port } = options;
  const tokens = (): readonly string[] => options.tokens.accepted();
  const socket = await socketPath(name);
  const front = lazyFront(serving, editors);
  const listener = await listen({
    host,
    port,
    tokens,
    ...(socket === undefined ? {} : { socketPath: socket }),
    raw: new Map([...vimProtocols(editors, tokens), [RAW_MCP, rawMcp(serving, tokens)]]),
    http: (request, response, path) => {
      front().then(
        (http) => http.handle(request, response, path),
        (error: unknown) => {
          log.error(`HTTP cannot be served: ${asFault(error).message}`);
          response.writeHead(500).end();
        },
      );
    },
    socket: (link) => void serveLink(link, serving),
  }).catch((error: unknown) => {
    throw inUse(asFault(error), name);
  });
  shutdown.add('the listener', () => listener.close());
  await leaveWord(options, listener, socket ?? '');
  log.info(`${name} listens on ${host}:${listener.port}`);
  systemd.ready(`on ${host}:${listener.port}`);
  if (!isLoopback(host)) {
    log.warn(`${host} can be reached from other machines, and what passes is not encrypted: an ssh tunnel is safer`);
  }
}

/** Leaves word where editors look for it, with the token that counts at the time. */
async function leaveWord(options: Options, { port }: Listener, socket: string): Promise<void> {
  const { name, host, tokens } = options;
  const leave = (): Promise<() => Promise<void>> => {
    const url = listenerUrl(host, port, tokens.newest);
    return announce({ name, pid: process.pid, url, socket, permissions: permissions(options) });
  };
  let left = leave();
  const unfollow = tokens.follow(() => {
    left = left.then(leave);
    left.catch((error: unknown) => log.warn(`editors do not find the new token: ${asFault(error).message}`));
  });
  shutdown.add('discovery', async () => {
    unfollow();
    await (await left)();
  });
  await left;
}

/** MCP on a raw line, for a client that knows the token. */
function rawMcp(serving: Serving, tokens: () => readonly string[]): RawHandler {
  return ([, token], link) => {
    if (typeof token === 'string' && acceptedToken(token, tokens())) void serveLink(link, serving);
    else link.close();
  };
}

function permissions({ decided: { allow, deny }, asking: { way, helper }, readOnly, isTraced }: Options): string {
  return JSON.stringify({
    allow: [...allow].sort(),
    deny: [...deny].sort(),
    ask: way,
    helper,
    readOnly,
    trace: isTraced,
  });
}

/** The HTTP side is loaded at the first request: over stdio it is never needed. */
function lazyFront(serving: Serving, editors: Editors): () => Promise<HttpFront> {
  let front: Promise<HttpFront> | undefined;
  return () => {
    front ??= import('./http.js').then(({ httpFront }) => {
      const made = httpFront(serving, editors);
      shutdown.add('HTTP', () => made.close());
      return made;
    });
    return front;
  };
}

function offerToHub(hub: HubPlace, serving: Serving): void {
  const stop = new AbortController();
  shutdown.add('the connection to the hub', () => stop.abort());
  void keepConnected(hub, (link) => serveLink(link, serving), stop.signal);
}

async function serveStandardStreams(serving: Serving): Promise<void> {
  const { link, flushed } = stdioLink();
  await serveLink(link, serving);
  await flushed;
  await shutdown.run(0);
}

function inUse(fault: Fault, name: string): Fault {
  if (fault.kind !== 'busy') return fault;
  return new Fault('busy', fault.message, {
    next: `If another mcp-vim with --name ${name} runs, use that one; else choose another --name, or an address with --bind`,
    cause: fault,
  });
}
