/** Tells one step, indented below its title. */
export function say(title: string, text: string): void {
  console.log(`\n== ${title}\n${text.replace(/^/gm, '   ')}`);
}

/** The text of a tool's result. */
export function textOf(result: { content: readonly { type: string; text?: unknown }[] }): string {
  return result.content.map(({ text }) => String(text ?? '')).join('\n');
}
