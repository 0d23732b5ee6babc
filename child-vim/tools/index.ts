import type { Tool } from '../tool.js';
import { applyDiff } from './apply-diff.js';
import { capabilities } from './capabilities.js';
import { edit } from './edit.js';
import { grep } from './grep.js';
import { open } from './open.js';
import { readLines } from './read-lines.js';
import { save } from './save.js';
import { screen } from './screen.js';
import { selection } from './selection.js';
import { state } from './state.js';
import { targets } from './targets.js';
import { redo, undo } from './undo.js';

/** The catalogue, in the order in which it is listed. */
export const tools: readonly Tool[] = [
  targets,
  capabilities,
  state,
  selection,
  screen,
  readLines,
  grep,
  edit,
  applyDiff,
  undo,
  redo,
  open,
  save,
];
