import { BACKSLASH, DOT, LOW_LINE, QUOTE } from '../shared/ascii.js';
import type { Span } from '../shared/json.js';

/** Alias and name, as one name that clients see and back. */

/** What separates them in a canonical name; the other one is for clients that refuse dots. */
export type Separator = '.' | '__';

const SEPARATORS: readonly Separator[] = ['.', '__'];
const ALIAS = /^[A-Za-z][A-Za-z0-9-]{0,31}$/;

/** Whether a word can be an alias: letters, digits and `-`, so that it holds no separator and is never an option. */
export function isAlias(word: string): boolean {
  return ALIAS.test(word);
}

/** The name that a client sees: `vim.targets`. */
export function shownName(alias: string, name: string, separator: Separator = '.'): string {
  return alias + separator + name;
}

/**
 * The same for a shown name that stands as a JSON string in a message: its alias, and which bytes of it the child does
 * not know. `undefined` where it has no separator, or holds an escape that has to be decoded first.
 */
export function splitSpan(bytes: Buffer, span: Span): { readonly alias: string; readonly cut: Span } | undefined {
  if (bytes[span.start] !== QUOTE) return undefined;
  const start = span.start + 1;
  for (let at = start; at < span.end - 1; at += 1) {
    const byte = bytes[at];
    if (byte === BACKSLASH) return undefined;
    const length = byte === DOT ? 1 : byte === LOW_LINE && bytes[at + 1] === LOW_LINE ? 2 : 0;
    if (length > 0 && at > start) {
      return { alias: bytes.toString('latin1', start, at), cut: { start, end: at + length } };
    }
  }
  return undefined;
}

/** Alias and name of a shown name, whichever separator it has; `undefined` where it has none. */
export function splitName(shown: string): { readonly alias: string; readonly name: string } | undefined {
  const cuts = SEPARATORS.map((separator) => ({ at: shown.indexOf(separator), length: separator.length }));
  const [first] = cuts.filter(({ at }) => at > 0).sort((a, b) => a.at - b.at);
  if (first === undefined) return undefined;
  return { alias: shown.slice(0, first.at), name: shown.slice(first.at + first.length) };
}
