import { asFault } from '../shared/fault.js';
import { decoded } from '../shared/json.js';
import { limits } from '../shared/limits.js';
import { log } from '../shared/log.js';
import type { Peer } from '../shared/peer.js';
import { type Item, itemsIn } from './item.js';
import type { JsonObject } from './protocol.js';

/** Milliseconds for one page of a list, and the most pages taken. */
export const PAGE = 30_000;
const PAGES = 1000;

/** How a list of a server is had. */
export interface Listed {
  readonly method: string;
  /** The member of the result that holds it. */
  readonly member: string;
  /** The member that tells its entries apart. */
  readonly key: string;
}

/** A list, and for how many milliseconds it holds. */
export interface Whole {
  readonly items: readonly Item[];
  readonly ttl: number;
}

/** A list page by page. Where it does not come to an end, or fails in the middle, what has come by then counts. */
export async function allPages(peer: Peer, list: Listed, own: JsonObject): Promise<Whole> {
  const pages: Page[] = [];
  const seen = new Set<string>();
  let size = 0;
  let next: string | undefined;
  do {
    const page: Page = await pageOf(peer, list, own, next).catch((error: unknown) => noMore(peer, list, seen, error));
    pages.push(page);
    size += page.size;
    next = page.next;
    const endless = next === undefined ? undefined : whyEndless(next, seen, size);
    if (endless !== undefined) {
      log.warn(`${peer.name}: ${list.method} ${endless}; what has come by then counts`);
      break;
    }
    if (next !== undefined) seen.add(next);
  } while (next !== undefined);
  return { items: pages.flatMap(({ items }) => items), ttl: Math.min(...pages.map(({ ttl }) => ttl)) };
}

/** One page of a list: its entries, for how long they hold, its bytes, and the cursor of the next one. */
interface Page extends Whole {
  readonly size: number;
  readonly next: string | undefined;
}

/** Any text is a cursor, the empty one too (MCP server/utilities/pagination). */
async function pageOf(
  peer: Peer,
  { method, member, key }: Listed,
  own: JsonObject,
  cursor: string | undefined,
): Promise<Page> {
  const answer = await peer.ask(method, cursor === undefined ? own : { ...own, cursor }, { timeout: PAGE });
  const { bytes } = answer;
  const result = answer.inside('result');
  const array = result?.get(member);
  const next = result?.get('nextCursor');
  const text = next === undefined ? undefined : decoded(bytes, next);
  const hint = result?.get('ttlMs');
  const ttl = hint === undefined ? 0 : decoded(bytes, hint);
  return {
    ttl: typeof ttl === 'number' && ttl > 0 ? ttl : 0,
    items: array === undefined ? [] : itemsIn(bytes, array, key, `${method} of ${peer.name}`),
    size: bytes.length,
    next: typeof text === 'string' ? text : undefined,
  };
}

/** The end of a list whose next page is refused; the first page, and a child that is gone, fail. */
function noMore(peer: Peer, { method }: Listed, seen: ReadonlySet<string>, error: unknown): Page {
  const { kind, message } = asFault(error);
  if (seen.size === 0 || kind === 'gone' || kind === 'timeout') throw error;
  log.warn(`${peer.name}: ${method} fails in the middle: ${message}; what has come by then counts`);
  return { items: [], ttl: 0, size: 0, next: undefined };
}

function whyEndless(cursor: string, seen: ReadonlySet<string>, size: number): string | undefined {
  if (seen.has(cursor)) return `gives the cursor ${JSON.stringify(cursor).slice(0, 60)} again`;
  if (seen.size >= PAGES) return `has more than ${PAGES} pages`;
  return size > limits.message ? `has more than ${limits.message} bytes` : undefined;
}
