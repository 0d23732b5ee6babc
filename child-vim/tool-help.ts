import { z } from 'zod';
import { tools } from './tools/index.js';

/** The tools with their arguments, for `--tool-help`. */
export function toolHelp(): string {
  return tools
    .map(({ name, action, description, input }) => `${name} (${action})\n  ${description}\n${argumentList(input)}`)
    .join('\n');
}

function argumentList(input: z.ZodObject): string {
  const schema = z.toJSONSchema(input, { io: 'input' });
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { type, description } = property as { type?: string; description?: string };
    return `    ${name}${required.has(name) ? '' : '?'}: ${type ?? 'any'}${description === undefined ? '' : ` - ${description}`}\n`;
  });
  return rows.join('');
}
