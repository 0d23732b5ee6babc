/** Prints what the list of tools costs a client that gives it to its model, by tool and part. */
import { listedTools, tokens } from '../test/kit/catalogue.js';
import { printTable } from './report.js';

const tools = await listedTools();
const counts = tools.map((tool) => ({
  name: tool.name,
  parts: [tool, tool.description, tool.inputSchema, tool.outputSchema].map(tokens),
}));
const total = counts.reduce((sum, { parts }) => sum.map((count, at) => count + (parts[at] ?? 0)), [0, 0, 0, 0]);
const rows = [...counts, { name: `${tools.length} tools`, parts: total }];
printTable(
  'tokens of tools/list (o200k)',
  ['', 'all', 'description', 'arguments', 'result'],
  rows.map(({ name, parts }) => [name, ...parts.map(String)]),
);
