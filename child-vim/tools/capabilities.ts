import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { EDIT_OPERATIONS, READ_BYTES } from '../limits.js';
import { UNITS } from '../offsets.js';
import { ACTIONS } from '../permission.js';
import { MAJOR, MINOR } from '../protocol.js';
import { defineTool } from '../tool.js';
import { VERSION } from '../version.js';

/** The revision without sessions, which the SDK serves but does not list. */
const MODERN = '2026-07-28';

const output = z.object({
  server: z.object({
    name: z.string(),
    version: z.string(),
    mcp: z.array(z.string()).describe('Protocol revisions served'),
    plugin: z.string().describe('Plugin version that has everything'),
  }),
  tools: z.array(
    z.object({
      action: z.enum(ACTIONS),
      permission: z.enum(['allow', 'deny', 'ask']).describe('ask: the person is asked at each call'),
      names: z.array(z.string()),
    }),
  ),
  units: z.array(z.string()).describe('Units that offsets in a line can have, the default first'),
  limits: z.object({
    read_bytes: z.number().describe('Text in one answer of read-lines'),
    edit_operations: z.number(),
    timeout_seconds: z.number().describe('Wait for an editor that does not answer'),
  }),
  editors: z.array(
    z.object({
      target: z.string(),
      vim: z.string().describe('Version, as v:versionlong'),
      plugin: z.string(),
      missing: z.array(z.string()).describe('What an older plugin cannot do; calls that need it are refused'),
    }),
  ),
});

export const capabilities = defineTool({
  name: 'capabilities',
  action: 'read',
  title: 'What can be done',
  description: 'Tell which tools need a permission, limits, offset units, versions, and what a connected editor lacks.',
  input: z.strictObject({}),
  output,
  handle: async (_, { editors, offered, allow }) => {
    await allow({ action: 'read', subject: 'targets', message: 'List the connected editors?', exact: {} });
    return {
      server: {
        name: 'mcp-vim',
        version: VERSION,
        mcp: [MODERN, ...SUPPORTED_PROTOCOL_VERSIONS],
        plugin: `${MAJOR}.${MINOR}`,
      },
      tools: [...offered],
      units: [...UNITS],
      limits: {
        read_bytes: READ_BYTES,
        edit_operations: EDIT_OPERATIONS,
        timeout_seconds: editors.patience / 1000,
      },
      editors: editors.all.map(({ name, facts, missing }) => ({
        target: name,
        vim: facts.version,
        plugin: facts.plugin,
        missing,
      })),
    };
  },
});
