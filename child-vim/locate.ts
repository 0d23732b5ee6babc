import { Fault } from '../shared/fault.js';
import { slice, type Text } from './buffer-text.js';
import { nearest, quoted } from './candidates.js';
import type { Hunk, PatchLine } from './patch.js';
import { Passage } from './search.js';

/** Where a hunk applies. */
export interface Placed {
  /** Without the context that was ignored, its new lines ended as the text around them. */
  readonly hunk: Hunk;
  /** First line of its old text in the buffer. */
  readonly at: number;
  /** Lines off from where the diff said. */
  readonly offset: number;
  /** Lines of context ignored at its ends. */
  readonly fuzz: number;
}

/** How far off the nearest of several places may be, in lines, and how many times as far the others have to be. */
const NEAR = 20;
const FARTHER = 4;

/**
 * Finds the place of each hunk in the one old text, in whatever order they come. That is where it says, moved by what the
 * hunk before was off if need be; else the only place where its old text stands; else the nearest, if that is near and
 * all others are much farther. Up to `most` lines of context at its ends are ignored where it stands nowhere with them,
 * as `patch --fuzz` does. CR at line ends does not count where a hunk is found in no other way.
 * @throws Fault `invalid` telling what the buffer has instead, or the places between which the line does not decide.
 */
export async function locate(hunks: readonly Hunk[], text: Text, most: number): Promise<Placed[]> {
  const placed: Placed[] = [];
  for (const given of hunks) {
    const hunk = text.count === 0 ? ontoNothing(given) : given;
    const drift = placed.at(-1)?.offset ?? 0;
    placed.push(oldText(hunk).length === 0 ? await insertion(hunk, text) : await place(hunk, drift, most, text));
  }
  checkInsertions(placed);
  return placed;
}

/** The empty text is shown as one line, which a hunk may replace or leave as it is. */
function ontoNothing(hunk: Hunk): Hunk {
  const lines = hunk.lines.filter(({ sign, text }) => sign !== '-' || text !== '');
  return { ...hunk, lines: lines.map((line) => (line.text === '' ? { sign: '+', text: '' } : line)) };
}

/** What a hunk expects to find. */
function oldText({ lines }: Hunk): string[] {
  return lines.filter(({ sign }) => sign !== '+').map((line) => line.text);
}

async function place(hunk: Hunk, drift: number, most: number, text: Text): Promise<Placed> {
  for (let fuzz = 0; fuzz <= most; fuzz += 1) {
    const part = fuzz === 0 ? hunk : trimmed(hunk, fuzz);
    if (part === undefined) break;
    for (const isSame of [literally, logically]) {
      const at = await find(part, isSame, drift, text);
      if (at === undefined) continue;
      const found = isSame === literally ? part : adapted(part, slice(text, at, at + oldText(part).length - 1));
      return { hunk: found, at, offset: at - (part.first ?? at), fuzz };
    }
  }
  throw await mismatch(hunk, text);
}

type Same = (a: string, b: string) => boolean;

function literally(a: string, b: string): boolean {
  return a === b;
}

function logically(a: string, b: string): boolean {
  return withoutCr(a) === withoutCr(b);
}

async function find(hunk: Hunk, isSame: Same, drift: number, text: Text): Promise<number | undefined> {
  const old = oldText(hunk);
  const said = hunk.first === undefined ? [] : [...new Set([hunk.first, hunk.first + drift])];
  for (const at of said) await text.load(at, at + old.length - 1);
  const there = said.filter((at) => stands(old, isSame, text, at));
  if (there.length === 1) return there[0];
  if (there.length > 1) throw ambiguous(hunk, there);
  await text.load(1, text.count);
  const places: number[] = [];
  for (let at = 1; at + old.length <= text.count + 1; at += 1) if (stands(old, isSame, text, at)) places.push(at);
  return places.length > 1 ? decided(hunk, drift, places) : places[0];
}

function stands(old: readonly string[], isSame: Same, text: Text, at: number): boolean {
  if (at < 1 || at + old.length > text.count + 1) return false;
  return old.every((line, index) => isSame(line, text.line(at + index)));
}

function decided(hunk: Hunk, drift: number, places: readonly number[]): number {
  const wanted = (hunk.first ?? Number.NEGATIVE_INFINITY) + drift;
  const [one = 0, other = 0] = places.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
  const distance = Math.abs(one - wanted);
  if (distance <= NEAR && Math.abs(other - wanted) >= FARTHER * distance) return one;
  throw ambiguous(hunk, places);
}

/** A hunk without context goes where it says. */
async function insertion(hunk: Hunk, text: Text): Promise<Placed> {
  const at = text.count === 0 ? 1 : hunk.first;
  if (at === undefined || at > text.count + 1) {
    const why = at === undefined ? 'does not say where' : 'begins beyond the end of the buffer';
    throw new Fault('invalid', `${hunk.header}: the hunk has no context and ${why}`, { next: 'Add lines of context.' });
  }
  await text.load(at - 1, at);
  const around = [at - 1, at].filter((line) => line >= 1 && line <= text.count).map((line) => text.line(line));
  return { hunk: adapted(hunk, around), at, offset: 0, fuzz: 0 };
}

/** Where one hunk stands elsewhere than it says, the line of one without context is not to be relied on. */
function checkInsertions(placed: readonly Placed[]): void {
  const off = placed.find(({ offset }) => offset !== 0);
  const bare = placed.find(({ hunk }) => oldText(hunk).length === 0);
  if (off === undefined || bare === undefined) return;
  throw new Fault(
    'invalid',
    `${bare.hunk.header} has no context, and the line numbers are wrong: ${off.hunk.header} stands at line ${off.at}`,
    { next: 'Add lines of context.' },
  );
}

/** A hunk with `fuzz` lines of its longer context ignored, and of the shorter one what is beyond that; as GNU patch. */
function trimmed(hunk: Hunk, fuzz: number): Hunk | undefined {
  const { lines, first } = hunk;
  const before = lines.findIndex(({ sign }) => sign !== ' ');
  const after = lines.length - 1 - lines.findLastIndex(({ sign }) => sign !== ' ');
  const most = Math.max(before, after);
  if (before === -1 || fuzz > most) return undefined;
  const head = Math.max(fuzz + before - most, 0);
  const part = lines.slice(head, lines.length - Math.max(fuzz + after - most, 0));
  if (part.every(({ sign }) => sign === '+')) return undefined;
  return { ...hunk, first: first === undefined ? undefined : first + head, lines: part };
}

/** New lines end in CR where all lines around do, and do not where none does. */
function adapted(hunk: Hunk, around: readonly string[]): Hunk {
  const withCr = around.filter((line) => line.endsWith('\r')).length;
  if (withCr > 0 && withCr < around.length) return hunk;
  const ended = ({ sign, text }: PatchLine): PatchLine => ({ sign, text: withoutCr(text) + (withCr > 0 ? '\r' : '') });
  return { ...hunk, lines: hunk.lines.map((line) => (line.sign === '+' ? ended(line) : line)) };
}

function withoutCr(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function ambiguous({ header }: Hunk, places: readonly number[]): Fault {
  const shown = places.slice(0, 20).join(', ') + (places.length > 20 ? ', …' : '');
  return new Fault('invalid', `${header}: its old text stands at ${places.length} places, lines ${shown}`, {
    next: 'Correct the line number of the hunk, or add context.',
  });
}

async function mismatch(hunk: Hunk, text: Text): Promise<Fault> {
  const old = oldText(hunk);
  await text.load(1, text.count);
  const hint = nearest(old.join('\n'), new Passage(text, 1, text.count), true);
  return new Fault('invalid', `${hunk.header} matches nowhere in the buffer: ${hint ?? atSaid(hunk, old, text)}`, {
    next: 'Read these lines again and make the diff from them.',
  });
}

function atSaid({ first = 1 }: Hunk, old: readonly string[], text: Text): string {
  const index = old.findIndex((line, row) => first + row > text.count || text.line(first + row) !== line);
  const at = first + index;
  if (at > text.count) return `the buffer ends at line ${text.count}`;
  return `line ${at} is ${quoted(text.line(at))} where the diff has ${quoted(old[index] ?? '')}`;
}
