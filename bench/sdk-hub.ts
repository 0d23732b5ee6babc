/**
 * A hub as one would make it of the SDK's parts: a server over HTTP with sessions, before a client of one child, which is
 * started as the arguments say. Prints its port.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [command = '', ...args] = process.argv.slice(2);
const child = new Client({ name: 'sdk-hub', version: '1' });
await child.connect(new StdioClientTransport({ command, args }));

const sessions = new Map<string, StreamableHTTPServerTransport>();

async function begin(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = new Server({ name: 'sdk-hub', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => {
    const { tools } = await child.listTools();
    return { tools: tools.map((tool) => ({ ...tool, name: `x.${tool.name}` })) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) =>
    child.callTool({ ...params, name: params.name.replace(/^x\./, '') }),
  );
  await server.connect(transport as Parameters<Server['connect']>[0]);
  return transport;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return chunks.length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
}

const http = createServer((request, response) => {
  void bodyOf(request).then(async (body) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    await (known ?? (await begin())).handleRequest(request, response, body);
  });
});
http.listen(0, '127.0.0.1', () => console.log(String((http.address() as AddressInfo).port)));
