import { Fault } from '../shared/fault.js';

/** One line of a hunk without its sign. */
interface PatchLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** One hunk of a unified diff. */
export interface Hunk {
  /** Its header, for messages. */
  readonly header: string;
  /** The line it begins at in the old text, from 1; for a mere insertion the line it comes before. */
  readonly first: number;
  readonly lines: readonly PatchLine[];
}

/** What may stand before the first hunk. */
const FILE_HEADER = /^(diff |index |Index: |=+$|--- |\+\+\+ |$)/;
const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Reads a unified diff of one file. Only what is complete and unambiguous is taken: counts have to be right, and the
 * lines are whole lines.
 * @throws Fault `invalid` naming the line of the diff.
 */
export function parsePatch(diff: string): Hunk[] {
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const hunks: Hunk[] = [];
  let at = lines.findIndex((line) => !FILE_HEADER.test(line));
  if (!lines.some((line) => HEADER.test(line)))
    throw new Fault('invalid', 'the diff has no hunk', { next: 'Send a unified diff with @@ -a,b +c,d @@ headers.' });
  while (at < lines.length) {
    const { hunk, end } = parseHunk(lines, at);
    hunks.push(hunk);
    at = end;
  }
  if (hunks.every(({ lines: body }) => body.every(({ sign }) => sign === ' '))) {
    throw new Fault('invalid', 'the diff changes nothing');
  }
  return hunks;
}

function parseHunk(lines: readonly string[], at: number): { hunk: Hunk; end: number } {
  const header = lines[at] ?? '';
  const [, first, old = '1', , now = '1'] = HEADER.exec(header) ?? [];
  if (first === undefined) throw misplaced(header, at);
  const counts = { old: Number(old), now: Number(now) };
  const body: PatchLine[] = [];
  let end = at + 1;
  for (; counts.old > 0 || counts.now > 0; end += 1) {
    const line = parseLine(lines[end], header);
    if (line.sign !== '+') counts.old -= 1;
    if (line.sign !== '-') counts.now -= 1;
    if (counts.old < 0 || counts.now < 0) throw wrongCount(header, `line ${end + 1} of the diff is one too many`);
    body.push(line);
  }
  if (lines[end]?.startsWith('\\') === true) throw noNewline();
  return { hunk: { header, first: Number(first) + (Number(old) === 0 ? 1 : 0), lines: body }, end };
}

function parseLine(line: string | undefined, header: string): PatchLine {
  if (line === undefined) throw wrongCount(header, 'the diff ends too early');
  // Some tools strip the blank of an empty context line.
  if (line === '') return { sign: ' ', text: '' };
  const sign = line[0];
  if (sign === ' ' || sign === '-' || sign === '+') return { sign, text: line.slice(1) };
  if (sign === '\\') throw noNewline();
  throw wrongCount(header, `${JSON.stringify(line.slice(0, 40))} belongs to no hunk`);
}

function misplaced(line: string, at: number): Fault {
  const isNextFile = /^(diff |--- |\+\+\+ |Index: )/.test(line);
  const what = isNextFile
    ? 'a second file begins'
    : `expected a hunk header, found ${JSON.stringify(line.slice(0, 40))}`;
  return new Fault('invalid', `line ${at + 1} of the diff: ${what}`, {
    next: 'Send one file in one call, with exact line counts.',
  });
}

function wrongCount(header: string, what: string): Fault {
  return new Fault('invalid', `${header}: the line counts are wrong: ${what}`, {
    next: 'Correct the counts of the hunk header.',
  });
}

function noNewline(): Fault {
  return new Fault(
    'invalid',
    'the diff speaks of a missing newline at the end, but lines of a buffer are always complete',
    {
      next: 'Leave the "\\ No newline at end of file" marker out.',
    },
  );
}
