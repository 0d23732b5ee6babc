/** Streamable HTTP with sessions, by SDK 1. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type EventStore, StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { legacyServer } from './legacy.js';

/** Milliseconds after which a client is to come back for a stream that was ended. */
const RETRY = 500;

const SESSION_HEADER = 'mcp-session-id';

/** The answers to HTTP requests: each `initialize` begins a session with a server of its own. */
export function sessions(): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const open = new Map<string, StreamableHTTPServerTransport>();
  return async (request, response) => {
    const id = request.headers[SESSION_HEADER];
    const known = open.get(String(id));
    if (id !== undefined && known === undefined) response.writeHead(404).end();
    else await (known ?? (await begin(open))).handleRequest(request, response);
  };
}

/** A transport that is no session yet: it refuses all but `initialize`. */
async function begin(open: Map<string, StreamableHTTPServerTransport>): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: new Events(),
    retryInterval: RETRY,
    onsessioninitialized: (id) => void open.set(id, transport),
    onsessionclosed: (id) => void open.delete(id),
  });
  // Its types do not allow for exactOptionalPropertyTypes.
  const server = legacyServer();
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  return transport;
}

/** What was sent on each stream, for clients that come back for it. */
class Events implements EventStore {
  readonly #sent: { readonly id: string; readonly stream: string; readonly message: JSONRPCMessage }[] = [];

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${this.#sent.length}`;
    this.#sent.push({ id, stream, message });
    return Promise.resolve(id);
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#sent.findIndex(({ id }) => id === last);
    const stream = this.#sent[at]?.stream ?? '';
    for (const { id, message } of this.#sent.slice(at + 1).filter((event) => event.stream === stream)) {
      // The first event of a stream may hold no message.
      if (Object.keys(message).length > 0) await send(id, message);
    }
    return stream;
  }
}
