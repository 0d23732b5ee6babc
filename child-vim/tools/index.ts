import type { Tool } from '../tool.js';
import { applyDiff } from './apply-diff.js';
import { capabilities } from './capabilities.js';
import { edit } from './edit.js';
import { evaluate } from './eval.js';
import { ex } from './ex.js';
import { grep } from './grep.js';
import { keys } from './keys.js';
import { newBuffer } from './new.js';
import { notify } from './notify.js';
import { open } from './open.js';
import { readLines } from './read-lines.js';
import { save } from './save.js';
import { screen } from './screen.js';
import { selection } from './selection.js';
import { setCursor } from './set-cursor.js';
import { startEditor } from './start-editor.js';
import { state } from './state.js';
import { stopEditor } from './stop-editor.js';
import { substitute } from './substitute.js';
import { targets } from './targets.js';
import { trace } from './trace.js';
import { redo, undo } from './undo.js';
import { viewClose } from './view-close.js';
import { viewOpen } from './view-open.js';
import { watch } from './watch.js';

/** The catalogue, in the order in which it is listed. */
export const tools: readonly Tool[] = [
  targets,
  capabilities,
  state,
  selection,
  screen,
  readLines,
  grep,
  watch,
  trace,
  edit,
  applyDiff,
  substitute,
  undo,
  redo,
  setCursor,
  viewOpen,
  viewClose,
  keys,
  open,
  newBuffer,
  startEditor,
  stopEditor,
  save,
  ex,
  evaluate,
  notify,
];

/** Those that are offered: all, or only those that read. */
export function offeredTools(readOnly: boolean): readonly Tool[] {
  return readOnly ? tools.filter(({ action }) => action === 'read') : tools;
}
