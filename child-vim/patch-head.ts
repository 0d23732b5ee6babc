import { Fault } from '../shared/fault.js';

/** Lines that tell another kind of diff, where no hunk of a unified one came before. */
const OTHER_KINDS: readonly (readonly [line: RegExp, kind: string])[] = [
  [/^\*{15}|^\*\*\* \d+(,\d+)? \*{4}/, 'a context diff'],
  [/^\d+(,\d+)?[acd]\d+(,\d+)?\s*$/, 'a normal diff'],
  [/^\d+(,\d+)?[acd]\s*$|^[ad]\d+ \d+\s*$/, 'an ed script'],
  [/^\*\*\* (Begin Patch|Update File|Add File|Delete File)/, 'an apply_patch envelope'],
  [/^<{5,9}( |$)/, 'a search and replace block'],
  [/^@@@/, 'a combined diff of a merge'],
];

/** Headers of git that ask for more than a change of text. */
const BEYOND_TEXT: readonly (readonly [line: RegExp, does: string])[] = [
  [/^(rename|copy) (from|to) |^similarity index /, 'renames or copies a file'],
  [/^(old|new) mode \d/, 'changes the mode of a file'],
  [/^GIT binary patch|^Binary files .* differ/, 'is of a binary file'],
  [/^deleted file mode |^\+\+\+ \/dev\/null\b/, 'deletes a file'],
];

/**
 * Tells other kinds of diffs by their name, from the lines up to the first hunk.
 * @throws Fault `unsupported`
 */
export function checkKind(lines: readonly string[]): void {
  const kind = OTHER_KINDS.find(([line]) => lines.some((other) => line.test(other)))?.[1];
  if (kind === undefined) return;
  throw new Fault('unsupported', `this is ${kind}; only unified diffs are taken`, {
    next: 'Send a unified diff with @@ -a,b +c,d @@ headers.',
  });
}

/** What may stand before the first hunk and says nothing that matters here. */
const HEADER = /^(diff |index |Index: |=+$|--- |\+\+\+ |new file mode |$)/;

/**
 * Looks at what stands before the first hunk. Anything unknown there could be a hunk gone wrong.
 * @throws Fault `unsupported` or `invalid`
 */
export function checkHead(head: readonly string[]): void {
  const does = BEYOND_TEXT.find(([line]) => head.some((other) => line.test(other)))?.[1];
  if (does !== undefined) {
    throw new Fault('unsupported', `the diff ${does}; here only the text of a buffer changes`, {
      next: 'Send the hunks without these headers, if there are any.',
    });
  }
  const files = Math.max(
    ...[/^diff --git /, /^\+\+\+ /].map((line) => head.filter((other) => line.test(other)).length),
  );
  if (files > 1) throw new Fault('invalid', `the diff is of ${files} files`, { next: 'Send one file in one call.' });
  const other = head.findIndex((line) => !HEADER.test(line));
  if (other !== -1) throw strange(head, other);
}

/** @returns Fault for a line that belongs nowhere. */
export function strange(lines: readonly string[], at: number): Fault {
  const shown = JSON.stringify((lines[at] ?? '').slice(0, 40));
  return new Fault('invalid', `line ${at + 1} of the diff: ${shown} belongs to no hunk`, {
    next: 'Begin hunks with a @@ -a,b +c,d @@ header and their lines with a blank, - or +.',
  });
}

/** Whether the part of another file begins at a line. */
export function opensFile(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (/^(diff|Index:|Binary files) /.test(line)) return true;
  return (
    line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') === true && lines[at + 2]?.startsWith('@@') !== false
  );
}
