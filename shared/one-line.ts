import { BACKSLASH, NEWLINE, QUOTE, RETURN, SPACE } from './ascii.js';

/**
 * A JSON text that may be spread over lines, as one line: its line ends between tokens become blanks, in place. Those in
 * strings stay, since a text that has them is no JSON.
 */
export function oneLine(text: Buffer): Buffer {
  if (!text.includes(NEWLINE) && !text.includes(RETURN)) return text;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (byte === BACKSLASH && isInString) at += 1;
    else if (!isInString && (byte === NEWLINE || byte === RETURN)) text[at] = SPACE;
  }
  return text;
}
