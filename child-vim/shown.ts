import type { Placed } from './locate.js';

/**
 * Placed hunks as a person is asked about them: each with the line at which it is going to apply, which need not be the
 * one that the diff says, and nothing of the diff that has no effect.
 */
export function shownChanges(placed: readonly Placed[]): string {
  return placed
    .map(({ hunk, at }) => [`@@ line ${at} @@`, ...hunk.lines.map(({ sign, text }) => sign + text), ''].join('\n'))
    .join('');
}
