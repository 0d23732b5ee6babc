import { Fault } from '../shared/fault.js';
import { checkHead, checkKind, opensFile, strange } from './patch-head.js';

/** One line of a hunk without its sign. */
export interface PatchLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** One hunk of a unified diff. */
export interface Hunk {
  /** Its header, for messages. */
  readonly header: string;
  /**
   * The line it begins at in the old text, from 1; for a mere insertion the line it comes before. Undefined where the
   * header does not tell.
   */
  readonly first: number | undefined;
  readonly lines: readonly PatchLine[];
}

/** A unified diff of one file. */
export interface Patch {
  readonly hunks: readonly Hunk[];
  /** It is for a file that is not there yet. */
  readonly creates: boolean;
}

const HEADER = /^@@/;
const NUMBERS = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Reads a unified diff of one file. Wrong counts are put up with: such a hunk goes to the next header, and blank lines at
 * its end are not of it. Lines are whole lines.
 * @throws Fault `invalid` or `unsupported` naming the line of the diff, or the kind of diff it is instead.
 */
export function parsePatch(diff: string): Patch {
  const lines = linesOf(diff);
  const start = lines.findIndex((line) => HEADER.test(line));
  const head = start === -1 ? lines : lines.slice(0, start);
  checkKind(start === -1 ? lines : lines.slice(0, start + 1));
  checkHead(head);
  if (start === -1) {
    throw new Fault('invalid', diff.trim() === '' ? 'the diff is empty' : 'the diff has no hunk', {
      next: 'Send a unified diff with @@ -a,b +c,d @@ headers.',
    });
  }
  const hunks = parseHunks(lines, start);
  if (hunks.every(({ lines: body }) => body.every(({ sign }) => sign === ' '))) {
    throw new Fault('invalid', 'the diff changes nothing');
  }
  return { hunks, creates: head.some((line) => /^--- \/dev\/null\b/.test(line)) };
}

/** A diff whose own lines end in CRLF has those ends taken off; elsewhere a CR is of the text. */
function linesOf(diff: string): string[] {
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const headers = lines.filter((line) => HEADER.test(line));
  const isCrlf = headers.length > 0 && headers.every((line) => line.endsWith('\r'));
  return isCrlf ? lines.map((line) => line.replace(/\r$/, '')) : lines;
}

function parseHunks(lines: readonly string[], start: number): Hunk[] {
  const hunks: Hunk[] = [];
  for (let at = start; at < lines.length; ) {
    const line = lines[at] ?? '';
    if (HEADER.test(line)) {
      const { hunk, end } = parseHunk(lines, at);
      hunks.push(hunk);
      at = end;
    } else if (line === '') at += 1;
    else throw misplaced(lines, at);
  }
  return hunks;
}

function parseHunk(lines: readonly string[], at: number): { hunk: Hunk; end: number } {
  const header = lines[at] ?? '';
  const [, first, old = '1', , now = '1'] = NUMBERS.exec(header) ?? [];
  const counted = first === undefined ? undefined : countedEnd(lines, at + 1, Number(old), Number(now));
  const end = counted ?? bodyEnd(lines, at + 1);
  const body = parseBody(lines.slice(at + 1, end));
  if (body.length === 0) throw new Fault('invalid', `line ${at + 1} of the diff: the hunk ${header} is empty`);
  const isInsertion = body.every(({ sign }) => sign === '+');
  // Without an old line the number alone says where, so it must be plain what it means.
  const isPlain = first !== undefined && (!isInsertion || Number(old) === 0);
  const line = isPlain ? Number(first) + (isInsertion ? 1 : 0) : undefined;
  return { hunk: { header, first: line, lines: body }, end };
}

/** Where a hunk ends by its counts, if they are right. */
function countedEnd(lines: readonly string[], start: number, old: number, now: number): number | undefined {
  const left = { old, now };
  let end = start;
  for (; left.old > 0 || left.now > 0; end += 1) {
    const sign = signOf(lines[end]);
    if (sign === undefined) return undefined;
    if (sign === ' ' || sign === '-') left.old -= 1;
    if (sign === ' ' || sign === '+') left.now -= 1;
  }
  while (signOf(lines[end]) === '\\') end += 1;
  return left.old === 0 && left.now === 0 && isEnd(lines, end) ? end : undefined;
}

/** Whether nothing that could be of a hunk comes next. */
function isEnd(lines: readonly string[], at: number): boolean {
  let next = at;
  while (lines[next] === '') next += 1;
  const line = lines[next];
  return line === undefined || HEADER.test(line) || opensFile(lines, next);
}

/** Where a hunk with wrong counts ends: at the next header, without blank lines before it. */
function bodyEnd(lines: readonly string[], start: number): number {
  let end = start;
  while (signOf(lines[end]) !== undefined && !opensFile(lines, end)) end += 1;
  while (end > start && lines[end - 1] === '') end -= 1;
  return end;
}

function parseBody(lines: readonly string[]): PatchLine[] {
  const body: PatchLine[] = [];
  for (const line of lines) {
    const sign = signOf(line);
    if (sign === '\\') checkNewline(body.at(-1));
    else if (sign !== undefined) body.push({ sign, text: line.slice(1) });
  }
  return body;
}

/** Some tools strip the blank of an empty context line. */
function signOf(line: string | undefined): PatchLine['sign'] | '\\' | undefined {
  const sign = line === '' ? ' ' : line?.[0];
  return sign === ' ' || sign === '-' || sign === '+' || sign === '\\' ? sign : undefined;
}

/** The old text may have been without a newline at its end, the new one may not. */
function checkNewline(before: PatchLine | undefined): void {
  if (before?.sign === '-') return;
  throw new Fault(
    'invalid',
    'the diff speaks of a missing newline at the end, but lines of a buffer are always complete',
    { next: 'Leave the "\\ No newline at end of file" marker out.' },
  );
}

function misplaced(lines: readonly string[], at: number): Fault {
  if (opensFile(lines, at)) {
    return new Fault('invalid', `line ${at + 1} of the diff: a second file begins`, {
      next: 'Send one file in one call.',
    });
  }
  return strange(lines, at);
}

/** The lines that hunks say they are about, from the first to the last; none where one does not say. */
export function spanOf(hunks: readonly Hunk[]): { first: number; last: number } {
  const spans = hunks.map(({ first = Number.NaN, lines }) => [first, first + lines.length] as const);
  return { first: Math.min(...spans.map(([first]) => first)), last: Math.max(...spans.map(([, last]) => last)) };
}
