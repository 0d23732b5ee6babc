/** Replaces `removed` lines before `at` (from 0) by `added`; changes are in order and leave a line between them. */
export interface Change {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** A unified diff with a hunk for each change and as much context as fits, its line numbers off by `shift`. */
export function unified(lines: readonly string[], changes: readonly Change[], context: number, shift: number): string {
  let grown = 0;
  return changes
    .map(({ at, removed, added }, index) => {
      const next = changes[index + 1];
      // Lines between two changes are context of one of them only.
      const before = Math.min(context, index === 0 ? at : Math.floor((at - end(changes[index - 1])) / 2));
      const after = next === undefined ? lines.length - at - removed : Math.ceil((next.at - at - removed) / 2);
      const old = before + removed + Math.min(context, after);
      const start = at - before + (old === 0 ? 0 : 1) + shift;
      const header = `@@ -${start},${old} +${start + grown},${old - removed + added.length} @@`;
      grown += added.length - removed;
      const signed = (sign: string, from: number, to: number): string[] =>
        lines.slice(from, to).map((line) => sign + line);
      const context1 = signed(' ', at - before, at);
      const context2 = signed(' ', at + removed, at + removed + Math.min(context, after));
      return [
        header,
        ...context1,
        ...signed('-', at, at + removed),
        ...added.map((line) => `+${line}`),
        ...context2,
        '',
      ].join('\n');
    })
    .join('');
}

export function end(change: Change | undefined): number {
  return change === undefined ? 0 : change.at + change.removed;
}
