import { Fault } from '../shared/fault.js';
import type { Child } from './child.js';
import type { Children } from './children.js';
import { type JsonObject, OWN_ALIAS } from './protocol.js';

/** One of the hub's own tools. */
export interface OwnTool {
  readonly definition: JsonObject & { readonly name: string };
  /** What it comes to, as the result of a call; a fault becomes a result that says what is wrong. */
  run(given: JsonObject, children: Children): Promise<JsonObject> | JsonObject;
}

/** A result that tells the model what it has to do otherwise. */
export function failed(fault: Fault): JsonObject {
  return { ...text(fault.text), isError: true };
}

/** A result that is a text. */
export function text(value: string): JsonObject {
  return { content: [{ type: 'text', text: value }] };
}

/** A result that is a value, and the same as a text for clients that know no other. */
export function structured(value: JsonObject): JsonObject {
  return { ...text(JSON.stringify(value)), structuredContent: value };
}

/** The argument that names a server. */
export const SERVER = { type: 'string', description: 'The part of tool names before the separator' } as const;

/** The children but for the hub itself. */
export function servers(children: Iterable<Child>): Child[] {
  return [...children].filter(({ alias }) => alias !== OWN_ALIAS);
}

/** @throws Fault `unknown`, with the servers there are. */
export function serverNamed(children: Children, name: unknown): Child {
  const child = servers(children).find(({ alias }) => alias === name);
  if (child !== undefined) return child;
  const aliases = servers(children).map(({ alias }) => alias);
  throw new Fault('unknown', `there is no server ${JSON.stringify(name)}`, {
    next: aliases.length === 0 ? 'There is none yet.' : `There are: ${aliases.join(', ')}.`,
  });
}
