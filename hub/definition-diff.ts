/** Lines around each change. */
const CONTEXT = 2;

/** What has changed in the definition of a tool, as a unified diff of its members on lines of their own. */
export async function definitionDiff(before: string, now: string): Promise<string> {
  const { structuredPatch } = await import('diff');
  const { hunks } = structuredPatch('', '', laidOut(before), laidOut(now), '', '', { context: CONTEXT });
  return hunks.flatMap(({ lines }) => ['@@', ...lines]).join('\n');
}

/** By the names of members, since their order means nothing; long texts by their own lines. */
function laidOut(definition: string): string {
  const text = JSON.stringify(JSON.parse(definition), inOrder, 2);
  return `${text.replaceAll(/(?<!\\)((?:\\\\)*\\n)/g, '$1\n')}\n`;
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
