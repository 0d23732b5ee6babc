import type { Span } from '../shared/json.js';
import type { Frame } from '../shared/jsonrpc.js';
import { type Edit, joined, Splice } from '../shared/parts.js';
import { list, member } from './members.js';

/** The bytes at a place, with those edits that lie in it. */
export function edited(bytes: Buffer, { start, end }: Span, edits: readonly Edit[]): Buffer {
  const within = edits
    .filter(({ span }) => span.start >= start && span.end <= end)
    .map(({ span, text }) => ({ span: { start: span.start - start, end: span.end - start }, text }));
  return joined([new Splice(bytes.subarray(start, end), within)]);
}

/**
 * The edits by which a call that was made again with answers goes on as it was made first: every byte of its `params` but
 * for `_meta`, which says who calls now and where progress goes (2026-07-28, basic/patterns/mrtr).
 */
export function editsAgain(first: Frame, edits: readonly Edit[], now: Frame): readonly Edit[] {
  const [params, meta] = [now.span('params'), now.at('_meta')];
  if (first === now || params === undefined || meta === undefined) return edits;
  const others = [...(first.inside('params') ?? [])]
    .filter(([name]) => name !== '_meta')
    .map(([name, span]) => member(name, edited(first.bytes, span, edits)));
  return [
    { span: { start: params.start, end: meta.start }, text: joined(['{', list([...others, member('_meta', '')])]) },
    { span: { start: meta.end, end: params.end }, text: '}' },
  ];
}
