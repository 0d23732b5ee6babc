import { wireSchema } from './schema.js';
import { annotationsOf } from './tool.js';
import { offeredTools } from './tools/index.js';

/** The tools as a client gets them by `tools/list`, as JSON, for `--list-tools`; with `--read-only` those that are left. */
export function toolList(readOnly: boolean): string {
  const tools = offeredTools(readOnly).map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: wireSchema(tool.input, 'input'),
    annotations: annotationsOf(tool),
    outputSchema: wireSchema(tool.output, 'output'),
  }));
  return `${JSON.stringify({ tools }, null, 2)}\n`;
}
