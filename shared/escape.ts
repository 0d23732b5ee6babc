/**
 * What could make a text look like another one: control, format (bidi, tags), unassigned and private characters, those
 * that show nothing (zero-width, fillers, variation selectors), and spaces that are not the space.
 */
const DECEPTIVE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** The text with every deceptive character as `\u{hex}`; newlines stay, and tabs. */
export function visibleText(text: string): string {
  return text.replace(DECEPTIVE, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return text.replace(DECEPTIVE, escaped);
}

/** Whether a text has characters that {@link visibleLine} would escape. */
export function hasDeceptive(text: string): boolean {
  return text.search(DECEPTIVE) !== -1;
}

/** JSON with `\\uXXXX` in place of every such character. */
export function unicodeEscaped(json: string): string {
  const unit = (character: string, at: number): string =>
    `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return json.replace(DECEPTIVE, (character) =>
    [...character.split('').keys()].map((at) => unit(character, at)).join(''),
  );
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The head of a text that may be long, made visible, with what was left out. */
export function preview(text: string, most: number): string {
  if (text.length <= most) return `${visibleText(text)}\n(${text.length} characters)`;
  return `${visibleText(text.slice(0, most))}\n… (${text.length} characters, of which the first ${most} are shown)`;
}
