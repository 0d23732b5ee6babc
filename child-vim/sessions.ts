import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest, type JSONRPCMessage, type McpServer } from '@modelcontextprotocol/server';
import { log } from '../shared/log.js';

/** A session without an open request ends after this time, in milliseconds. */
const IDLE = 600_000;
const MOST = 64;

interface Session {
  readonly transport: NodeStreamableHTTPServerTransport;
  open: number;
  lastUsed: number;
}

/** The sessions of clients that speak a revision before 2026-07-28 over HTTP. */
export class Sessions {
  readonly #factory: () => McpServer;
  readonly #sessions = new Map<string, Session>();
  readonly #sweep = setInterval(() => this.#endIdle(Date.now() - IDLE), IDLE / 10).unref();

  constructor(factory: () => McpServer) {
    this.#factory = factory;
  }

  /** Serves one request: of a session, or the one that begins a session. */
  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (known === undefined && (id !== undefined || !isInitializeRequest(body))) {
      const [status, message] =
        id === undefined ? [400, 'no session; initialize first'] : [404, 'the session has ended'];
      const error = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } };
      response.writeHead(status as number, { 'content-type': 'application/json' }).end(JSON.stringify(error));
      return;
    }
    const session = known ?? (await this.#begin());
    this.#use(session, response);
    await session.transport.handleRequest(request, response, body);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  async #begin(): Promise<Session> {
    if (this.#sessions.size >= MOST) this.#endOldest();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
    });
    const session: Session = { transport, open: 0, lastUsed: Date.now() };
    const server = this.#factory();
    await server.connect(transport);
    const { onclose, onmessage } = transport;
    transport.onclose = () => {
      this.#sessions.delete(transport.sessionId ?? '');
      onclose?.();
    };
    transport.onmessage = (message, extra) => {
      onmessage?.(message, extra);
      endCancelled(transport, message);
    };
    return session;
  }

  #use(session: Session, response: ServerResponse): void {
    session.open += 1;
    session.lastUsed = Date.now();
    response.once('close', () => {
      session.open -= 1;
      session.lastUsed = Date.now();
    });
  }

  #endIdle(before: number): void {
    for (const session of this.#sessions.values()) {
      if (session.open === 0 && session.lastUsed < before) end(session);
    }
  }

  #endOldest(): void {
    const idleFirst = (a: Session, b: Session): number =>
      Number(a.open > 0) - Number(b.open > 0) || a.lastUsed - b.lastUsed;
    const [oldest] = [...this.#sessions.values()].sort(idleFirst);
    if (oldest !== undefined) end(oldest);
  }
}

function end({ transport }: Session): void {
  transport.close().catch((error: unknown) => log.warn(`a session did not end: ${String(error)}`));
}

/** The answer to a cancelled request never comes; its stream would stay open. */
function endCancelled(transport: NodeStreamableHTTPServerTransport, message: JSONRPCMessage): void {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return;
  const id = (message.params as { requestId?: string | number } | undefined)?.requestId;
  if (id !== undefined) transport.closeSSEStream(id);
}
