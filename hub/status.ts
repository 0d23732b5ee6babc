import pidusage from 'pidusage';
import { visibleLine } from '../shared/escape.js';
import { log } from '../shared/log.js';
import type { Child } from './child.js';
import { type OwnTool, SERVER, serverNamed, servers as serversOf, structured } from './own-tool.js';
import type { JsonObject } from './protocol.js';

/** How many lines of standard error are shown of each server, and of one that is asked for alone. */
const [FEW, ALL] = [3, 40];

/** `hub.servers` */
export const servers: OwnTool = {
  definition: {
    name: 'servers',
    title: 'Servers behind this hub',
    description:
      'Tell of each server whether it runs, its version, load, calls, why it failed last, and what it said last on standard error; more of that where one is named.',
    inputSchema: { type: 'object', properties: { server: SERVER }, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: async ({ server }, children) => {
    const asked = server === undefined ? serversOf(children) : [serverNamed(children, server)];
    // One that runs once for each client has a line for each of them, or one by itself.
    const shown = asked.flatMap((child) => (child.instances().length > 0 ? child.instances() : [child]));
    const usage = await usageOf(shown);
    return structured({ servers: shown.map((child) => facts(child, usage, server === undefined ? FEW : ALL)) });
  },
};

type Usage = Readonly<Record<string, pidusage.Status>>;

async function usageOf(children: readonly Child[]): Promise<Usage> {
  const pids = children.flatMap((child) => child.status().pid ?? []);
  // Processes may end meanwhile.
  return pids.length === 0 ? {} : await pidusage(pids).catch(() => ({}));
}

/** What is not known, and what is as it should be, is left out. */
function facts(child: Child, usage: Usage, remarks: number): JsonObject {
  const { pid, state, error, failures = 0, wait = 0, junk = 0 } = child.status();
  const used = pid === undefined ? undefined : usage[String(pid)];
  const said = child.remarks?.latest(remarks) ?? [];
  return present({
    server: child.alias,
    client: shown(child.owner?.name),
    state,
    ...serverFacts(child),
    pid,
    cpu_percent: used && round(used.cpu),
    memory_mb: used && round(used.memory / 1024 / 1024),
    calls: child.peer?.requests ?? 0,
    open_calls: child.peer?.forwarded().length ?? 0,
    last_error: shown(error),
    failures_in_a_row: state === 'running' || failures === 0 ? undefined : failures,
    next_start_s: wait > 0 ? Math.ceil(wait / 1000) : undefined,
    unreadable_messages: junk > 0 ? junk : undefined,
    stderr: said.length > 0 ? said : undefined,
  });
}

function serverFacts({ catalogue }: Child): JsonObject {
  if (catalogue === undefined) return {};
  const { name, version } = catalogue.server;
  return {
    name: shown(name),
    version: shown(version),
    protocol: catalogue.protocol,
    tools: catalogue.lists.tools.length,
  };
}

/** What others said, without secrets, and so that it cannot look like something else. */
function shown(text: unknown): string | undefined {
  return typeof text === 'string' ? visibleLine(log.redacted(text)) : undefined;
}

function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
