/** Facts of the Model Context Protocol that more than one file needs; `initialize` era, 2024-10-07 to 2025-11-25. */

/** Protocol revisions spoken, newest first. */
export const REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** A decoded JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The lists of a server that clients see merged, each with the method that fetches it. */
export const LISTS = { tools: 'tools/list', prompts: 'prompts/list' } as const;
export type ListName = keyof typeof LISTS;

/** An entry of such a list. */
export interface Item extends JsonObject {
  readonly name: string;
}

/** What a server said of itself when it was greeted, and what it offers. */
export interface Catalogue {
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly tools: readonly Item[];
  readonly prompts: readonly Item[];
}

/** A value as an object; `{}` for anything else. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Name and version under which the hub introduces itself on both sides. */
export const HUB_INFO = { name: 'mcp-multibroker', title: 'MCP multibroker', version: '0.1.0' } as const;
