/** What Vim is to look for and to put in, in the syntax of `:s` with 'magic'. */
export interface Substitution {
  readonly pattern: string;
  readonly replacement: string;
}

/** The substitution that takes both texts as they are. */
export function literal({ pattern, replacement }: Substitution): Substitution {
  return {
    pattern: `\\V${pattern.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    replacement: replacement
      .replace(/[\\&~]/g, '\\$&')
      .replaceAll('\r', '\\\r')
      .replaceAll('\n', '\\r'),
  };
}

/**
 * The substitution with a newline meaning a line break, as `\n` does in a pattern and `\r` in a replacement. To Vim the
 * character itself is a NUL of the text.
 */
export function multiline({ pattern, replacement }: Substitution): Substitution {
  return { pattern: broken(pattern, '\\n'), replacement: broken(replacement, '\\r') };
}

/** A backslash before the newline goes with it, unless it belongs to another one. */
function broken(text: string, lineBreak: string): string {
  return text.replace(/(\\[^\n])|\\?\n/g, (_, pair: string | undefined) => pair ?? lineBreak);
}
