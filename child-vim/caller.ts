import { CLIENT_INFO_META_KEY, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { visibleLine } from '../shared/escape.js';
import type { Client } from './revision.js';

/** Characters of a client's name that are shown. */
const LONGEST = 40;

/** Who makes a request: by what it says of itself, and by its session where it has one. */
export function clientOf(server: McpServer, { mcpReq, http }: ServerContext, session: string): Client {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const own = envelope[CLIENT_INFO_META_KEY] as { name?: unknown; version?: unknown } | undefined;
  const { name, version } = own ?? server.server.getClientVersion() ?? {};
  const shown = visibleLine(typeof name === 'string' && name !== '' ? name : 'unnamed').slice(0, LONGEST);
  // Over HTTP each request of the revision 2026-07-28 stands for itself.
  return { name: shown, id: http !== undefined && own !== undefined ? `${shown} ${String(version)}` : session };
}

/** Tells the client how a request goes on, if it asked for that. */
export function progressOf({ mcpReq }: ServerContext): (progress: number, message: string) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  return async (progress, message) => {
    if (progressToken === undefined) return;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  };
}
