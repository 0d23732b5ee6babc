import { test } from 'node:test';
import { Hub } from '../../hub/hub.js';
import { End, type Message, type Pattern } from './end.js';
import { LINK_KINDS, type LinkKind } from './links.js';

/** The parts of a route: an MCP client, the hub, and a child that dialled in as `vim`. */
interface Route {
  readonly client: End;
  readonly child: End;
  /** Ids by the names that the script gave to requests: what the child saw, and what the client saw. */
  readonly childIds: Map<string, unknown>;
  readonly clientIds: Map<string, unknown>;
}

/** One line of a script. */
export type Step = (route: Route) => Promise<void> | void;

/** Runs a script over every kind of link, on both sides of the hub. */
export function route(title: string, script: readonly Step[], can: Message = { elicitation: {}, sampling: {} }): void {
  for (const [name, kind] of LINK_KINDS) {
    test(`${title} (${name})`, async () => {
      const parts = await connected(kind, can);
      for (const step of script) await step(parts);
      parts.client.close();
      parts.child.close();
    });
  }
}

async function connected(kind: LinkKind, can: Message): Promise<Route> {
  const [front, back] = await Promise.all([kind(), kind()]);
  const hub = new Hub([]);
  void hub.serve(front[1]);
  hub.children.dialledIn('vim', back[1]);
  const route = {
    client: new End('client', front[0]),
    child: new End('child', back[0]),
    childIds: new Map<string, unknown>(),
    clientIds: new Map<string, unknown>(),
  };
  await greetings(route, can);
  return route;
}

async function greetings({ client, child }: Route, capabilities: Message): Promise<void> {
  client.send({ id: 'hello', method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities } });
  await client.next({ id: 'hello', result: { protocolVersion: '2025-11-25' } });
  client.send({ method: 'notifications/initialized' });
  const { id } = await child.next({ method: 'initialize', params: { capabilities } });
  child.send({
    id,
    result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'child' } },
  });
  await child.next({ method: 'notifications/initialized' });
  const list = await child.next({ method: 'tools/list' });
  child.send({ id: list['id'], result: { tools: [{ name: 'slow', inputSchema: { type: 'object' } }] } });
  await client.next({ method: 'notifications/tools/list_changed' });
}

/** What the client does and sees. */
export const client = {
  calls:
    (
      name: string,
      { as, id = as, token, args = {} }: { as: string; id?: unknown; token?: unknown; args?: Message },
    ): Step =>
    (parts) => {
      parts.clientIds.set(as, id);
      const meta = token === undefined ? {} : { _meta: { progressToken: token } };
      parts.client.send({ id, method: 'tools/call', params: { name, arguments: args, ...meta } });
    },
  cancels:
    (as: string, reason: string): Step =>
    ({ client: end, clientIds }) =>
      end.send({ method: 'notifications/cancelled', params: { requestId: clientIds.get(as), reason } }),
  gets:
    (as: string, pattern: Pattern): Step =>
    async ({ client: end, clientIds }) => {
      await end.next({ id: clientIds.get(as), ...pattern });
    },
  getsNotification:
    (method: string, params?: Pattern): Step =>
    async ({ client: end }) => {
      await end.next(params === undefined ? { method } : { method, params });
    },
  isAsked:
    (method: string, params: Pattern, { as }: { as: string }): Step =>
    async ({ client: end, clientIds }) => {
      clientIds.set(as, (await end.next({ method, params }))['id']);
    },
  answers:
    (as: string, result: Message): Step =>
    ({ client: end, clientIds }) =>
      end.send({ id: clientIds.get(as), result }),
  sendsText:
    (text: string): Step =>
    ({ client: end }) =>
      end.sendText(text),
  getsAnswer:
    (id: unknown, pattern: Pattern): Step =>
    async ({ client: end }) => {
      await end.next({ id, ...pattern });
    },
  /** Nothing has come, after all that the child sent so far has been dealt with. */
  getsNothing: (): Step => async (parts) => {
    await parts.child.fence();
    await parts.client.fence();
  },
  leaves: (): Step => (parts) => parts.client.close(),
};

/** What the child does and sees. */
export const child = {
  gets:
    (method: string, params: Pattern, { as }: { as?: string } = {}): Step =>
    async ({ child: end, childIds }) => {
      const message = await end.next({ method, params });
      if (as !== undefined) childIds.set(as, message['id']);
    },
  /** It is told that a request which it got before is cancelled. */
  isCancelled:
    (as: string, reason: unknown): Step =>
    async ({ child: end, childIds }) => {
      await end.next({ method: 'notifications/cancelled', params: { requestId: childIds.get(as), reason } });
    },
  answers:
    (as: string, result: unknown): Step =>
    ({ child: end, childIds }) =>
      end.send({ id: childIds.get(as), result }),
  fails:
    (as: string, error: Message): Step =>
    ({ child: end, childIds }) =>
      end.send({ id: childIds.get(as), error }),
  progresses:
    (as: string, params: Message): Step =>
    ({ child: end, childIds }) =>
      end.send({ method: 'notifications/progress', params: { progressToken: childIds.get(as), ...params } }),
  asks:
    (method: string, params: Message, { id }: { id: unknown }): Step =>
    ({ child: end }) =>
      end.send({ id, method, params }),
  sendsText:
    (text: string): Step =>
    ({ child: end }) =>
      end.sendText(text),
  getsAnswer:
    (id: unknown, pattern: Pattern): Step =>
    async ({ child: end }) => {
      await end.next({ id, ...pattern });
    },
  cancelsQuestion:
    (id: unknown): Step =>
    ({ child: end }) =>
      end.send({ method: 'notifications/cancelled', params: { requestId: id } }),
  getsNothing: (): Step => async (parts) => {
    await parts.client.fence();
    await parts.child.fence();
  },
  goes: (): Step => (parts) => parts.child.close(),
};
