import { asFault, Fault, type FaultKind } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Peer } from '../shared/peer.js';
import { envelopeFor } from './envelope.js';
import { holdsFor } from './fresh.js';
import type { Item } from './item.js';
import { wrongMirror } from './mirrored.js';
import { type Era, FILTERS, META, MODERN, UNSUPPORTED_REVISION } from './modern.js';
import { allPages, PAGE, type Whole } from './paging.js';
import {
  type Catalogue,
  HUB_INFO,
  isHub,
  type JsonObject,
  LIST_NAMES,
  LISTS,
  type ListName,
  NO_LISTS,
  objectOf,
  REVISIONS,
} from './protocol.js';
import { listen } from './standing.js';
import { HUBS } from './tree.js';

/** Milliseconds for a child to answer `initialize`: npx may have to fetch it first. */
const GREETING = 60_000;

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
  /** This hub and those in front of it. */
  readonly hubs: () => readonly string[];
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
  const server = objectOf(about['serverInfo']);
  if (isHub(server)) await tellHubs(peer, greeting.hubs());
  const found = await catalogue(peer, about, server, String(about['protocolVersion']));
  if (isHub(server)) await tellAgain(peer, greeting);
  return found;
}

/** The greeting of 2026-07-28 (server/discover); what changes is heard of from then on. */
async function discover(peer: Peer, greeting: Greeting): Promise<Catalogue> {
  const _meta = envelopeFor(HUB_INFO, await greeting.capabilities);
  const ask = (): Promise<unknown> => peer.request('server/discover', { _meta }, { timeout: GREETING });
  const about = objectOf(await ask().catch((error: unknown) => (isMistaken(error) ? ask() : Promise.reject(error))));
  const { supportedVersions, _meta: own } = about;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN))
    throw new Fault('unsupported', `${peer.name} answers server/discover, but does not speak protocol ${MODERN}`);
  const server = objectOf(objectOf(own)[META.server]);
  // One that has to know which hubs are in front of it has to know who asks.
  if (isHub(server)) throw new Fault('unsupported', `${peer.name} is a hub, which is spoken to in sessions`);
  const found = await catalogue(peer, about, server, MODERN, greeting.overHttp);
  const kinds = (['tools', 'prompts', 'resources'] as const).filter(
    (kind) => objectOf(found.capabilities[kind])['listChanged'] === true,
  );
  const wanted = Object.fromEntries(kinds.map((kind) => [FILTERS[kind], true]));
  if (kinds.length > 0) void listen(peer, wanted);
  return found;
}

/** Whether a server refuses the revision although it says that it speaks it: then it may know better the next time. */
function isMistaken(error: unknown): boolean {
  const { code, data } = asFault(error).data;
  const { supported } = objectOf(data);
  return code === UNSUPPORTED_REVISION && Array.isArray(supported) && supported.includes(MODERN);
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
      async (list) => [list, await offeredAtFirst(peer, { capabilities: can, protocol, overHttp }, list)] as const,
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

/** Others may have come in front while the lists were read, when those who are told did not count this child yet. */
async function tellAgain(peer: Peer, { hubs }: Greeting): Promise<void> {
  let told: readonly string[];
  do {
    told = hubs();
    await tellHubs(peer, told);
  } while (hubs().join() !== told.join());
}

/**
 * Tells a hub behind this one which are in front of it; an older one does not know the request.
 * @throws Fault when it is in front itself, so that it must not be behind.
 */
export async function tellHubs(peer: Peer, hubs: readonly string[]): Promise<void> {
  await peer.request(HUBS, { hubs }, { timeout: PAGE }).catch((error: unknown) => {
    if (asFault(error).kind !== 'unsupported') throw error;
  });
}

/** A list of a child; empty where the child does not have that capability. What has no name of its own is left out. */
export async function offers(peer: Peer, about: Spoken, list: ListName): Promise<Item[]> {
  const isThere = LISTS[list].capability in about.capabilities;
  const { items, ttl } = isThere ? await fetched(peer, list, about.protocol) : { items: [], ttl: 0 };
  const found = items.filter((item) => isUsable(peer, about, item));
  const byKey = new Map<string, Item>();
  for (const item of found) if (!byKey.has(item.key)) byKey.set(item.key, item);
  if (byKey.size < found.length)
    log.warn(`${peer.name} lists ${found.length - byKey.size} ${list} twice; the first counts`);
  const all = [...byKey.values()];
  holdsFor(all, ttl);
  return all;
}

/** One list that a child says it has, and then refuses, does not take the others away. */
async function offeredAtFirst(peer: Peer, about: Spoken, list: ListName): Promise<Item[]> {
  return await offers(peer, about, list).catch((error: unknown) => {
    const { kind, message } = asFault(error);
    if (kind === 'gone' || kind === 'timeout') throw error;
    log.warn(`${peer.name}: its ${list} cannot be read: ${message}`);
    return [];
  });
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
  if (wrong !== undefined) log.warnOnce(`${name}: ${JSON.stringify(item.key)} is left out: ${wrong}`);
  return wrong === undefined;
}

/** Many servers with resources know no templates, and say so by an error. */
async function fetched(peer: Peer, list: ListName, protocol: string): Promise<Whole> {
  const own = protocol === MODERN ? { _meta: envelopeFor(HUB_INFO, {}) } : {};
  const { method, key } = LISTS[list];
  const pages = allPages(peer, { method, key, member: list }, own);
  if (list !== 'resourceTemplates') return await pages;
  return await pages.catch((error: unknown) => {
    if (asFault(error).kind === 'gone') throw error;
    return { items: [], ttl: 0 };
  });
}
