/** A line as it is in the file: in memory Vim keeps a NUL as a newline, `:help NL-used-for-Nul`. */
export function withNul(line: string): string {
  return line.replaceAll('\n', '\0');
}
