import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../../kit/home.js';
import { Random } from '../../kit/random.js';
import { Vim } from '../../kit/vim.js';
import type { Broker } from '../broker.js';
import { agentCall } from './call.js';
import { insertion } from './insertion.js';
import { words } from './person.js';
import { current, Scene, type Tally } from './scene.js';
import { LOOK, look } from './snapshot.js';

/** Longer texts are cut by the person. */
const MOST_LINES = 60;

/**
 * Plays one seed: a person types in a new Vim while an agent edits through `broker`, and after each step all is checked.
 * @throws what was wrong, with the steps that led there.
 */
export async function play(seed: number, rounds: number, home: Home, broker: Broker): Promise<Tally> {
  const random = new Random(seed);
  const folder = join(home.path, `seed.${seed}`);
  const files = await texts(folder, random);
  const vim = await Vim.start(home, { vimrc: LOOK, files, cwd: folder });
  const scene = new Scene(vim, broker, `seed${seed}`, random);
  try {
    await scene.begin();
    for (let done = 0; done < rounds; done += 1) await round(scene);
    await scene.ledger.replay();
    return scene.tally;
  } catch (error) {
    const steps = scene.steps.slice(-40).join('\n  ');
    const how = `node dist/test/vim/fuzz/main.js --seed ${seed} --rounds ${rounds}`;
    const screen = vim.screen().join('\n  ');
    throw new Error(`seed ${seed}; again by: ${how}\n  ${steps}\nThe screen:\n  ${screen}\n${String(error)}`, {
      cause: error,
    });
  } finally {
    await vim.close();
  }
}

/** Three files in a folder of their own. */
async function texts(folder: string, random: Random): Promise<string[]> {
  await mkdir(folder);
  const names = ['a', 'b', 'c'];
  for (const name of names) {
    const lines = Array.from({ length: 3 + random.below(30) }, () => `${words(random)}\n`);
    await writeFile(join(folder, name), lines.join(''));
  }
  return names;
}

/** The person types something; often the agent does something then, or in the meantime. */
async function round(scene: Scene): Promise<void> {
  await scene.type();
  if (scene.random.chance(0.6)) await agentCall(scene, scene.random.chance(0.2));
  if (scene.random.chance(0.08)) await insertion(scene);
  await scene.ledger.check(() => look(scene.vim));
  scene.tally.attributed = scene.ledger.changes;
  await tidy(scene);
}

/** Nothing was said in Vim, and the texts stay short. */
async function tidy(scene: Scene): Promise<void> {
  const said = await scene.vim.eval<string>('Messages()');
  assert.doesNotMatch(said, /mcp|SafeState|ModeChanged/, 'the plugin says nothing');
  const seen = await look(scene.vim);
  const isLong = (current(seen)?.lines.length ?? 0) > MOST_LINES;
  if (isLong && seen.mode === 'n' && !scene.half) await scene.type(`:${MOST_LINES / 3},$d\r`);
}
