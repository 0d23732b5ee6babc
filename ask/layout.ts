/** Columns between two tab stops, at most. */
const TAB = 8;

/** A text in lines that are no wider than a terminal, so that it is known what stands on the screen. */
export function laidOut(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => folded(line, Math.max(columns - 1, 2)));
}

function folded(line: string, width: number): string[] {
  const found: string[] = [];
  let part = '';
  let used = 0;
  for (const character of line) {
    const cells = cellsOf(character);
    if (used + cells > width && part !== '') {
      found.push(part);
      part = '';
      used = 0;
    }
    part += character;
    used += cells;
  }
  return [...found, part];
}

/** At most so many cells: no letter of the scripts below the first wide one is wider than one. */
function cellsOf(character: string): number {
  if (character === '\t') return TAB;
  return (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
}
