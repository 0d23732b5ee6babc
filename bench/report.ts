/** A bar that a figure was held against. */
export interface Verdict {
  readonly what: string;
  readonly met: boolean;
}

/** Prints rows under their heads, in columns. */
export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  console.log(`\n${title}\n`);
  for (const line of lines) console.log(`  ${line.map((cell, column) => aligned(cell, column, widths)).join('  ')}`);
}

/** Words to the left, figures to the right. */
function aligned(cell: string, column: number, widths: readonly number[]): string {
  const width = widths[column] ?? 0;
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
