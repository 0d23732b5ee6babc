/** A person with the rules of a hub, and a server whose calls are written down. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { Helper } from '../vim/helper.js';
import { cleanup } from './cleanup.js';
import { folder, makeHome } from './home.js';
import { child } from './hub.js';
import { allGone, type Environment } from './processes.js';

const LOOK = { name: 'look', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } };
const ADDS = { name: 'adds', annotations: { destructiveHint: false }, inputSchema: { type: 'object' } };

interface Person {
  readonly env: Environment;
  /** The file of rules of the hub. */
  readonly rules: string;
  /** The hub's words for a server whose calls are written down. */
  readonly server: readonly string[];
  readonly helper: Helper;
  /** The calls that the server got. */
  calls(): Promise<unknown[]>;
  writeRules(text: string): Promise<void>;
}

export async function person(t: TestContext): Promise<Person> {
  const home = await makeHome();
  cleanup(t, () => home.remove());
  cleanup(t, () => allGone(home.env));
  const own = await folder(t);
  const [list, calls] = [join(own, 'list'), join(own, 'calls')];
  await writeFile(list, [LOOK, ADDS].map((tool) => JSON.stringify(tool)).join('\n'));
  await writeFile(calls, '');
  const rules = join(home.env['XDG_CONFIG_HOME'] ?? '', 'mcp-multibroker/rules/hub-default.ini');
  return {
    env: home.env,
    rules,
    server: child('notes', 'plain', '--list', list, '--calls', calls),
    helper: await Helper.make(home),
    calls: async () => {
      const lines = (await readFile(calls, 'utf8')).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as unknown);
    },
    writeRules: async (text) => {
      await mkdir(dirname(rules), { recursive: true, mode: 0o700 });
      await writeFile(rules, text, { mode: 0o600 });
    },
  };
}
