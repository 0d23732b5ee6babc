import { asFault, Fault } from '../shared/fault.js';
import type { Text } from './buffer-text.js';
import { change, type Made, type Plan } from './change.js';
import type { Editor } from './editor.js';
import { hunkOperations } from './hunks.js';
import type { Placed } from './locate.js';
import { moved } from './rebase.js';
import type { Stretch } from './remembered.js';
import type { Revision } from './revision.js';
import type { Splice } from './splices.js';
import { pastText, type Since, since } from './stale.js';
import type { Call } from './tool.js';

/** How often it is begun anew when the person goes on typing. */
const ATTEMPTS = 3;

/** A change that is asked for, in terms of the text at one tick. */
interface Asked<T, P extends Plan> {
  readonly editor: Editor;
  readonly call: Pick<Call, 'allow' | 'isFree' | 'by'>;
  /** Whether to make it as well when the text has changed, as long as none of its lines has. */
  readonly rebase: boolean;
  /** The lines that it concerns, and the tick. */
  readonly concerned: Stretch;
  /** What it comes to in that text. */
  resolve(text: Text): Promise<T>;
  /** The same in a later one; undefined where it cannot be the same. */
  move(what: T, revisions: readonly Revision[]): T | undefined;
  /** The changes of lines that it is there. */
  plan(what: T, text: Text): Promise<P>;
}

/**
 * Makes a change in the text at a tick, or, where that has changed since, in the text as it is now. See {@link change}.
 * @throws Fault `stale`, telling by `applies` whether the change could still be made.
 */
export async function changed<T, P extends Plan>(asked: Asked<T, P>): Promise<Made<P>> {
  const { editor, call, concerned, resolve, plan } = asked;
  try {
    return await change(editor, concerned, call, async (text) => plan(await resolve(text), text));
  } catch (error) {
    if (!isStale(error)) throw error;
    return await changedLater(asked, error);
  }
}

async function changedLater<T, P extends Plan>(asked: Asked<T, P>, stale: Fault): Promise<Made<P>> {
  const { editor, call, concerned, rebase, plan } = asked;
  const { buffer, tick } = concerned;
  let fault = stale;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const found = await since(editor, buffer, tick).catch(() => undefined);
    if (found?.known === undefined) throw fault;
    const what = await later(asked, found);
    if (what === undefined || !rebase) throw refused(fault, what !== undefined, rebase);
    try {
      const now = { buffer, tick: found.known.tick, first: 1, last: 1 };
      return await change(editor, now, call, (text) => plan(what, text));
    } catch (error) {
      if (!isStale(error)) throw error;
      fault = error;
    }
  }
  throw fault;
}

/** What is asked for, in the text as it is now. */
async function later<T, P extends Plan>({ resolve, move }: Asked<T, P>, { known }: Since): Promise<T | undefined> {
  try {
    return known === undefined ? undefined : move(await resolve(pastText(known.old)), known.revisions);
  } catch (error) {
    if (asFault(error).kind !== 'invalid') throw error;
    return undefined;
  }
}

function isStale(error: unknown): error is Fault {
  return error instanceof Fault && error.kind === 'stale';
}

function refused({ kind, message, data }: Fault, applies: boolean, rebase: boolean): Fault {
  const next = applies
    ? 'No line it concerns has changed: repeat the call with rebase true, or with the new changedtick.'
    : 'Lines it concerns have changed: read them again and make the edit anew.';
  return new Fault(kind, rebase ? `${message}, and so did lines of this edit` : message, {
    next,
    data: { ...data, applies },
  });
}

/** Splices in a later text. */
export function movedSplices(splices: readonly Splice[], revisions: readonly Revision[]): Splice[] | undefined {
  const found = splices.map((splice) => movedSplice(splice, revisions));
  return found.includes(undefined) ? undefined : (found as Splice[]);
}

function movedSplice(splice: Splice, revisions: readonly Revision[]): Splice | undefined {
  const { start, end, text } = splice;
  // Whole lines: the one after them is only where they end.
  const isWhole = start.index === 0 && end.index === 0 && (text === '' || text.endsWith('\n'));
  const last = isWhole ? end.line - 1 : end.line;
  const to = moved({ first: start.line, last }, revisions);
  if (to === undefined) return undefined;
  const shift = to.first - start.line;
  return { ...splice, start: { ...start, line: start.line + shift }, end: { ...end, line: end.line + shift } };
}

/** Hunks in a later text. */
export function movedHunks(placed: readonly Placed[], revisions: readonly Revision[]): Placed[] | undefined {
  const found: Placed[] = [];
  for (const one of placed) {
    const shifts = hunkOperations([one]).operations.map(([first, last]) => {
      const to = moved({ first, last }, revisions);
      return to === undefined ? undefined : to.first - first;
    });
    const [shift = 0] = shifts;
    if (shifts.some((each) => each === undefined || each !== shift)) return undefined;
    found.push({ ...one, at: one.at + shift });
  }
  return found;
}
