import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { EDIT_OPERATIONS, READ_BYTES } from '../limits.js';
import { UNITS } from '../offsets.js';
import { MAJOR, MINOR } from '../protocol.js';
import { listQuestion } from '../question.js';
import { defineTool } from '../tool.js';
import { VERSION } from '../version.js';

/** The revision without sessions, which the SDK serves but does not list. */
const MODERN = '2026-07-28';

const output = z.object({
  server: z.object({
    name: z.string(),
    version: z.string(),
    mcp: z.array(z.string()),
    plugin: z.string(),
  }),
  tools: z.array(
    z.object({
      action: z.string(),
      permission: z.enum(['allow', 'deny', 'ask', 'rules']),
      names: z.array(z.string()),
    }),
  ),
  units: z.array(z.string()),
  limits: z.object({
    read_bytes: z.number(),
    edit_operations: z.number(),
    timeout_seconds: z.number(),
  }),
  editors: z.array(
    z.object({
      target: z.string(),
      vim: z.string(),
      plugin: z.string(),
      missing: z.array(z.string()).describe('What its older plugin cannot do'),
    }),
  ),
});

export const capabilities = defineTool({
  name: 'capabilities',
  action: 'read',
  title: 'What can be done',
  description:
    'Which tools are allowed, denied, asked for each time or decided by rules; limits, units, versions, what an editor lacks.',
  input: z.strictObject({}),
  output,
  handle: async (_, { editors, offered, allow }) => {
    await allow(listQuestion);
    return {
      server: {
        name: 'mcp-vim',
        version: VERSION,
        mcp: [MODERN, ...SUPPORTED_PROTOCOL_VERSIONS],
        plugin: `${MAJOR}.${MINOR}`,
      },
      tools: offered(),
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
