import assert from 'node:assert/strict';
import type { Random } from '../../kit/random.js';
import { diff, takes } from './agent.js';
import { words } from './person.js';
import { current, ESC, isBroken, REDO, type Scene, UNDO } from './scene.js';
import { begin, look } from './snapshot.js';

const STARTS = ['i', 'a', 'A', 'I', 'o', 'O', 'R', '2A', '3i', '2o'];

/** An edit in the middle of an insertion is an undo step of its own between two of the person. */
export async function insertion(scene: Scene): Promise<void> {
  const seen = await look(scene.vim);
  const isReady = !scene.half && seen.mode === 'n' && seen.cmdwin === '';
  const before = current(seen);
  if (!isReady || before === undefined || before.lines.some(isBroken)) return;
  const texts = [before.lines];
  const note = async (): Promise<void> => {
    texts.push(current(await look(scene.vim))?.lines ?? []);
  };
  await scene.type(scene.random.pick(STARTS) + typing(scene.random));
  await note();
  await edit(scene);
  await note();
  await scene.type(typing(scene.random));
  await scene.type(ESC);
  await note();
  for (const [key, step] of [
    [UNDO, 2],
    [UNDO, 1],
    [UNDO, 0],
    [REDO, 1],
    [REDO, 2],
    [REDO, 3],
  ] as const) {
    await scene.type(key);
    assert.deepEqual(current(await look(scene.vim))?.lines, texts[step], `undone and redone one by one, at ${step}`);
  }
}

async function edit(scene: Scene): Promise<void> {
  const seen = await begin(scene.vim);
  const buffer = current(seen);
  assert.ok(buffer !== undefined);
  let next = diff(scene.random, buffer);
  while (takes(next.effect, seen.cursor[1])) next = diff(scene.random, buffer);
  const result = await scene.call(next, 'in an insertion');
  assert.equal(result.isError, false, result.text);
  scene.tally.edits += 1;
}

function typing(random: Random): string {
  const more = random.pick(['', '\r', '\x7f', '\x17', ' x\x7f\x7f']);
  return `${words(random)}${more}${words(random)}`;
}
