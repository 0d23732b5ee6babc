import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, type Tool } from '@modelcontextprotocol/server';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Editors } from '../../child-vim/editors.js';
import { serverFactory } from '../../child-vim/server.js';

/** The tools of mcp-vim as a client gets them. */
export async function listedTools(): Promise<Tool[]> {
  const decided = { allow: new Set<string>(), deny: new Set<string>() };
  const rules = { path: '', rules: () => [], change: async () => undefined };
  const policy = { decided, rules, unasked: new Set(['read']) };
  const asking = { way: 'mcp', helper: undefined, name: 'test', isChosen: true } as const;
  const server = serverFactory(new Editors(30_000), policy, { asking, readOnly: false })();
  const client = new Client({ name: 'test', version: '0' });
  const [there, here] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  try {
    return (await client.listTools()).tools;
  } finally {
    await client.close();
  }
}

/** Tokens of a value as JSON, counted as recent models of one vendor do; others come within some percent. */
export function tokens(value: unknown): number {
  return value === undefined ? 0 : countTokens(JSON.stringify(value));
}
