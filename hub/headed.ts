import { QUOTE } from '../shared/ascii.js';
import type { Span } from '../shared/json.js';
import type { Edit } from '../shared/parts.js';

/** Puts the alias of who speaks before the first character of a text, where nothing can imitate it. */
export function headed(bytes: Buffer, text: Span | undefined, head: string): Edit[] {
  if (text === undefined || bytes[text.start] !== QUOTE) return [];
  const start = text.start + 1;
  return [{ span: { start, end: start }, text: head }];
}
