/**
 * The server that the conformance suite measures, directly or through a hub. Its arguments: the era (`legacy`, `modern`), then
 * `stdio`, `http PORT`, or `dial URL` with the address that a hub prints and the alias behind it.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Readable, Writable } from 'node:stream';

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** How one era is served. */
interface Era {
  streams(input: Readable, output: Writable): Promise<void>;
  http(): Promise<Serve>;
}

const ERAS: Readonly<Record<string, Era>> = {
  legacy: {
    streams: async (input, output) => {
      const { legacyServer } = await import('./legacy.js');
      const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
      await legacyServer().connect(new StdioServerTransport(input, output));
    },
    http: async () => (await import('./sessions.js')).sessions(),
  },
  modern: {
    streams: async (input, output) => {
      const { modernServer } = await import('./modern.js');
      const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
      serveStdio(() => modernServer(true), { legacy: 'reject', transport: new StdioServerTransport(input, output) });
    },
    http: async () => (await import('./modern.js')).modernHttp(),
  },
};

const [era = '', how, where = ''] = process.argv.slice(2);
const serving = ERAS[era];
if (serving === undefined) throw new Error(`${era} is no era`);
if (how === 'http') await listen(await serving.http(), Number(where));
else if (how === 'dial') await dial(serving, new URL(where));
else await serving.streams(process.stdin, process.stdout);
process.stdin.on('end', () => process.exit());

async function listen(serve: Serve, port: number): Promise<void> {
  const server = createServer((request, response) => {
    if (isLocal(request.headers.host)) void serve(request, response);
    else response.writeHead(403).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  console.error(`the fixture listens on 127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** A name that a page could have bound anew is refused, as a server on this machine has to. */
function isLocal(host = ''): boolean {
  return ['localhost', '127.0.0.1'].includes(host.replace(/:\d+$/, ''));
}

async function dial({ streams }: Era, { hostname, port, pathname }: URL): Promise<void> {
  const [, token, alias] = pathname.split('/');
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`${JSON.stringify(['mcp-connect', token, alias])}\n`);
  await streams(socket, socket);
}
