import { createHash } from 'node:crypto';
import { LOW_LINE } from '../shared/ascii.js';
import type { Span } from '../shared/json.js';
import type { Form } from './forms.js';

/** Hexadecimal digits of a hash at the end of a name, after a `_`. */
const DIGITS = 8;
const HASHED = new RegExp(`_([0-9a-f]{${DIGITS}})$`);

/**
 * The name under which a client sees what a child calls `name`: `vim.targets`. Depends on nothing but its arguments.
 * Where the client would refuse it, it is cut to fit and ends in a hash of alias and name, by which it is found again.
 */
export function shownName(form: Form, alias: string, name: string, prefixed = true): string {
  const full = prefixed ? alias + form.separator + name : name;
  if (full.length <= form.longest && name.search(form.foreign) === -1) return full;
  const head = prefixed ? alias + form.separator : '';
  const fitting = head + name.replaceAll(form.foreign, '_');
  return `${fitting.slice(0, form.longest - DIGITS - 1)}_${nameHash(alias, name)}`;
}

/** What stands for alias and name at the end of a name that was cut. */
export function nameHash(alias: string, name: string): string {
  return createHash('sha256')
    .update(JSON.stringify([alias, name]))
    .digest('hex')
    .slice(0, DIGITS);
}

/** The hash at the end of a shown name, if there is one or something that looks like one. */
export function hashAtEnd(shown: string): string | undefined {
  return HASHED.exec(shown)?.[1];
}

/** Whether a name that stands as a JSON string in a message may end in a hash. */
export function mayEndInHash(bytes: Buffer, { end }: Span): boolean {
  const start = end - 1 - DIGITS;
  if (bytes[start - 1] !== LOW_LINE) return false;
  for (let at = start; at < end - 1; at += 1) if (!isHexDigit(bytes[at] ?? 0)) return false;
  return true;
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66);
}
