import { Fault } from '../shared/fault.js';
import { REVISIONS } from './protocol.js';

/** Facts of the Model Context Protocol from revision 2026-07-28 on: no sessions, each request says who makes it. */

/** The revision. */
export const MODERN = '2026-07-28';

/** The two behaviours of the protocol: with `initialize` and sessions, or without. */
export type Era = 'legacy' | 'modern';

/** Members of `_meta` (basic/index, `_meta`). */
export const META = {
  revision: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The extension by which a call may become a task (ext-tasks, 2026-07-28). */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** Error codes that only this revision has. */
const HEADER_MISMATCH = -32020;
const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_REVISION = -32022;

/** Error codes that it has no longer: for a resource that is not there, and for a page that the person has to visit first. */
export const NO_RESOURCE = -32002;
export const URL_NEEDED = -32042;

/** For a request of a revision that is not spoken here. */
export function revisionFault(requested: unknown): Fault {
  const supported = [MODERN, ...REVISIONS];
  return new Fault('unsupported', `protocol ${String(requested)} is not spoken here; ${supported.join(', ')} are`, {
    code: UNSUPPORTED_REVISION,
    data: { supported, requested },
  });
}

/** For a request about tasks of a client that does not say that it knows them. */
export function tasksFault(): Fault {
  return new Fault('unsupported', `this needs the extension ${TASKS} among the capabilities of the client`, {
    code: MISSING_CAPABILITY,
    data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
  });
}

/** For an HTTP request whose headers do not say what its body says. */
export function headerFault(header: string, why: string): Fault {
  return new Fault('protocol', `the header ${header} ${why}`, {
    code: HEADER_MISMATCH,
    data: { mismatch: { header } },
    next: 'The headers have to repeat what the body says.',
  });
}

/** The methods whose header `Mcp-Name` repeats a member of `params`, and that member. */
export const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** `resultType` of a result that asks the client something, and of one that is all there is to say. */
export const INPUT_REQUIRED = 'input_required';
export const COMPLETE = 'complete';

/** The member of the filter by which a client asks to be told of changes of a list. */
export const FILTERS: Readonly<Record<'tools' | 'prompts' | 'resources', string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
};

/**
 * What every result of the hub's own says to a client of 2026-07-28: that it may change at any time, if nothing else is
 * known, and that it is for this client alone, because names are shown as the client needs them.
 */
export const UNCACHED = { resultType: COMPLETE, ttlMs: 0, cacheScope: 'private' } as const;
