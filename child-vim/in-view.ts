import { Fault } from '../shared/fault.js';
import { type Caret, carried } from './caret.js';
import { checkTick, type Editor } from './editor.js';
import { type Played, play } from './player.js';
import type { Answer } from './protocol.js';
import type { View } from './views.js';

/** The text that a view is in, and where it is there. */
export interface Sight {
  readonly tick: number;
  readonly lines: readonly string[];
  readonly caret: Caret;
}

/**
 * What a view sees now, or else at `tick`.
 * @throws Fault `stale` when the text is not at it, `unsupported` for one that is too long.
 */
export async function look(
  editor: Editor,
  view: Pick<View, 'buffer' | 'tick' | 'caret'>,
  tick: number | undefined,
  signal: AbortSignal,
): Promise<Sight> {
  const { buffer } = view;
  const followed = await editor.feed.follow(buffer, signal);
  await editor.feed.sync();
  await followed.ready();
  const { mirror, filename } = followed;
  if (mirror === undefined) throw new Fault('unsupported', `buffer ${buffer} (${filename}) is too long for a view`);
  if (tick !== undefined) {
    checkTick({ buffer, filename, changedtick: mirror.tick, line_count: 0, modified: false }, tick);
  }
  const seen = { tick: mirror.tick, lines: [...mirror.lines] };
  const past = await mirror.since(view.tick);
  const caret = past === undefined ? view.caret : carried(view.caret, past.revisions);
  return { ...seen, caret: { ...caret, line: Math.min(caret.line, seen.lines.length) } };
}

/** Plays keys where a view is, on a copy of the text. */
export async function played(
  editor: Editor,
  view: View,
  { lines, caret }: Sight,
  keys: { readonly keys: string; readonly remap: boolean },
  signal: AbortSignal,
): Promise<Played> {
  const { buffer, rows, columns, kept } = view;
  const keymap: Answer<'keymap'> = await editor.request('keymap', { buffer, maps: keys.remap }, signal);
  return await play({ ...keymap, lines, rows, columns, view: caret, kept, keys: keys.keys }, signal);
}

/** The mode as Vim's mode(1) has it, a CTRL-V readable. */
export function modeName({ mode }: Played): string {
  return mode === '\x16' ? '^V' : mode;
}
