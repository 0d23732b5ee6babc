import type { Passage } from './search.js';

/** Characters gone through at most: in more the search would take seconds. */
const MOST = 4 * 1024 * 1024;

type Form = (line: string) => string;

/** What models and editors get wrong, from the least to the most: the text is the same but for this. */
const LENIENT: readonly (readonly [difference: string, form: Form])[] = [
  ['a CR at line ends', (line) => line.replace(/\r$/, '')],
  ['white space at line ends', (line) => line.trimEnd()],
  ['indentation', (line) => line.trim()],
  ['white space', (line) => line.replace(/\s+/g, '')],
  ['upper and lower case', (line) => line.toLowerCase()],
  ['quotes, dashes or the Unicode form of characters', plain],
  ['white space, case, quotes and dashes', (line) => plain(line).replace(/\s+/g, '').toLowerCase()],
];

/**
 * A sentence on the text nearest to one that was not found, of whole lines or not, to repair the search by; it is never
 * what is changed. Undefined when nothing is near.
 */
export function nearest(wanted: string, passage: Passage, isWhole: boolean): string | undefined {
  if (passage.text.length > MOST) return undefined;
  if (wanted.includes('\\n') && passage.text.includes(wanted.replaceAll('\\n', '\n'))) {
    return 'it stands there with newlines in place of backslash and n';
  }
  for (const [difference, form] of LENIENT) {
    const row = findFormed(wanted, passage.lines, form, isWhole);
    if (row === -1) continue;
    return `but for ${difference} it stands at line ${passage.first + row}: ${quoted(passage.lines[row] ?? '')}`;
  }
  return longestHead(wanted.split('\n'), passage, isWhole);
}

/** A line, short, for a message. */
export function quoted(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}

/** The row, from 0, at which the text stands in that form, or -1. */
function findFormed(wanted: string, lines: readonly string[], form: Form, isWhole: boolean): number {
  const needle = wanted.split('\n').map(form).join('\n');
  if (needle.trim() === '') return -1;
  const formed = lines.map(form);
  const text = `${formed.join('\n')}\n`;
  const index = isWhole ? `\n${text}`.indexOf(`\n${needle}\n`) : text.indexOf(needle);
  if (index === -1) return -1;
  let row = 0;
  for (let end = (formed[0]?.length ?? 0) + 1; end <= index; end += (formed[row]?.length ?? 0) + 1) row += 1;
  return row;
}

/** Where most of its first lines stand. */
function longestHead(wanted: readonly string[], { first, lines }: Passage, isWhole: boolean): string | undefined {
  const [head = ''] = wanted;
  if (wanted.length === 1 || head === '') return undefined;
  let best = { row: 0, length: 0 };
  for (const [row, line] of lines.entries()) {
    const isHead = isWhole ? line === head : line.endsWith(head);
    const length = isHead ? 1 + sameRows(wanted.slice(1), lines, row + 1) : 0;
    if (length > best.length) best = { row, length };
  }
  if (best.length === 0) return undefined;
  const row = best.row + best.length;
  const same = best.length === 1 ? 'its first line stands' : `its first ${best.length} lines end`;
  return `${same} at line ${first + row - 1}, but line ${first + row} is ${quoted(lines[row] ?? '')}, not ${quoted(wanted[best.length] ?? '')}`;
}

function sameRows(wanted: readonly string[], lines: readonly string[], from: number): number {
  const differs = wanted.findIndex((line, index) => lines[from + index] !== line);
  return differs === -1 ? wanted.length : differs;
}

function plain(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u201a\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-');
}
