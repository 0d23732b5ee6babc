import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asFault, Fault } from '../shared/fault.js';
import type { RuleFile } from '../shared/rule-file.js';
import { parseRules, type RuleText } from '../shared/rule-text.js';

/**
 * Opens a copy of the rules in the person's editor and takes it up, if it has no mistake and nobody else changed them.
 * @throws Fault that says where the copy is.
 */
export async function editRules(file: RuleFile): Promise<RuleText> {
  const before = file.raw();
  const folder = await mkdtemp(join(tmpdir(), 'rules-'));
  const draft = join(folder, 'rules.ini');
  try {
    await writeFile(draft, before, { mode: 0o600 });
    await run(process.env['VISUAL'] || process.env['EDITOR'] || 'vi', draft);
    const after = await readFile(draft, 'utf8');
    const rules = parseRules(after, file.words, draft);
    await file.replace(before, after);
    await rm(folder, { recursive: true });
    return rules;
  } catch (error) {
    const { kind, message } = asFault(error);
    throw new Fault(kind, message, { next: `Nothing was changed; what you wrote is in ${draft}`, cause: error });
  }
}

/** As other programs do it, the editor may be a command line for the shell, which the person's own environment has. */
async function run(editor: string, path: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' });
  const code = await new Promise<number | null>((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  if (code !== 0) throw new Fault('gone', `${editor} ended with ${code}`);
}
