import { type OwnTool, SERVER, serverNamed, servers, text } from './own-tool.js';

/** `hub.instructions` */
export const instructionsOf: OwnTool = {
  definition: {
    name: 'instructions',
    title: 'Instructions of servers',
    description: 'What a server says of its use; of every server where none is named.',
    inputSchema: { type: 'object', properties: { server: SERVER }, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: ({ server }, children) => {
    const asked = server === undefined ? servers(children) : [serverNamed(children, server)];
    const parts = asked.flatMap(({ alias, catalogue }) => {
      const said = catalogue?.instructions ?? '';
      return said === '' ? [] : [`## ${alias}\n\n${said}`];
    });
    return text(parts.join('\n\n') || `${asked.map(({ alias }) => alias).join(', ') || 'No server'}: no instructions.`);
  },
};
