/**
 * Whether a text matches a pattern in which `*` stands for any characters, `?` for one, and all else for itself. Takes
 * no longer than the product of both lengths, whatever they are.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let from = 0;
  /** The last `*`, and how far the text went into it. */
  let star = -1;
  let taken = 0;
  while (at < text.length) {
    if (pattern[from] === '*') {
      star = from;
      taken = at;
      from += 1;
    } else if (pattern[from] === '?' || pattern[from] === text[at]) {
      from += 1;
      at += 1;
    } else if (star !== -1) {
      taken += 1;
      at = taken;
      from = star + 1;
    } else return false;
  }
  while (pattern[from] === '*') from += 1;
  return from === pattern.length;
}
