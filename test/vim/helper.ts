import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Prompt } from '../../shared/prompt.js';
import type { Home } from '../kit/home.js';
import { isAlive } from '../kit/processes.js';
import { eventually } from '../kit/until.js';

/** A question that a helper has got. */
export interface Put {
  readonly prompt: Prompt;
  readonly pid: number;
  /** The names in the helper's environment. */
  readonly environment: readonly string[];
  /** Has the helper write this line, and end. */
  answer(line: unknown): Promise<void>;
  /** Waits until the helper has been ended. */
  gone(): Promise<void>;
}

/** A program in place of our helper, whose answers a test gives. */
export class Helper {
  readonly path: string;
  readonly #folder: string;
  readonly #seen = new Set<string>();

  private constructor(path: string, folder: string) {
    this.path = path;
    this.#folder = folder;
  }

  static async make(home: Home): Promise<Helper> {
    const folder = join(home.path, 'questions');
    await mkdir(folder, { recursive: true });
    const path = join(home.path, 'helper');
    // A file shows up whole; `$$` is the process.
    const script = `#!/bin/sh
read -r line
printf '%s' "$line" > ${folder}/$$.part
env > ${folder}/$$.env
mv ${folder}/$$.part ${folder}/$$.question
while [ ! -e ${folder}/$$.answer ]; do sleep 0.02; done
cat ${folder}/$$.answer
`;
    await writeFile(path, script);
    await chmod(path, 0o755);
    return new Helper(path, folder);
  }

  /** The questions that were put up to now. */
  async asked(): Promise<string[]> {
    return (await readdir(this.#folder)).filter((name) => name.endsWith('.question'));
  }

  /** The next question. */
  async next(): Promise<Put> {
    const name = await eventually('a question is put', async () =>
      (await this.asked()).find((one) => !this.#seen.has(one)),
    );
    this.#seen.add(name);
    const pid = Number.parseInt(name, 10);
    const prompt = JSON.parse(await readFile(join(this.#folder, name), 'utf8')) as Prompt;
    const environment = (await readFile(join(this.#folder, `${pid}.env`), 'utf8')).split('\n');
    return {
      prompt,
      pid,
      environment: environment.map((line) => line.split('=')[0] ?? ''),
      answer: async (line) => {
        const draft = join(this.#folder, `${pid}.draft`);
        await writeFile(draft, `${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
        await rename(draft, join(this.#folder, `${pid}.answer`));
      },
      gone: async () => void (await eventually('the helper has ended', () => !isAlive(pid))),
    };
  }
}
