import type { Random } from './random.js';

/** A place of a text that is not the same everywhere, by name. */
export class Own {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** JSON that is written exactly so. */
export class Exactly {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A text with places left open. */
export type Pieces = readonly (string | Own)[];

/** The text with its open places filled. */
export function filled(pieces: Pieces, own: Readonly<Record<string, string>> = {}): string {
  return pieces.map((piece) => (piece instanceof Own ? (own[piece.name] ?? `?${piece.name}?`) : piece)).join('');
}

const NUMBERS = [
  '9007199254740993',
  '-170141183460469231731687303715884105728',
  '1.0',
  '1e3',
  '1E+2',
  '-0',
  '0.10',
  '5e-324',
  '1e400',
];
const STRINGS = [
  '""',
  '"\\u0041"',
  '"a\\/b"',
  '"\\ud83d\\ude00"',
  '"\\ud800"',
  '"\u{1f600}\u2028"',
  '"\\"\\\\\\b"',
  '"{\\"a\\":[1}"',
  '"a.b__c"',
];
const NAMES = ['novel', '__proto__', 'constructor', 'a.b', '\\u00e9t\\u00e9', '\u20ac', 'x\\/y', 'cursor', ''];

/** Writes values as JSON that readers seldom see: unknown members in each object, odd spellings, spaces. */
export class Wild {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The value, with what is needed to tell it apart left as it is. */
  written(value: unknown): Pieces {
    if (value instanceof Own) return [value];
    if (value instanceof Exactly) return [value.text];
    if (typeof value === 'string') return [this.#string(value)];
    if (Array.isArray(value))
      return this.#list(
        '[',
        value.map((each) => this.written(each)),
        ']',
      );
    if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
    const members = Object.entries(value).map(
      ([name, each]): Pieces => [JSON.stringify(name), ':', ...this.written(each)],
    );
    const known = new Set(Object.keys(value));
    return this.#list('{', this.#mixed(members, this.#unknown(known)), '}');
  }

  #list(open: string, parts: readonly Pieces[], close: string): Pieces {
    const between = parts.flatMap((part, index) => [...(index === 0 ? [] : [`,${this.#space()}`]), ...part]);
    return [open, this.#space(), ...between, this.#space(), close];
  }

  #mixed(known: readonly Pieces[], unknown: readonly Pieces[]): Pieces[] {
    const all = [...known];
    for (const each of unknown) all.splice(this.#random.below(all.length + 1), 0, each);
    return all;
  }

  #unknown(known: ReadonlySet<string>): Pieces[] {
    const names = NAMES.filter((name) => !known.has(name) && this.#random.chance(0.2));
    return names.map((name) => [`"${name}"${this.#space()}:${this.#space()}${this.#anything(2)}`]);
  }

  #anything(depth: number): string {
    const kind = this.#random.below(depth > 0 ? 5 : 3);
    if (kind === 0) return this.#random.pick(NUMBERS);
    if (kind === 1) return this.#random.pick(STRINGS);
    if (kind === 2) return this.#random.pick(['null', 'true', 'false', '[]', '{}']);
    const inner = Array.from({ length: this.#random.below(4) }, () => this.#anything(depth - 1));
    if (kind === 3) return `[${inner.join(` ,${this.#space()}`)}]`;
    return `{${inner.map((value, index) => `"${index}"${this.#space()}:${value}`).join(',')}}`;
  }

  /** The same text, some characters of it as escapes. */
  #string(text: string): string {
    const characters = [...JSON.stringify(text).slice(1, -1)];
    if (text.includes('\\') || text.includes('"')) return JSON.stringify(text);
    const escaped = (each: string): string => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return `"${characters.map((each) => (each < '\u007f' && this.#random.chance(0.1) ? escaped(each) : each)).join('')}"`;
  }

  #space(): string {
    return this.#random.chance(0.15) ? this.#random.pick([' ', '\t', '  ']) : '';
  }
}
