import { type Flag, readFlags, usage } from '../shared/flags.js';
import { configDirectory, privateDirectory, runtimeDirectory, stateDirectory } from '../shared/paths.js';
import { rulesDirectory } from '../shared/rule-file.js';
import { masterSecret, secretPath } from '../shared/secret.js';

/** The options of `mcp-multibroker init`. */
export const INIT_FLAGS: readonly Flag[] = [{ name: 'help', help: 'print this help' }];

const SYNOPSIS = `mcp-multibroker init

Makes the folders and the secret that the programs need, as they would do themselves when they are needed, and prints what
to put into your MCP client and what to say in Vim. What is there stays as it is.`;

/**
 * Runs `mcp-multibroker init`.
 * @returns the text for standard output; it holds no token.
 * @throws Fault `denied` where others could reach into what is there, `invalid` where it is damaged.
 */
export async function prepare(argv: readonly string[]): Promise<string> {
  const flags = readFlags(INIT_FLAGS, argv);
  if (flags.has('help')) return usage(SYNOPSIS, INIT_FLAGS);
  for (const folder of [configDirectory(), rulesDirectory(), stateDirectory(), runtimeDirectory()]) {
    await privateDirectory(folder);
  }
  await masterSecret();
  const vim = ['vim', '---', 'mcp-vim', '--name', 'editor', '---', '--eager'];
  const entry = { mcpServers: { tools: { command: 'npx', args: ['mcp-multibroker', '--stdio', ...vim] } } };
  return `Your secret is in ${secretPath()}, which only you can read.

Put this entry into your MCP client, beside what you have, and restart it:

${JSON.stringify(entry, undefined, 2)}

Then say in Vim, with the plugin installed:

:Mcp

If Vim finds no broker, as for root without $XDG_RUNTIME_DIR, say :Mcp and the address that this prints:

mcp-vim --name editor --print-url
`;
}
