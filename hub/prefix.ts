import { createHash } from 'node:crypto';
import { BACKSLASH, DOT, LOW_LINE, QUOTE } from '../shared/ascii.js';
import type { Span } from '../shared/json.js';

/** Alias and name, as one name that clients see and back. */

/** What may separate them in any call; the first is the canonical one, the other is for clients that refuse dots. */
const SEPARATORS: readonly string[] = ['.', '__'];
const ALIAS = /^[A-Za-z][A-Za-z0-9-]{0,31}$/;
/** Begins with what no alias holds, and is no beginning of another separator nor has one as its own. */
const OWN_SEPARATOR = /^(?:[/:]|_[A-Za-z0-9/:-])[A-Za-z0-9_./:-]{0,6}$/;

/** Whether a word can be an alias: letters, digits and `-`, so that it holds no separator and is never an option. */
export function isAlias(word: string): boolean {
  return ALIAS.test(word);
}

/**
 * The alias for a name that may be none, always the same one: what cannot be in an alias becomes `-`, and what is too
 * long, or has nothing left, ends in a hash of the whole.
 */
export function aliasFor(name: string): string {
  if (isAlias(name)) return name;
  const words = name.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const alias = /^[A-Za-z]/.test(words) ? words : `server-${words}`;
  if (isAlias(alias) && words !== '') return alias;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${alias.slice(0, 22).replace(/-$/, '')}-${hash}`;
}

/** Whether a text can stand between alias and name so that they are always found again. */
export function isSeparator(text: string): boolean {
  return SEPARATORS.includes(text) || OWN_SEPARATOR.test(text);
}

/**
 * The alias of a shown name that stands as a JSON string in a message, and which bytes of it the child does not know.
 * `undefined` where it has no separator, or holds an escape that has to be decoded first. `own` is a separator that is
 * taken beside the two.
 */
export function splitSpan(
  bytes: Buffer,
  span: Span,
  own?: string,
): { readonly alias: string; readonly cut: Span } | undefined {
  if (bytes[span.start] !== QUOTE) return undefined;
  const start = span.start + 1;
  for (let at = start; at < span.end - 1; at += 1) {
    if (bytes[at] === BACKSLASH) return undefined;
    const length = separatorLength(bytes, at, own);
    if (length > 0 && at > start) {
      return { alias: bytes.toString('latin1', start, at), cut: { start, end: at + length } };
    }
  }
  return undefined;
}

/** Alias and name of a shown name, whichever separator it has; `undefined` where it has none. */
export function splitName(shown: string, own?: string): { readonly alias: string; readonly name: string } | undefined {
  const separators = own === undefined ? SEPARATORS : [...SEPARATORS, own];
  const cuts = separators.map((separator) => ({ at: shown.indexOf(separator), length: separator.length }));
  const [first] = cuts.filter(({ at }) => at > 0).sort((a, b) => a.at - b.at);
  if (first === undefined) return undefined;
  return { alias: shown.slice(0, first.at), name: shown.slice(first.at + first.length) };
}

function separatorLength(bytes: Buffer, at: number, own: string | undefined): number {
  const byte = bytes[at];
  if (byte === DOT) return 1;
  if (byte === LOW_LINE && bytes[at + 1] === LOW_LINE) return 2;
  if (own === undefined || byte !== own.charCodeAt(0)) return 0;
  return bytes.toString('latin1', at, at + own.length) === own ? own.length : 0;
}
