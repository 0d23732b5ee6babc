import pidusage from 'pidusage';
import type { Call } from '../shared/call.js';
import { asFault, Fault } from '../shared/fault.js';
import type { Link } from '../shared/link.js';
import { Peer } from '../shared/peer.js';
import type { Child } from './child.js';
import { HUB_INFO, type JsonObject, OWN_ALIAS, objectOf, REVISIONS } from './protocol.js';

/** The children, also by alias. */
type Known = Iterable<Child> & { get(alias: string): Child | undefined };

const SERVER = { type: 'string', description: 'The part of tool names before the separator' } as const;

const TOOLS = [
  {
    name: 'servers',
    title: 'Servers behind this hub',
    description: 'Tell of each server whether it runs, its version, load, calls, and why it failed last.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'restart',
    title: 'Restart a server',
    description: 'Stop a server and start it again. Its open calls fail.',
    inputSchema: { type: 'object', properties: { server: SERVER }, required: ['server'], additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
] as const;

/** Serves the hub's own tools on a link, as one more child of it. */
export function serveStatus(link: Link, children: Known): void {
  const peer = new Peer(link, {
    request: (call) => void answer(call, children),
    notification: () => undefined,
    unreadable: (fault) => peer.refuse(fault),
    end: () => undefined,
  });
  peer.start();
}

async function answer(call: Call, children: Known): Promise<void> {
  const { method, params } = call.frame;
  try {
    if (method === 'initialize') call.result(greeting());
    else if (method === 'tools/list') call.result({ tools: TOOLS });
    else if (method === 'tools/call') call.result(await outcome(params, children));
    else throw new Fault('unsupported', `the method ${method} is not offered here`);
  } catch (error) {
    call.fail(asFault(error));
  }
}

function greeting(): JsonObject {
  return { protocolVersion: REVISIONS[0], capabilities: { tools: {} }, serverInfo: HUB_INFO };
}

async function outcome({ name, arguments: given }: JsonObject, children: Known): Promise<JsonObject> {
  try {
    if (name === 'servers') return structured({ servers: await servers(children) });
    if (name === 'restart') return structured(await restart(objectOf(given)['server'], children));
  } catch (error) {
    return { content: [{ type: 'text', text: asFault(error).text }], isError: true };
  }
  throw new Fault('unknown', `there is no tool ${JSON.stringify(name)} of the hub itself`);
}

function structured(value: JsonObject): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

async function servers(children: Known): Promise<JsonObject[]> {
  const shown = [...children].filter(({ alias }) => alias !== OWN_ALIAS);
  const pids = shown.flatMap((child) => child.status().pid ?? []);
  // Processes may end meanwhile.
  const usage: Record<string, pidusage.Status> = pids.length === 0 ? {} : await pidusage(pids).catch(() => ({}));
  return shown.map((child) => {
    const { pid, state, error } = child.status();
    const used = pid === undefined ? undefined : usage[String(pid)];
    return {
      server: child.alias,
      state,
      ...serverFacts(child),
      ...(pid === undefined ? {} : { pid }),
      ...(used === undefined ? {} : { cpu_percent: round(used.cpu), memory_mb: round(used.memory / 1024 / 1024) }),
      calls: child.peer?.requests ?? 0,
      open_calls: child.peer?.forwarded().length ?? 0,
      ...(error === undefined ? {} : { error }),
    };
  });
}

function serverFacts({ catalogue }: Child): JsonObject {
  if (catalogue === undefined) return {};
  const { name, version } = catalogue.server;
  return { name, version, protocol: catalogue.protocol, tools: catalogue.lists.tools.length };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** @throws Fault `unknown` or `unsupported` for what cannot be restarted. */
async function restart(server: unknown, children: Known): Promise<JsonObject> {
  const child = typeof server === 'string' ? children.get(server) : undefined;
  if (child === undefined || child.alias === OWN_ALIAS) {
    const all = [...children].map(({ alias }) => alias).filter((alias) => alias !== OWN_ALIAS);
    throw new Fault('unknown', `there is no server ${JSON.stringify(server)}`, {
      next: `There are: ${all.join(', ')}.`,
    });
  }
  await child.restart();
  return { server: child.alias, state: child.status().state };
}
