import { QUOTE } from '../shared/ascii.js';
import { isObject, isText, members, type Span } from '../shared/json.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';

/** Puts the alias of who speaks before the first character of a text, where nothing can imitate it. */
export function headed(bytes: Buffer, text: Span | undefined, head: string): Edit[] {
  if (text === undefined || bytes[text.start] !== QUOTE) return [];
  const start = text.start + 1;
  return [{ span: { start, end: start }, text: head }];
}

/** The same for each question to the person among the `inputRequests` in a message of a child (2026-07-28). */
export function headsOf(message: Frame, within: 'params' | 'result', { alias }: { readonly alias: string }): Edit[] {
  return [...(message.inside(within)?.inside('inputRequests') ?? [])].flatMap(([, { start }]) => {
    if (!isObject(message.bytes, start)) return [];
    const request = members(message.bytes, start);
    const method = request.get('method');
    const isForPerson = method !== undefined && isText(message.bytes, method, 'elicitation/create');
    const text = isForPerson ? request.inside('params')?.get('message') : undefined;
    return headed(message.bytes, text, `${alias}: `);
  });
}
