import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { asFault } from '../shared/fault.js';
import type { Link } from '../shared/link.js';
import { log } from '../shared/log.js';
import { LinkTransport } from './transport.js';

/** What is served. */
export interface Serving {
  /** A server for each session, or each request. */
  readonly factory: () => McpServer;
  /** Told of each message of a client before that is served. */
  heard(message: unknown): void;
}

/** Serves MCP, of either era, on a link until the other side has gone; what it asked before it went is still answered. */
export async function serveLink(link: Link, { factory, heard }: Serving): Promise<void> {
  const transport = new LinkTransport(link, heard);
  const handle = serveStdio(factory, { transport, onerror: (error) => log.warn(`${link.name}: ${error.message}`) });
  await transport.closed;
  await handle.close().catch((error: unknown) => log.warn(`${link.name}: ${asFault(error).message}`));
}
