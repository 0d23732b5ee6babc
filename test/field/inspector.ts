import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packagesForNewer } from '../kit/packages.js';

/** The command line of the MCP Inspector, over HTTP: the list of tools, and a call. */
export async function inspector(url: string): Promise<void> {
  const { modules, node } = await packagesForNewer('inspector', ['@modelcontextprotocol/inspector@2.12.0']);
  const run = async (...args: readonly string[]): Promise<string> => {
    const words = [join(modules, '.bin/mcp-inspector'), '--cli', url, '--transport', 'http', ...args];
    const { stdout } = await promisify(execFile)(node, words, { timeout: 60_000 });
    return stdout;
  };
  assert.match(await run('--method', 'tools/list'), /"c\.echo"/);
  const call = ['--method', 'tools/call', '--tool-name', 'c.echo', '--tool-arg', 'key=from the inspector'];
  assert.match(await run(...call), /from the inspector/);
}
