/** Strings, punctuation, and what is neither; the space between them is left out. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** JSON on lines by its structure. Every token stays as it is written, so that what is shown is what is sent. */
export function indented(json: string): string {
  let depth = 0;
  let before = '';
  const parts: string[] = [];
  for (const [token] of json.matchAll(TOKENS)) {
    if (CLOSING.has(token)) depth -= 1;
    if (isOnNewLine(before, token)) parts.push(`\n${'  '.repeat(depth)}`);
    if (OPENING.has(token)) depth += 1;
    parts.push(token === ':' ? ': ' : token);
    before = token;
  }
  return parts.join('');
}

const OPENING: ReadonlySet<string> = new Set(['{', '[']);
const CLOSING: ReadonlySet<string> = new Set(['}', ']']);

/** What is empty stays on one line. */
function isOnNewLine(before: string, token: string): boolean {
  if (CLOSING.has(token)) return !OPENING.has(before);
  return OPENING.has(before) || before === ',';
}
