import { isIP } from 'node:net';
import { usageFault } from './flags.js';

/** An address to listen on; `undefined` where nothing was said. */
export interface BindAddress {
  readonly host: string | undefined;
  readonly port: number | undefined;
}

/**
 * Reads `ADDRESS`, `ADDRESS:PORT`, `:PORT`, `[IPV6]`, `[IPV6]:PORT` or `IPV6`; an address is numeric or `localhost`.
 * @throws Fault `invalid`
 */
export function readBind(text: string): BindAddress {
  const parts = isIP(text) === 6 ? [text, text] : /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]*))(?::(\d+))?$/.exec(text);
  const host = parts?.[1] ?? parts?.[2] ?? '';
  const port = parts?.[3] === undefined ? undefined : Number(parts[3]);
  const wrongHost = host !== '' && host !== 'localhost' && isIP(host) === 0;
  if (parts === null || wrongHost || (port ?? 0) > 65_535) {
    throw usageFault(`--bind ${text}: expected an address, a port or both, as 127.0.0.1:4000, :4000 or [::1]:4000`);
  }
  return { host: host === '' ? undefined : host, port };
}

/** The URL of a listener with its token, ready for a name to be added. An address that means all is reached by loopback. */
export function listenerUrl(host: string, port: number, token: string): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/${token}/`;
}

/** Whether an address reaches this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
