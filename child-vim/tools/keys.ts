import { z } from 'zod';
import { Fault } from '../../shared/fault.js';
import type { Caret } from '../caret.js';
import { change } from '../change.js';
import { look, modeName, played, type Sight } from '../in-view.js';
import { Mirror } from '../mirror.js';
import type { Operation } from '../operations.js';
import type { Played } from '../player.js';
import { bufferName, editorQuestion, fileOf } from '../question.js';
import { apply, type LineChange } from '../revision.js';
import { diffOf } from '../stale.js';
import { buffer, checkText, defineTool, expectedTick, place, target } from '../tool.js';
import type { View } from '../views.js';

/** Control characters that keys are not written with; a line break is <CR>. */
const CONTROLS = /[^\P{Cc}\t\n\r]/u;

export const keys = defineTool({
  name: 'keys',
  action: 'write',
  title: 'Play keys',
  description:
    'Play Vim keys in your view, all or none. Refused is what fails or leads out of the text: Ex commands, windows, files, macros.',
  input: z.strictObject({
    target,
    buffer,
    expected_changedtick: expectedTick,
    keys: z.string().min(1).max(4000).describe('As cwnew<Esc>, from Normal mode'),
    remap: z.boolean().default(false).describe("With the person's mappings"),
  }),
  output: z.object({
    target: z.string(),
    changedtick: z.number(),
    cursor: place,
    mode: z.string(),
    from: place.optional().describe('Selected up to cursor'),
    diff: z.string().optional(),
    diff_cut: z.boolean().optional(),
  }),
  handle: async ({ target: name, buffer: number, expected_changedtick: tick, keys: written, remap }, call) => {
    checkKeys(written);
    const editor = call.editors.find(name);
    const { signal, client } = call.by;
    const view = call.views.of(editor, client);
    if (view.buffer !== number) throw elsewhere(view, number);
    const facts = await editor.probe(number, tick, signal);
    const what = `play keys in ${bufferName(facts)}`;
    await call.allow(editorQuestion('read', editor, what, { number, written }, undefined, fileOf(facts)));
    const sight = await look(editor, view, tick, signal);
    const outcome = await played(editor, view, sight, { keys: written, remap }, signal);
    checkPlayed(outcome);
    const changes = changesOf(outcome, sight);
    const { diff, now } = shown(changes, sight);
    const operations = operationsOf(changes, sight.lines, now);
    const { first = outcome.view.line, last = first } = outcome;
    const made = await change(editor, { buffer: number, tick, first, last }, call, async () => ({ operations }));
    const { changedtick } = made.changed;
    const { view: caret, kept } = outcome;
    Object.assign(view, { caret, kept, tick: changedtick } satisfies Partial<View>);
    return { target: editor.name, changedtick, ...toldCaret(caret), mode: modeName(outcome), ...diff };
  },
});

function checkKeys(written: string): void {
  checkText('keys', written);
  if (CONTROLS.test(written)) {
    throw new Fault('invalid', 'keys holds a control character', { next: 'Write it as <Esc>, <C-a> and the like.' });
  }
}

function elsewhere({ buffer: shown }: View, number: number): Fault {
  return new Fault('invalid', `your view shows buffer ${shown}, not ${number}`, { next: 'Open one with view-open.' });
}

/** @throws Fault `unsupported` for keys that lead out of the text, `invalid` where a command failed or has no end. */
function checkPlayed({ refused, effect, stopped, error, unfinished }: Played): void {
  if (unfinished) throw new Fault('invalid', 'nothing was done: the last command is not complete');
  if (refused !== undefined) {
    throw new Fault('unsupported', `nothing was done: ${refused} would ${effect}`, {
      next: 'Leave that out; save, open, substitute and ex are tools of their own.',
      data: { effects: [{ keys: refused, effect }] },
    });
  }
  if (stopped !== undefined) {
    throw new Fault('invalid', `nothing was done: Vim stopped before ${stopped}: ${error ?? 'the command failed'}`, {
      next: 'Look at the view with screen.',
      data: { stopped },
    });
  }
}

/** What became of the text, in numbers of the one before. */
function changesOf({ first, last, lines }: Played, sight: Sight): LineChange[] {
  if (first === undefined || last === undefined || lines === undefined) return [];
  if (lines.some((line) => line.includes('\0'))) {
    throw new Fault('unsupported', 'a line to be written holds a NUL, which cannot be sent to Vim');
  }
  return new Mirror(sight.tick, [...sight.lines]).replaced(first, last, lines);
}

function shown(changes: readonly LineChange[], { lines }: Sight) {
  const now = [...lines];
  apply(changes, now);
  return { now, diff: changes.length === 0 ? {} : diffOf(lines, now, [{ changes }]) };
}

/** A text of one empty line is taken for none: all of the new one is put in. */
function operationsOf(changes: readonly LineChange[], old: readonly string[], now: readonly string[]): Operation[] {
  if (changes.length > 0 && old.length === 1 && old[0] === '') return [[1, 0, now]];
  return changes.map(({ first, old, now }) => [first, first + old.length - 1, now]);
}

function toldCaret({ line, column, anchor }: Caret) {
  return {
    cursor: { line, column },
    ...(anchor === undefined ? {} : { from: { line: anchor.line, column: anchor.column } }),
  };
}
