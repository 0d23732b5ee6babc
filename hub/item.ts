import { QUOTE } from '../shared/ascii.js';
import { asFault } from '../shared/fault.js';
import { decoded, elements, isArray, isObject, members, type Span } from '../shared/json.js';
import { log } from '../shared/log.js';
import { type Edit, Splice } from '../shared/parts.js';

/** An entry of a list, as the child wrote it: what the hub does not own keeps each of its bytes. */
export class Item {
  /** One JSON object. */
  readonly bytes: Buffer;
  /** What tells it apart from the others of its list: its name or its URI. */
  readonly key: string;
  readonly #place: Span;

  /** `place` is where the key stands in the checked `bytes`. */
  constructor(bytes: Buffer, place: Span) {
    this.bytes = bytes;
    this.key = String(decoded(bytes, place));
    this.#place = place;
  }

  /** The same under another key, and with another description where one is given. */
  as(key: string, description?: string): Splice {
    const edits: Edit[] = [];
    if (key !== this.key) edits.push({ span: this.#place, text: Buffer.from(JSON.stringify(key)) });
    if (description !== undefined) edits.push(this.#described(description));
    return new Splice(this.bytes, edits);
  }

  #described(description: string): Edit {
    const text = JSON.stringify(description);
    const span = members(this.bytes).get('description');
    if (span !== undefined) return { span, text: Buffer.from(text) };
    const { end } = this.#place;
    return { span: { start: end, end }, text: Buffer.from(`,"description":${text}`) };
  }
}

/**
 * The entries in a checked array, told apart by the member `key`. What has no such text is left out; what has a member
 * twice, too, since its readers would differ in what they see. `from` names the list in the warning of that.
 */
export function itemsIn(bytes: Buffer, span: Span, key: string, from: string): Item[] {
  if (!isArray(bytes, span.start)) return [];
  // A copy, so that no more than the list is kept of what came with it.
  const array = Buffer.from(bytes.subarray(span.start, span.end));
  return elements(array, 0).flatMap(({ start, end }) => itemIn(array.subarray(start, end), key, from) ?? []);
}

function itemIn(bytes: Buffer, key: string, from: string): Item | undefined {
  if (!isObject(bytes, 0)) return undefined;
  try {
    const place = members(bytes).get(key);
    if (place === undefined || bytes[place.start] !== QUOTE || place.end - place.start === 2) return undefined;
    return new Item(bytes, place);
  } catch (error) {
    log.warnOnce(`an entry of ${from} is left out: ${asFault(error).message}`);
    return undefined;
  }
}
