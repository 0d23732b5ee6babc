import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { Fault, systemFault } from '../shared/fault.js';
import { inherited } from '../shared/inherited.js';
import { log } from '../shared/log.js';
import type { Replay } from './options.js';

/** The plugin, which replays, beside the bundle or the build. */
const PLUGIN = resolve(import.meta.dirname, '../../vim');
/** Milliseconds for all of it. */
const PATIENCE = 300_000;
/** What went wrong, as far as it is told. */
const MOST_TOLD = 5;

const outcome = z.object({
  buffers: z.array(
    z.object({ buffer: z.number(), filename: z.string(), tick: z.number(), lines: z.array(z.string()) }),
  ),
  changes: z.number(),
  marks: z.number(),
  problems: z.array(z.string()),
  cut: z.boolean(),
  screen: z.array(z.string()),
});

/**
 * Replays a trace in a new Vim and checks each of its marks; what is to be printed.
 * @throws Fault `invalid` when the file is no trace or a mark does not hold, `unsupported` without a Vim.
 */
export async function replay({ file, dump, isShown, columns, rows }: Replay): Promise<string> {
  await access(file).catch((error: unknown) => {
    throw systemFault(`cannot read ${file}`, error);
  });
  const folder = await mkdtemp(join(tmpdir(), 'mcp-replay-'));
  try {
    const out = join(folder, 'out');
    await inVim({ MCP_REPLAY: resolve(file), MCP_REPLAY_OUT: out, MCP_REPLAY_SIZE: `${columns} ${rows}` });
    const { buffers, changes, marks, problems, cut, screen } = outcome.parse(JSON.parse(await readFile(out, 'utf8')));
    if (problems.length > 0) throw wrong(file, problems);
    if (cut) log.warn(`the last line of ${file} is cut, as when its writer is killed, and left out`);
    const state = `${JSON.stringify({ buffers })}\n`;
    if (dump !== undefined && dump !== '-') await writeFile(dump, state, { mode: 0o600 });
    const told = `${changes} changes replayed in ${buffers.length} buffers, ${marks} marks hold\n`;
    const shown = isShown ? `${screen.join('\n')}\n` : '';
    return dump === '-' ? state + shown : shown || told;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the replay in a Vim without a terminal, which takes what it needs from the environment. */
async function inVim(variables: Readonly<Record<string, string>>): Promise<void> {
  const args = ['-u', 'NONE', '-i', 'NONE', '-N', '-n', '--not-a-term', '-T', 'xterm'];
  args.push('--cmd', 'set encoding=utf-8', '--cmd', 'let &runtimepath = $MCP_PLUGIN', '-c', 'call mcp#replay#Main()');
  const child = spawn('vim', args, {
    env: inherited({ ...variables, MCP_PLUGIN: PLUGIN }),
    stdio: 'ignore',
    timeout: PATIENCE,
  });
  const [status] = (await once(child, 'close').catch((error: unknown) => {
    throw new Fault('unsupported', `no Vim to replay in: ${String(error)}`, { next: 'Install Vim 9.' });
  })) as [number | null];
  if (status === 0) return;
  const said = await readFile(variables['MCP_REPLAY_OUT'] ?? '', 'utf8').catch(() => 'it did not come to an end');
  throw new Fault('unsupported', `Vim could not replay it: ${said.trim().slice(0, 500)}`);
}

function wrong(file: string, problems: readonly string[]): Fault {
  const told = problems.slice(0, MOST_TOLD).join('; ');
  return new Fault('invalid', `${file} does not replay to what it says, ${problems.length} times: ${told}`);
}
