import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { Fault, systemFault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Replay } from './options.js';
import { type Ended, runScript } from './scripted.js';

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
    const variables = { MCP_REPLAY: resolve(file), MCP_REPLAY_OUT: out, MCP_REPLAY_SIZE: `${columns} ${rows}` };
    const ended = await runScript({ main: 'mcp#replay#Main', variables, out, patience: PATIENCE });
    const { buffers, changes, marks, problems, cut, screen } = outcome.parse(JSON.parse(replayed(ended)));
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

function replayed({ isDone, said = 'it did not come to an end' }: Ended): string {
  if (isDone) return said;
  throw new Fault('unsupported', `Vim could not replay it: ${said.trim().slice(0, 500)}`);
}

function wrong(file: string, problems: readonly string[]): Fault {
  const told = problems.slice(0, MOST_TOLD).join('; ');
  return new Fault('invalid', `${file} does not replay to what it says, ${problems.length} times: ${told}`);
}
