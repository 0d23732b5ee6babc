import { type OwnTool, SERVER, serverNamed, structured } from './own-tool.js';

const inputSchema = {
  type: 'object',
  properties: { server: SERVER },
  required: ['server'],
  additionalProperties: false,
} as const;
const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false } as const;

/** `hub.restart` */
export const restart: OwnTool = {
  definition: {
    name: 'restart',
    title: 'Restart a server',
    description: 'Stop a server and start it again, also one that was stopped or has failed. Its open calls fail.',
    inputSchema,
    annotations,
  },
  run: async ({ server }, children) => {
    const child = serverNamed(children, server);
    await child.restart();
    return structured({ server: child.alias, state: child.status().state });
  },
};

/** `hub.stop` */
export const halt: OwnTool = {
  definition: {
    name: 'stop',
    title: 'Stop a server',
    description: 'Stop a server until it is restarted. Its open calls fail, and so do further ones.',
    inputSchema,
    annotations,
  },
  run: async ({ server }, children) => {
    const child = serverNamed(children, server);
    await child.halt();
    return structured({ server: child.alias, state: child.status().state });
  },
};
