import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { visibleLine } from '../shared/escape.js';
import { asFault, Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import { endAtOnce, wholeBody } from '../shared/whole.js';
import { Credentials } from './credentials.js';
import type { OAuthClient } from './sign-in.js';

export type Headers = Readonly<Record<string, string | number>>;

/** One request over HTTP. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Buffer | undefined;
}

// Without time limits: an answer may take as long as it takes.
const http = new HttpAgent({ keepAlive: true });
const https = new HttpsAgent({ keepAlive: true });

/** Requests to one server, which may want the person to sign in (basic/authorization). */
export class Requests {
  readonly #name: string;
  readonly #url: URL;
  readonly #client: OAuthClient;
  /** None where the person gave a token. */
  readonly #credentials: Credentials | undefined;

  /** `url` is the server's address; `client` how the hub is known where one signs in, nothing where one must not. */
  constructor(name: string, url: URL, client: OAuthClient | undefined) {
    this.#name = name;
    this.#url = url;
    this.#client = client ?? {};
    if (client !== undefined) this.#credentials = new Credentials(url.href);
  }

  /**
   * Asks with the token that is kept; where the server wants one, or a better one, again with that. Fulfilled with the head
   * of the response, whatever its status.
   * @throws Fault `denied` where signing in did not come to be, the error of the connection, or the signal's reason.
   */
  async send(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
    if (this.#credentials === undefined) return await ask(request, signal);
    // A server that is not content after that is asked no more: once for being let in, once for more permission.
    const refused = new Set<number | undefined>();
    for (;;) {
      const used = await this.#credentials.token();
      const response = await ask(bearing(request, used), signal);
      if (!wantsToken(response) || refused.has(response.statusCode)) return response;
      refused.add(response.statusCode);
      const said = await wholeBody(response).catch(() => Buffer.alloc(0));
      // Another hub may have got a new one meanwhile.
      const { tokens } = await this.#credentials.read();
      if (tokens?.access_token === used) await this.#signIn(response, said, this.#credentials);
      await this.#credentials.read();
    }
  }

  async #signIn(response: IncomingMessage, said: Buffer, credentials: Credentials): Promise<void> {
    const { signIn } = await import('./sign-in.js');
    try {
      await signIn(this.#name, this.#url, response, credentials, this.#client);
    } catch (error) {
      const fault = asFault(error);
      if (fault.kind === 'denied' && fault.next !== undefined) throw fault;
      log.warn(`signing in to ${this.#name} failed: ${fault.message}`);
      throw refusal(this.#name, response.statusCode ?? 0, said);
    }
  }
}

function ask({ method, url, headers, body }: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  const start = isSecure ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const to = urlToHttpOptions(url);
    const request = start({ ...to, method, headers, agent: isSecure ? https : http }, resolve);
    // Not by its option `signal`, which takes ten times as long.
    const abort = (): void => void request.destroy();
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
    request.on('error', reject);
    if (body === undefined) request.end();
    else endAtOnce(request, body);
  });
}

function bearing(request: HttpRequest, token: string | undefined): HttpRequest {
  return token === undefined
    ? request
    : { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

/** Whether a server wants another token than it was given. */
function wantsToken({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 401 || (statusCode === 403 && /insufficient_scope/.test(headers['www-authenticate'] ?? ''));
}

/** What a status other than success means, and what to do about it; `isModern` for a request of 2026-07-28. */
export function refusal(name: string, status: number, answer: Buffer, isModern = false): Fault {
  // It may repeat the token that it was sent; what is cut off here is far behind what is shown.
  const said = visibleLine(log.redacted(answer.subarray(0, 16_384).toString()).trim()).slice(0, 200);
  const about = said === '' ? '' : `: ${said}`;
  if (status === 401 || status === 403) {
    return new Fault('denied', `${name} refuses access (HTTP ${status})${about}`, {
      next: `Give a token by --bearer, or a header by --header 'NAME: VALUE'.`,
    });
  }
  const isMisunderstood = isModern && status >= 400 && status < 500;
  return new Fault(isMisunderstood ? 'unsupported' : 'gone', `${name} answers with HTTP ${status}${about}`, {
    next: 'Look whether the address is right.',
  });
}
