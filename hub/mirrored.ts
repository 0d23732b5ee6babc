import { Fault } from '../shared/fault.js';
import { decoded, members } from '../shared/json.js';
import type { Item } from './item.js';
import { type JsonObject, objectOf } from './protocol.js';

/** Headers that repeat what the body of a request says (2026-07-28, basic/transports/streamable-http). */

/** A parameter of a tool that is repeated in the header `Mcp-Param-NAME`, as `x-mcp-header` in its schema says. */
export interface Mirrored {
  readonly path: readonly string[];
  /** The whole name of the header, in lower case. */
  readonly header: string;
  readonly isNumber: boolean;
}

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const [OPENING, CLOSING] = ['=?base64?', '?='];
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What is repeated of each tool, by its name; worked out once for a list. */
const known = new WeakMap<readonly Item[], ReadonlyMap<string, readonly Mirrored[]>>();

/** What is repeated of one tool of a list; nothing for a tool whose schema is wrong about it. */
export function mirroredOf(tools: readonly Item[], name: string): readonly Mirrored[] {
  const byName = known.get(tools) ?? new Map(tools.flatMap((tool) => entry(tool)));
  known.set(tools, byName);
  return byName.get(name) ?? [];
}

/**
 * Why the schema of a tool may not be used over HTTP, if so.
 * @returns a message for a person.
 */
export function wrongMirror(tool: Item): string | undefined {
  try {
    mirrored(schemaOf(tool));
    return undefined;
  } catch (error) {
    return error instanceof Fault ? error.message : String(error);
  }
}

/** The headers for a call with these arguments. */
export function mirrorHeaders(wanted: readonly Mirrored[], given: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of wanted) {
    const text = plain(valueAt(given, path));
    if (text !== undefined) headers[header] = headerText(text);
  }
  return headers;
}

/** The first header that does not say what the arguments say, and why. */
export function wrongHeader(
  wanted: readonly Mirrored[],
  given: JsonObject,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): readonly [header: string, why: string] | undefined {
  for (const { path, header, isNumber } of wanted) {
    const value = valueAt(given, path);
    const text = plain(value);
    if (text === undefined) continue;
    const said = headers[header];
    if (typeof said !== 'string') return [header, 'is missing'];
    const decoded = decodedHeader(said);
    const isSame =
      decoded === text || (isNumber && decoded !== undefined && isDecimal(decoded) && Number(decoded) === value);
    if (!isSame) return [header, `does not say what ${path.join('.')} says`];
  }
  return undefined;
}

/** A text as the value of a header: as it is, or in base64 where a header cannot hold it. */
export function headerText(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && text.trim() === text && !text.startsWith(OPENING);
  return isPlain ? text : `${OPENING}${Buffer.from(text).toString('base64')}${CLOSING}`;
}

/** The text that the value of a header stands for; `undefined` where it is not written rightly. */
export function decodedHeader(value: string): string | undefined {
  if (!value.startsWith(OPENING) || !value.endsWith(CLOSING)) return value;
  const coded = value.slice(OPENING.length, -CLOSING.length);
  if (!BASE64.test(coded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(coded, 'base64'));
  } catch {
    return undefined;
  }
}

function entry(tool: Item): [string, readonly Mirrored[]][] {
  try {
    const found = mirrored(schemaOf(tool));
    return found.length === 0 ? [] : [[tool.key, found]];
  } catch {
    return [];
  }
}

/** The schema of what a tool takes; nothing where it cannot have a mark, so that most are not decoded. */
function schemaOf({ bytes }: Item): unknown {
  if (!bytes.includes(KEY)) return undefined;
  const span = members(bytes).get('inputSchema');
  return span === undefined ? undefined : decoded(bytes, span);
}

/** @throws Fault `invalid` for a mark that is not where, or not as, it may be. */
function mirrored(schema: unknown): Mirrored[] {
  const found: Mirrored[] = [];
  for (const place of places({ schema, path: [], isReached: true })) {
    const node = objectOf(place.schema);
    if (Object.hasOwn(node, KEY)) found.push(mark(node, place.path, place.isReached, found));
  }
  return found;
}

/** A schema in another one, and whether only names of properties lead there. */
interface Place {
  readonly schema: unknown;
  readonly path: readonly string[];
  readonly isReached: boolean;
}

/** A schema and all that stand in it. */
function* places(here: Place): Generator<Place> {
  yield here;
  for (const [keyword, value] of Object.entries(objectOf(here.schema)))
    for (const inner of placesIn(keyword, value, here)) yield* places(inner);
}

function placesIn(keyword: string, value: unknown, { path, isReached }: Place): readonly Place[] {
  if (keyword === 'properties')
    return Object.entries(objectOf(value)).map(([name, schema]) => ({ schema, path: [...path, name], isReached }));
  if (!SCHEMAS.has(keyword)) return [];
  return schemasIn(keyword, value).map((schema) => ({ schema, path: [...path, keyword], isReached: false }));
}

/** Keywords that hold schemas in which nothing may be marked, because it is not sure that they apply. */
const SCHEMAS: ReadonlySet<string> = new Set([
  ...['items', 'prefixItems', 'contains', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['propertyNames', 'patternProperties', 'dependentSchemas', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'],
  ...['$defs', 'definitions'],
]);
/** Those of them that hold schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set(['patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** The schemas that a keyword holds: one, several, or several by name. */
function schemasIn(keyword: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return BY_NAME.has(keyword) ? Object.values(objectOf(value)) : [value];
}

function mark(node: JsonObject, path: readonly string[], isReached: boolean, others: readonly Mirrored[]): Mirrored {
  const { [KEY]: name, type } = node;
  const where = path.join('.') || 'the schema';
  if (!isReached || path.length === 0) throw new Fault('invalid', `${where}: ${KEY} stands where it may not`);
  if (typeof name !== 'string' || !TOKEN.test(name))
    throw new Fault('invalid', `${where}: ${KEY} is no name of a header`);
  if (!TYPES.has(type)) throw new Fault('invalid', `${where}: ${KEY} is for a string, an integer or a boolean`);
  const header = `mcp-param-${name.toLowerCase()}`;
  if (others.some((other) => other.header === header))
    throw new Fault('invalid', `${where}: ${KEY} ${name} is given twice`);
  return { path, header, isNumber: type === 'integer' };
}

function valueAt(given: unknown, path: readonly string[]): unknown {
  let value = given;
  for (const name of path) value = Object.hasOwn(objectOf(value), name) ? objectOf(value)[name] : undefined;
  return value;
}

/** What a header says of a value; `undefined` where it says nothing. */
function plain(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value))
    ? String(value)
    : undefined;
}

function isDecimal(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}
