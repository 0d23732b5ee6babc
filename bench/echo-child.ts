/** An MCP server that does as little as it can: `echo` gives its text back, `text` gives that many bytes of text. */

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly text?: string; readonly bytes?: number } };
}

const LINE = '  const greeting = "hällo"; // a line such as stands in a file of source text\n';
const TOOLS = ['echo', 'text'].map((name) => ({ name, inputSchema: { type: 'object' } }));

const greeting = JSON.stringify({
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'echo', version: '1' },
});
const tools = JSON.stringify({ tools: TOOLS });
/** Results are kept ready, so that making them is not measured. */
const texts = new Map<number, string>();

let unread = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk: string) => {
  const lines = (unread + chunk).split('\n');
  unread = lines.pop() ?? '';
  for (const line of lines) serve(JSON.parse(line) as Request);
});

function serve(request: Request): void {
  if (request.id === undefined) return;
  process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":${result(request)}}\n`);
}

function result({ method, params }: Request): string {
  if (method === 'initialize') return greeting;
  if (method === 'tools/list') return tools;
  const { text, bytes } = params?.arguments ?? {};
  return bytes === undefined ? textResult(text ?? '') : longResult(bytes);
}

function longResult(bytes: number): string {
  const known = texts.get(bytes) ?? textResult(LINE.repeat(Math.ceil(bytes / Buffer.byteLength(LINE))));
  texts.set(bytes, known);
  return known;
}

function textResult(text: string): string {
  return JSON.stringify({ content: [{ type: 'text', text }] });
}
