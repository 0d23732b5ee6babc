import { asFault, Fault } from '../shared/fault.js';
import type { Editor } from './editor.js';
import type { Entry } from './journal.js';
import type { Operation } from './operations.js';
import { moved } from './rebase.js';
import { type Author, type Client, type LineChange, PERSON, type Revision } from './revision.js';
import { since } from './stale.js';

/** Revisions that were taken back, by editor. */
const takenBack = new WeakMap<Editor, Set<Entry>>();

/** The person asks by `:McpUndo` for the last edit of a client, or of any, to be taken back; they are told what came of it. */
export function takeBackAsked(editor: Editor, client: string): void {
  void takeBack(editor, client)
    .catch((error: unknown) => asFault(error).message)
    .then((text) => editor.request('notify', { text, level: 'info' }, new AbortController().signal))
    .catch(() => undefined);
}

/**
 * Takes the last edit of a client back, as an edit of the person's; what to tell of it.
 * @throws Fault `stale` where later changes stand in the way, `unknown` where there is nothing to take back.
 */
async function takeBack(editor: Editor, client: string): Promise<string> {
  await editor.feed.sync();
  const done = takenBack.get(editor) ?? new Set();
  takenBack.set(editor, done);
  const entry = editor.feed.journal.since(0).findLast((one) => !done.has(one) && isEditOf(one, client));
  const author = entry?.revision?.by.find(isClient);
  if (entry?.revision === undefined || author === undefined) {
    throw new Fault('unknown', `there is no edit of ${client === '' ? 'an assistant' : client} left to take back`);
  }
  const { buffer, filename } = entry;
  const where = filename === '' ? `buffer ${buffer}` : filename.slice(filename.lastIndexOf('/') + 1);
  const found = await since(editor, buffer, entry.revision.from);
  const [edit, ...later] = found?.known?.revisions ?? [];
  if (found?.known === undefined || edit === undefined) {
    throw new Fault('stale', `what ${author.name} changed in ${where} is not known any more`);
  }
  const ops = inverse(edit.changes).map((operation) => movedOperation(operation, later));
  if (ops.some((operation) => operation === undefined)) {
    const by = [...new Set(later.flatMap((revision) => revision.by.map((one) => (isClient(one) ? one.name : one))))];
    throw new Fault('stale', `the edit of ${author.name} in ${where} stays: changed since by ${by.join(', ')}`);
  }
  const signal = AbortSignal.timeout(30_000);
  await editor.write('edit', { buffer, tick: found.known.tick, ops }, { client: PERSON, signal });
  done.add(entry);
  return `the last edit of ${author.name} in ${where} is taken back`;
}

function isEditOf(entry: Entry, client: string): boolean {
  if (entry.revision === undefined || !entry.isText) return false;
  return entry.revision.by.some((author) => isClient(author) && (client === '' || author.name === client));
}

function isClient(author: Author): author is Client {
  return typeof author !== 'string';
}

/** The operations that undo changes, in the text after them. */
function inverse(changes: readonly LineChange[]): Operation[] {
  let shift = 0;
  return changes.map(({ first, old, now }) => {
    const at = first + shift;
    shift += now.length - old.length;
    return [at, at + now.length - 1, old] as const;
  });
}

function movedOperation([first, last, lines]: Operation, later: readonly Revision[]): Operation | undefined {
  const to = moved({ first, last }, later);
  return to === undefined ? undefined : [to.first, to.last, lines];
}
