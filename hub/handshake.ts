import { asFault, Fault, type FaultKind } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Peer } from '../shared/peer.js';
import { envelopeFor } from './envelope.js';
import { wrongMirror } from './mirrored.js';
import { type Era, FILTERS, META, MODERN } from './modern.js';
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
import { listen } from './standing.js';

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
  /** In which eras it is greeted, one after the other until it answers; by `initialize` first where nothing is said. */
  readonly eras?: readonly Era[];
  /** Whether it is spoken to over HTTP, where headers repeat arguments. */
  readonly overHttp?: boolean;
}

/** By `initialize` first: some servers end when anything else comes before it. */
const ERAS: readonly Era[] = ['legacy', 'modern'];

/** Ways in which a greeting fails that say nothing of the era. */
const OTHER_REASONS: ReadonlySet<FaultKind> = new Set(['gone', 'denied', 'timeout', 'cancelled', 'bug']);

/**
 * Greets a child as its client and reads what it offers, in the first era that it answers.
 * @throws Fault `gone`, `timeout`, or `unsupported` when no common protocol revision is left.
 */
export async function greet(peer: Peer, greeting: Greeting): Promise<Catalogue> {
  const eras = greeting.eras ?? ERAS;
  const refusals = new Map<Era, Fault>();
  for (const era of eras) {
    try {
      return await (era === 'modern' ? discover(peer, greeting) : initialize(peer, greeting));
    } catch (error) {
      const fault = asFault(error);
      // A greeting that was answered, only not well, was understood.
      const isAnswered = era === 'legacy' && !('code' in fault.data);
      if (isAnswered || OTHER_REASONS.has(fault.kind)) throw fault;
      refusals.set(era, fault);
    }
  }
  throw refusals.get('legacy') ?? refusals.get('modern') ?? new Fault('bug', 'no era was tried');
}

/** Asks a child for log messages from a level on. */
export async function setLevel(peer: Peer, level: string): Promise<void> {
  await peer.request('logging/setLevel', { level }, { timeout: PAGE });
}

/** The greeting of the revisions up to 2025-11-25 (basic/lifecycle). */
async function initialize(peer: Peer, greeting: Greeting): Promise<Catalogue> {
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
  return await catalogue(peer, about, objectOf(about['serverInfo']), String(about['protocolVersion']));
}

/** The greeting of 2026-07-28 (server/discover); what changes is heard of from then on. */
async function discover(peer: Peer, greeting: Greeting): Promise<Catalogue> {
  const _meta = envelopeFor(HUB_INFO, await greeting.capabilities);
  const about = objectOf(await peer.request('server/discover', { _meta }, { timeout: GREETING }));
  const { supportedVersions, _meta: own } = about;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN))
    throw new Fault('unsupported', `${peer.name} answers server/discover, but does not speak protocol ${MODERN}`);
  const found = await catalogue(peer, about, objectOf(objectOf(own)[META.server]), MODERN, greeting.overHttp);
  const kinds = (['tools', 'prompts', 'resources'] as const).filter(
    (kind) => objectOf(found.capabilities[kind])['listChanged'] === true,
  );
  const wanted = Object.fromEntries(kinds.map((kind) => [FILTERS[kind], true]));
  if (kinds.length > 0) void listen(peer, wanted);
  return found;
}

async function catalogue(
  peer: Peer,
  about: JsonObject,
  server: JsonObject,
  protocol: string,
  overHttp = false,
): Promise<Catalogue> {
  const can = objectOf(about['capabilities']);
  const lists = await Promise.all(
    LIST_NAMES.map(
      async (list) => [list, await offers(peer, { capabilities: can, protocol, overHttp }, list)] as const,
    ),
  );
  return {
    capabilities: can,
    instructions: typeof about['instructions'] === 'string' ? about['instructions'] : undefined,
    lists: { ...NO_LISTS, ...Object.fromEntries(lists) },
    server,
    protocol,
  };
}

/** A list of a child; empty where the child does not have that capability. What has no name of its own is left out. */
export async function offers(peer: Peer, about: Spoken, list: ListName): Promise<Item[]> {
  const isThere = LISTS[list].capability in about.capabilities;
  const found = isThere
    ? (await fetched(peer, list, about.protocol)).filter((item) => isUsable(peer, about, item))
    : [];
  const byKey = new Map<string, Item>();
  for (const item of found) if (!byKey.has(keyOf(list, item))) byKey.set(keyOf(list, item), item);
  if (byKey.size < found.length)
    log.warn(`${peer.name} lists ${found.length - byKey.size} ${list} twice; the first counts`);
  return [...byKey.values()];
}

/** What is known of how a child is spoken to, when its lists are read. */
export interface Spoken {
  readonly capabilities: JsonObject;
  readonly protocol: string;
  readonly overHttp: boolean;
}

/** From 2026-07-28 on a tool must not be called over HTTP when its schema is wrong about headers. */
function isUsable({ name }: Peer, { protocol, overHttp }: Spoken, item: Item): boolean {
  const wrong = overHttp && protocol === MODERN ? wrongMirror(item) : undefined;
  if (wrong !== undefined) log.warnOnce(`${name}: ${JSON.stringify(item['name'])} is left out: ${wrong}`);
  return wrong === undefined;
}

/** Many servers with resources know no templates, and say so by an error. */
async function fetched(peer: Peer, list: ListName, protocol: string): Promise<Item[]> {
  const own = protocol === MODERN ? { _meta: envelopeFor(HUB_INFO, {}) } : {};
  if (list !== 'resourceTemplates') return await allPages(peer, list, own);
  return await allPages(peer, list, own).catch((error: unknown) => {
    if (asFault(error).kind === 'gone') throw error;
    return [];
  });
}

async function allPages(peer: Peer, list: ListName, own: JsonObject): Promise<Item[]> {
  const items: Item[] = [];
  const seen = new Set<unknown>();
  let params: JsonObject = own;
  for (let page = 0; page < PAGES; page += 1) {
    const answer = objectOf(await peer.request(LISTS[list].method, params, { timeout: PAGE }));
    const found = answer[list];
    for (const item of Array.isArray(found) ? found : []) if (isItem(list, item)) items.push(item);
    const cursor = answer['nextCursor'];
    if (typeof cursor !== 'string' || seen.has(cursor)) break;
    seen.add(cursor);
    params = { ...own, cursor };
  }
  return items;
}

function isItem(list: ListName, value: unknown): value is Item {
  const key = objectOf(value)[LISTS[list].key];
  return typeof key === 'string' && key !== '';
}
