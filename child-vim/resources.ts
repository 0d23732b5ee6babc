import {
  type McpRequestContext,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { asFault, Fault } from '../shared/fault.js';
import type { Editor } from './editor.js';
import type { Editors } from './editors.js';
import { InputNeeded } from './elicit.js';
import type { Permission } from './permission.js';
import { bufferName, editorQuestion, fileOfBuffer, listQuestion } from './question.js';

/** Milliseconds in which changes of one text are told of once. */
const COALESCED = 250;
/** Buffers listed of one editor. */
const MOST = 200;

/** Where the resources of a server come from, and who may read them. */
interface Offer {
  readonly editors: Editors;
  permission(context: ServerContext): Permission;
}

/**
 * Offers each buffer as a resource `vim://TARGET/BUFFER`: its text, unsaved changes included. One that a client subscribes
 * to is followed, and the client is told when the text has changed.
 */
export function offerResources(server: McpServer, offer: Offer, context: McpRequestContext | undefined): void {
  const { editors } = offer;
  const { server: low } = server;
  const subscribed = new Map<string, () => void>();
  const ended = new AbortController();
  low.registerCapabilities({ resources: { subscribe: true } });
  low.setRequestHandler('resources/list', (_, context) => plainly(() => list(offer, context)));
  low.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: 'vim://{target}/{buffer}',
        name: 'buffer',
        title: 'Text of a buffer',
        description: 'The text as it is in the editor now, unsaved changes included',
        mimeType: 'text/plain',
      },
    ],
  }));
  low.setRequestHandler('resources/read', ({ params }, context) => plainly(() => read(params.uri, offer, context)));
  low.setRequestHandler('resources/subscribe', ({ params: { uri } }, context) =>
    plainly(async () => {
      const { editor, buffer } = found(uri, editors);
      const { signal } = context.mcpReq;
      await allow(offer, editor, `watch buffer ${buffer}`, { buffer }, context);
      const release = await editor.feed.hold(buffer, signal);
      subscribed.get(uri)?.();
      subscribed.set(uri, release);
      return {};
    }),
  );
  low.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.get(uri)?.();
    subscribed.delete(uri);
    return {};
  });
  const tell = (uri: string): void => {
    if (isModern || subscribed.has(uri)) void low.sendResourceUpdated({ uri }).catch(() => undefined);
  };
  // On a link the SDK knows who wants to hear of what; over HTTP a server lives for one request, see http.ts.
  const isModern = context?.era === 'modern';
  if (!isModern) low.oninitialized = () => onUpdates(editors, tell, ended.signal);
  else if (context?.requestInfo === undefined) onUpdates(editors, tell, ended.signal);
  const close = low.onclose;
  low.onclose = () => {
    close?.();
    ended.abort();
    for (const release of subscribed.values()) release();
  };
}

/** Tells of each text that changed, by its URI, at most once in a while. */
export function onUpdates(editors: Editors, tell: (uri: string) => void, signal: AbortSignal): void {
  const waiting = new Map<string, NodeJS.Timeout>();
  editors.onEntry((editor, { buffer, revision, event }) => {
    if (revision === undefined && event !== 'wiped') return;
    const uri = uriOf(editor, buffer);
    if (waiting.has(uri)) return;
    const timer = setTimeout(() => {
      waiting.delete(uri);
      tell(uri);
    }, COALESCED).unref();
    waiting.set(uri, timer);
  }, signal);
  signal.addEventListener('abort', () => waiting.forEach(clearTimeout), { once: true });
}

async function list(offer: Offer, context: ServerContext) {
  await offer.permission(context).decide(listQuestion, context.mcpReq.signal);
  const lists = offer.editors.all.map(async (editor) => {
    await allow(offer, editor, 'list its buffers', {}, context);
    const params = { unlisted: false, offset: 0, limit: MOST, recent: 0 };
    const { buffers } = await editor.request('state', params, context.mcpReq.signal);
    return buffers.map((one) => ({
      uri: uriOf(editor, one.buffer),
      name: one.filename === '' ? `buffer ${one.buffer}` : one.filename.slice(one.filename.lastIndexOf('/') + 1),
      description: `${bufferName(one)} in the editor ${editor.name}`,
      mimeType: 'text/plain',
    }));
  });
  // One that does not answer, or that may not be read, is left out.
  const settled = await Promise.allSettled(lists);
  return { resources: settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])) };
}

/** Returns when a buffer, or what there is in an editor, may be read. */
async function allow(
  { permission }: Offer,
  editor: Editor,
  what: string,
  exact: { readonly buffer?: number },
  context: ServerContext,
): Promise<void> {
  const { signal } = context.mcpReq;
  const files = exact.buffer === undefined ? undefined : fileOfBuffer(editor, exact.buffer, signal);
  await permission(context).decide(editorQuestion('read', editor, what, exact, undefined, files), signal);
}

async function read(uri: string, offer: Offer, context: ServerContext) {
  const { editor, buffer } = found(uri, offer.editors);
  const { signal } = context.mcpReq;
  await allow(offer, editor, `read buffer ${buffer}`, { buffer }, context);
  const followed = await editor.feed.follow(buffer, signal);
  await editor.feed.sync();
  await followed.ready();
  const { mirror } = followed;
  if (mirror === undefined) {
    throw new Fault('unsupported', `the text of buffer ${buffer} is too long to be read at once`, {
      next: 'Use the tool read-lines.',
    });
  }
  const { lines, tick } = mirror;
  const isEmpty = lines.length === 1 && lines[0] === '';
  const text = isEmpty ? '' : `${lines.join('\n')}\n`;
  return { contents: [{ uri, mimeType: 'text/plain', text, _meta: { changedtick: tick } }] };
}

function uriOf(editor: Editor, buffer: number): string {
  return `vim://${encodeURIComponent(editor.name)}/${buffer}`;
}

function found(uri: string, editors: Editors): { editor: Editor; buffer: number } {
  const place = resourceAt(uri, editors);
  if (place === undefined) throw new ResourceNotFoundError(uri);
  return place;
}

/** The editor and the number of the buffer that a URI names, which may not be there. */
export function resourceAt(uri: string, editors: Editors): { editor: Editor; buffer: number } | undefined {
  const [, target = '', number = ''] = /^vim:\/\/([^/]+)\/(\d{1,9})$/.exec(uri) ?? [];
  const editor = editors.connected(decoded(target));
  return editor === undefined || Number(number) < 1 ? undefined : { editor, buffer: Number(number) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Clients expect no question here. */
function unasked(): Fault {
  return new Fault('denied', "this needs the person's permission, and is not asked for a resource", {
    next: 'Use the tool read-lines or watch: it asks.',
  });
}

/** Errors as those of the protocol. */
async function plainly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const fault = error instanceof InputNeeded ? unasked() : asFault(error);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, fault.text, { error: fault.kind, ...fault.data });
  }
}
