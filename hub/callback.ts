import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault, systemFault } from '../shared/fault.js';

/** What a browser brings back from an authorization server (RFC 6749 section 4.1.2, RFC 9207). */
interface Authorized {
  readonly code: string;
  readonly iss: string | undefined;
}

/** Where browsers return to, on this machine only. */
export interface Callback {
  readonly port: number;
  /**
   * What comes with the right `state`, once.
   * @throws Fault `timeout` after so many milliseconds, `denied` when the authorization server says so.
   */
  answer(patience: number): Promise<Authorized>;
  close(): void;
}

/**
 * Listens on loopback, at the port that is wanted if it is free.
 * @throws Fault `gone` when nothing can be listened on.
 */
export async function listenForCallback(wanted: number | undefined, state: string): Promise<Callback> {
  let settle: (outcome: Authorized | Fault) => void = () => undefined;
  const outcome = new Promise<Authorized | Fault>((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || pathname !== '/callback' || searchParams.get('state') !== state) {
      say(response, 404, 'There is nothing here.');
      return;
    }
    const [code, iss] = [searchParams.get('code'), searchParams.get('iss')];
    if (code === null) settle(new Fault('denied', 'the authorization server gave no permission'));
    else settle({ code, iss: iss ?? undefined });
    say(response, 200, code === null ? 'You were not signed in.' : 'You are signed in. You can close this page.');
  });
  const listening = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.removeAllListeners('error');
        resolve();
      });
    });
  try {
    await listening(wanted ?? 0).catch(() => listening(0));
  } catch (error) {
    throw systemFault('nothing can be listened on for signing in', error);
  }
  return {
    port: (server.address() as AddressInfo).port,
    answer: async (patience) => {
      const timer = setTimeout(
        () => settle(new Fault('timeout', `nobody signed in within ${patience / 1000} s`)),
        patience,
      ).unref();
      const found = await outcome;
      clearTimeout(timer);
      if (found instanceof Fault) throw found;
      return found;
    },
    close: () => {
      server.close();
      server.closeIdleConnections();
    },
  };
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`);
}
