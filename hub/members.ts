import { CLOSE_OBJECT } from '../shared/ascii.js';
import { type Span, skipSpace } from '../shared/json.js';
import type { Frame } from '../shared/jsonrpc.js';
import { type Edit, joined, type Part } from '../shared/parts.js';

/** The text of one member of an object, name and value; the value is JSON as it is to be sent. */
export function member(name: string, value: Part): Buffer {
  return joined([JSON.stringify(name), ':', value]);
}

/** Members, one after the other. */
export function list(members: readonly Part[]): Buffer {
  return joined(members.flatMap((each, at) => (at === 0 ? [each] : [',', each])));
}

/** Puts members before the first one of an object. */
export function prepended(bytes: Buffer, object: Span, members: readonly Part[]): Edit {
  const start = object.start + 1;
  const isEmpty = bytes[skipSpace(bytes, start)] === CLOSE_OBJECT;
  return { span: { start, end: start }, text: joined([list(members), isEmpty ? '' : ',']) };
}

/** Puts members into the `params` of a message, and others into their `_meta`; what is not there yet is made. */
export function withParams(frame: Frame, members: readonly Part[], meta: readonly Part[]): Edit[] {
  const { bytes } = frame;
  const params = frame.span('params');
  const place = meta.length === 0 ? undefined : frame.at('_meta');
  const edits = place === undefined ? [] : [prepended(bytes, place, meta)];
  const made = meta.length > 0 && place === undefined ? [member('_meta', joined(['{', list(meta), '}']))] : [];
  const added = [...made, ...members];
  if (added.length === 0) return edits;
  if (params !== undefined) return [prepended(bytes, params, added), ...edits];
  const message = { start: skipSpace(bytes, 0), end: bytes.length };
  return [prepended(bytes, message, [member('params', joined(['{', list(added), '}']))]), ...edits];
}

/** Takes members out of the `_meta` of a message; the others stay the bytes that they are. */
export function withoutMeta(frame: Frame, names: ReadonlySet<string>): Edit[] {
  const meta = frame.at('_meta');
  const all = [...(frame.inside('params')?.inside('_meta') ?? [])];
  const kept = all.filter(([name]) => !names.has(name)).map(([, place]) => place);
  if (meta === undefined || kept.length === all.length) return [];
  const edits: Edit[] = [];
  let start = meta.start + 1;
  for (const { nameStart, end } of kept) {
    const isFirst = start === meta.start + 1;
    edits.push({ span: { start, end: nameStart }, text: isFirst ? '' : ',' });
    start = end;
  }
  return [...edits, { span: { start, end: meta.end - 1 }, text: '' }];
}

/** The bytes at a place. */
export function textAt({ bytes }: Frame, { start, end }: Span): Buffer {
  return bytes.subarray(start, end);
}
