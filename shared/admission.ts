import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from './address.js';
import { acceptedToken } from './token.js';

/** What an HTTP request or a WebSocket upgrade gets before anything looks at it. */
export type Admission =
  | { readonly admitted: true; readonly path: string }
  | { readonly admitted: false; readonly status: 400 | 401 | 403; readonly reason: string };

/**
 * Decides over a request by its head alone: a plain target, one Host that cannot be a rebound name, an Origin (if any)
 * of the same kind, and an accepted token as bearer or as first part of the path. `path` is what follows the token.
 */
export function admit(request: IncomingMessage, tokens: readonly string[], boundTo: string): Admission {
  const target = request.url ?? '';
  if (!target.startsWith('/')) return refused(400, 'the request target must be a path');
  if (hostHeaders(request) !== 1) return refused(400, 'exactly one Host header is needed');
  if (!isOwnHost(hostname(`http://${request.headers.host ?? ''}`), boundTo)) return refused(403, 'unknown Host');
  const { origin } = request.headers;
  if (origin !== undefined && !isOwnHost(hostname(origin), boundTo)) return refused(403, 'unknown Origin');
  const path = authenticated(request, target, tokens);
  return path === undefined ? refused(401, 'an accepted token is needed') : { admitted: true, path };
}

function refused(status: 400 | 401 | 403, reason: string): Admission {
  return { admitted: false, status, reason };
}

function authenticated(request: IncomingMessage, target: string, tokens: readonly string[]): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined && !acceptedToken(bearer, tokens)) return undefined;
  const [, token = '', rest = ''] = /^\/([^/?]*)(.*)$/.exec(target) ?? [];
  if (acceptedToken(token, tokens)) return rest;
  return bearer === undefined ? undefined : target;
}

function hostHeaders({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** The address that was taken apart last: most requests name the same one. */
let latest: { readonly url: string; readonly name: string | undefined } = { url: '', name: undefined };

function hostname(url: string): string | undefined {
  if (url !== latest.url) {
    latest = { url, name: URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : undefined };
  }
  return latest.name;
}

/** A web page can only rebind names: an address cannot be made to mean another machine. */
function isOwnHost(name: string | undefined, boundTo: string): boolean {
  if (name === undefined || name === '') return false;
  if (name === 'localhost' || name === boundTo) return true;
  return isLoopback(boundTo) ? isLoopback(name) : isIP(name) !== 0;
}
