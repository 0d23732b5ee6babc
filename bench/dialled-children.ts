/**
 * `dialled-children.js URL COUNT TOOLS`: so many MCP servers that dial a hub, in one process, each with so many tools
 * that give their text back; the tool `change` adds a tool or takes it away. Prints how many milliseconds it took until
 * the hub had read the lists of all.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Lines } from '../shared/lines.js';

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly text?: string } };
}

/** How many dial at one time. */
const AT_ONCE = 50;

const [url = '', count = '', tools = ''] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(url);
const token = pathname.split('/')[1];

const greeting = JSON.stringify({
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'dialled', version: '1' },
});
const inputSchema = { type: 'object', properties: { text: { type: 'string', description: 'What to say' } } };
const tool = (name: string): string =>
  JSON.stringify({ name, description: `Gives its text back. ${'It does nothing else. '.repeat(4)}`, inputSchema });
const list = Array.from({ length: Number(tools) }, (_, at) => tool(`t${at}`)).join();

async function dial(alias: string): Promise<void> {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => process.exit(1));
  await once(socket, 'connect');
  let listed: () => void = () => undefined;
  const known = new Promise<void>((resolve) => {
    listed = resolve;
  });
  let hasMore = false;
  const send = (text: string): unknown => socket.write(`{"jsonrpc":"2.0",${text}}\n`);
  const serve = ({ id, method, params }: Request): void => {
    if (id === undefined) return;
    let result = `{"content":[{"type":"text","text":${JSON.stringify(params?.arguments?.text ?? '')}}]}`;
    if (method === 'initialize') result = greeting;
    if (method === 'tools/list') result = `{"tools":[${list}${hasMore ? `,${tool('more')}` : ''}]}`;
    if (params?.name === 'change') {
      hasMore = !hasMore;
      send('"method":"notifications/tools/list_changed"');
    }
    send(`"id":${id},"result":${result}`);
    if (method === 'tools/list') listed();
  };
  const lines = new Lines();
  socket.on('data', (chunk: Buffer) => lines.push(chunk, (line) => serve(JSON.parse(line.toString()) as Request)));
  socket.write(`${JSON.stringify(['mcp-connect', token, alias])}\n`);
  await known;
}

const start = performance.now();
for (let at = 0; at < Number(count); at += AT_ONCE) {
  const batch = Math.min(AT_ONCE, Number(count) - at);
  await Promise.all(Array.from({ length: batch }, (_, index) => dial(`c${at + index}`)));
}
console.log(performance.now() - start);
process.stdin.resume().once('end', () => process.exit(0));
