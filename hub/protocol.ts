import type { Item } from './item.js';

/** Facts of the Model Context Protocol that more than one file needs; `initialize` era, 2024-10-07 to 2025-11-25. */

/** Protocol revisions spoken, newest first. */
export const REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** A decoded JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** How one of the lists of a server is had. */
export interface List {
  /** The method that fetches it. */
  readonly method: string;
  /** The member that tells its entries apart. */
  readonly key: 'name' | 'uri' | 'uriTemplate';
  /** The capability without which a server has no such list. */
  readonly capability: 'tools' | 'prompts' | 'resources';
}

export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** The lists of a server that clients see merged, by the member of the result that holds them. */
export const LISTS: Readonly<Record<ListName, List>> = {
  tools: { method: 'tools/list', key: 'name', capability: 'tools' },
  prompts: { method: 'prompts/list', key: 'name', capability: 'prompts' },
  resources: { method: 'resources/list', key: 'uri', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', key: 'uriTemplate', capability: 'resources' },
};
export const LIST_NAMES = Object.keys(LISTS) as readonly ListName[];

/** The notification by which a server says that its lists of one capability have changed. */
export function listChanged(capability: List['capability']): string {
  return `notifications/${capability}/list_changed`;
}

/** What a server said of itself when it was greeted, and what it offers. */
export interface Catalogue {
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly lists: Readonly<Record<ListName, readonly Item[]>>;
  /** What it calls itself, and its protocol revision. */
  readonly server: JsonObject;
  readonly protocol: string;
}

/** The lists of a server that offers nothing. */
export const NO_LISTS: Catalogue['lists'] = { tools: [], prompts: [], resources: [], resourceTemplates: [] };

/** What is known of a server that has said nothing yet. */
export const NOTHING: Catalogue = {
  capabilities: {},
  instructions: undefined,
  lists: NO_LISTS,
  server: {},
  protocol: '',
};

/** What is offered to children where clients come and go: a question that the client at hand cannot answer is declined. */
export const ANY_CLIENT: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** The capability of a client without which it is not asked. */
export const ASKED: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/** A value as an object; `{}` for anything else. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The alias of the hub's own tools. */
export const OWN_ALIAS = 'hub';

/** Name and version under which the hub introduces itself on both sides. */
export const HUB_INFO = { name: 'mcp-multibroker', title: 'MCP multibroker', version: '0.1.0' } as const;

/** Whether a server is another hub, by what it says of itself. */
export function isHub(server: JsonObject): boolean {
  return server['name'] === HUB_INFO.name;
}

/** The capability of somebody who can be shown forms. */
export const FORMS: JsonObject = { elicitation: { form: {} } };
