import { asFault, Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Peer } from '../shared/peer.js';
import {
  type Catalogue,
  HUB_INFO,
  type Item,
  type JsonObject,
  keyOf,
  LIST_NAMES,
  LISTS,
  type ListName,
  NO_LISTS,
  objectOf,
  REVISIONS,
} from './protocol.js';

/** Milliseconds for a child to answer `initialize`: npx may have to fetch it first. */
const GREETING = 60_000;
/** Milliseconds for one page of a list, and the most pages taken. */
const PAGE = 30_000;
const PAGES = 1000;

/** What a client can do for a child: capabilities that make the child ask questions. */
const PASSED_ON = ['elicitation', 'sampling', 'roots'];

/** The part of a client's capabilities that is offered to children. */
export function offered(client: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(client).filter(([name]) => PASSED_ON.includes(name)));
}

/** What a child is told when it is greeted. */
export interface Greeting {
  /** What the client side can do; known once a client has said `initialize`. */
  readonly capabilities: Promise<JsonObject>;
  /** The least level of log messages that was asked for. */
  readonly level: () => string | undefined;
}

/** Asks a child for log messages from a level on. */
export async function setLevel(peer: Peer, level: string): Promise<void> {
  await peer.request('logging/setLevel', { level }, { timeout: PAGE });
}

/**
 * Greets a child as its client and reads what it offers (MCP basic/lifecycle).
 * @throws Fault `gone`, `timeout`, or `unsupported` when no common protocol revision is left.
 */
export async function greet(peer: Peer, greeting: Greeting): Promise<Catalogue> {
  const capabilities = await greeting.capabilities;
  const [protocolVersion] = REVISIONS;
  const answer = await peer.request(
    'initialize',
    { protocolVersion, capabilities, clientInfo: HUB_INFO },
    { timeout: GREETING },
  );
  const about = objectOf(answer);
  if (!REVISIONS.includes(String(about['protocolVersion']))) {
    throw new Fault(
      'unsupported',
      `${peer.name} speaks protocol ${String(about['protocolVersion'])}, which is not known here`,
    );
  }
  peer.notify('notifications/initialized');
  const can = objectOf(about['capabilities']);
  const level = greeting.level();
  if (level !== undefined && 'logging' in can) void setLevel(peer, level).catch(() => undefined);
  const instructions = typeof about['instructions'] === 'string' ? about['instructions'] : undefined;
  const lists = await Promise.all(LIST_NAMES.map(async (list) => [list, await offers(peer, can, list)] as const));
  return {
    capabilities: can,
    instructions,
    lists: { ...NO_LISTS, ...Object.fromEntries(lists) },
    server: objectOf(about['serverInfo']),
    protocol: String(about['protocolVersion']),
  };
}

/** A list of a child; empty where the child does not have that capability. What has no name of its own is left out. */
export async function offers(peer: Peer, capabilities: JsonObject, list: ListName): Promise<Item[]> {
  const found = LISTS[list].capability in capabilities ? await fetched(peer, list) : [];
  const byKey = new Map<string, Item>();
  for (const item of found) if (!byKey.has(keyOf(list, item))) byKey.set(keyOf(list, item), item);
  if (byKey.size < found.length)
    log.warn(`${peer.name} lists ${found.length - byKey.size} ${list} twice; the first counts`);
  return [...byKey.values()];
}

/** Many servers with resources know no templates, and say so by an error. */
async function fetched(peer: Peer, list: ListName): Promise<Item[]> {
  if (list !== 'resourceTemplates') return await allPages(peer, list);
  return await allPages(peer, list).catch((error: unknown) => {
    if (asFault(error).kind === 'gone') throw error;
    return [];
  });
}

async function allPages(peer: Peer, list: ListName): Promise<Item[]> {
  const items: Item[] = [];
  const seen = new Set<unknown>();
  let params: JsonObject = {};
  for (let page = 0; page < PAGES; page += 1) {
    const answer = objectOf(await peer.request(LISTS[list].method, params, { timeout: PAGE }));
    const found = answer[list];
    for (const item of Array.isArray(found) ? found : []) if (isItem(list, item)) items.push(item);
    const cursor = answer['nextCursor'];
    if (typeof cursor !== 'string' || seen.has(cursor)) break;
    seen.add(cursor);
    params = { cursor };
  }
  return items;
}

function isItem(list: ListName, value: unknown): value is Item {
  const key = objectOf(value)[LISTS[list].key];
  return typeof key === 'string' && key !== '';
}
