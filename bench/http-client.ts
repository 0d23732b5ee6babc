import { Agent, request as ask } from 'node:http';

const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** An MCP client over HTTP that does as little as it can; one connection, kept open. */
export class HttpClient {
  readonly #url: URL;
  readonly #isModern: boolean;
  readonly #agent = new Agent({ keepAlive: true });
  #session: string | undefined;
  #next = 0;

  constructor(url: string, era: 'legacy' | 'modern') {
    this.#url = new URL(url);
    this.#isModern = era === 'modern';
  }

  /** Says hello, where that is done. */
  async begin(): Promise<void> {
    if (this.#isModern) return;
    const clientInfo = { name: 'bench', version: '1' };
    await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' }, {});
  }

  /** Calls a tool; the text of the answer. */
  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
    return await this.request('tools/call', { name, arguments: args }, name);
  }

  /** @throws when the answer is an error. */
  async request(method: string, params: Readonly<Record<string, unknown>>, name?: string): Promise<string> {
    this.#next += 1;
    const named = name === undefined ? {} : { 'mcp-name': name };
    const own = this.#isModern ? { 'mcp-protocol-version': REVISION, 'mcp-method': method, ...named } : {};
    const given = this.#isModern ? { ...params, _meta: META } : params;
    const answer = await this.#post({ jsonrpc: '2.0', id: this.#next, method, params: given }, own);
    if (!answer.includes('"result"')) throw new Error(`${method} came to ${answer.slice(0, 300)}`);
    return answer;
  }

  close(): void {
    this.#agent.destroy();
  }

  #post(message: unknown, more: Readonly<Record<string, string>>): Promise<string> {
    const body = JSON.stringify(message);
    const session = this.#session === undefined ? {} : { 'mcp-session-id': this.#session };
    const length = { 'content-length': Buffer.byteLength(body) };
    const headers = { ...JSON_HEADERS, ...length, ...session, ...more };
    return new Promise((resolve, reject) => {
      const request = ask(this.#url, { method: 'POST', headers, agent: this.#agent }, (response) => {
        const given = response.headers['mcp-session-id'];
        if (typeof given === 'string') this.#session = given;
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}
