import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, isJsonContentType, isLegacyRequest } from '@modelcontextprotocol/server';
import { asFault } from '../shared/fault.js';
import { checkedMembers } from '../shared/json-check.js';
import { limits } from '../shared/limits.js';
import { log } from '../shared/log.js';
import type { Editors } from './editors.js';
import { onUpdates } from './resources.js';
import type { Serving } from './serve.js';
import { Sessions } from './sessions.js';

/** MCP over Streamable HTTP: requests that are complete in themselves, and sessions for clients of older revisions. */
export interface HttpFront {
  /** Takes an authenticated request. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): void;
  close(): Promise<void>;
}

/** Serves both eras from one factory. */
export function httpFront({ factory, heard }: Serving, editors: Editors): HttpFront {
  const report = (error: Error): void => log.warn(`over HTTP: ${error.message}`);
  const modern = createMcpHandler(factory, { legacy: 'reject', onerror: report });
  const answer = toNodeHandler(modern, { onerror: report });
  const sessions = new Sessions(factory);
  const ended = new AbortController();
  onUpdates(editors, (uri) => modern.notify.resourceUpdated(uri), ended.signal);

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST' && !isJsonContentType(request.headers['content-type'] ?? null)) {
      refuse(response, 415, 'Content-Type must be application/json');
      return;
    }
    const seen = await toWebRequest(request as NodeIncomingMessageLike, undefined, {
      maxRequestBodySize: limits.message,
    });
    const body = request.method === 'POST' ? parsed(await seen.text()) : undefined;
    if (await isLegacyRequest(seen, body)) await sessions.handle(request, response, body);
    else {
      heard(body);
      await answer(request as NodeIncomingMessageLike, response, body);
    }
  }

  return {
    handle(request, response, path) {
      if (!/^\/?(mcp)?$/.test(path)) {
        refuse(response, 404, 'MCP is served at the root');
        return;
      }
      route(request, response).catch((error: unknown) => {
        const isTooLarge = error instanceof Error && error.name === 'RequestBodyTooLargeError';
        refuse(response, isTooLarge ? 413 : 400, asFault(error).message);
      });
    },
    async close() {
      ended.abort();
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}

/**
 * The checked body, a message or a batch of them.
 * @throws Fault `protocol` for what is not JSON or too deep.
 */
function parsed(body: string): unknown {
  // Wrapped, because what is checked has to be an object.
  checkedMembers(Buffer.from(`{"body":${body}}`), limits.depth + 2);
  return JSON.parse(body) as unknown;
}

/** Answers with a plain text, unless an answer has begun. */
function refuse(response: ServerResponse, status: number, reason: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { 'content-type': 'text/plain' }).end(`${reason}\n`);
}
