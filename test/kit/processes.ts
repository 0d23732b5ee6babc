import { readdir, readFile } from 'node:fs/promises';
import { eventually } from './until.js';

/** The environment of a person in a test. */
export type Environment = Record<string, string>;

/** The processes that run for this person: whatever they start inherits the folders. */
export async function processesOf({ XDG_STATE_HOME: folder }: Environment): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.split('\0').includes(`XDG_STATE_HOME=${folder}`);
    }),
  );
  return pids.filter((_, index) => found[index]);
}

/** Waits until none of them is left; those that stay are killed. @throws when some stayed. */
export async function allGone(env: Environment, limit = 10_000): Promise<void> {
  try {
    await eventually('no process is left', async () => (await processesOf(env)).length === 0, limit);
  } catch (error) {
    const left = await processesOf(env);
    const lines = await Promise.all(left.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'gone')));
    for (const pid of left) process.kill(pid, 'SIGKILL');
    throw new Error(`left: ${lines.map((line) => line.replaceAll('\0', ' ')).join(', ')}`, { cause: error });
  }
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The shells that a process has started. */
export async function shellsOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => (await statOf(pid))?.parent === parent && (await isShell(pid))),
  );
  return pids.filter((_, index) => found[index]);
}

/** Seconds that a process has run. */
export async function ageOf(pid: number): Promise<number> {
  const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
  return uptime - ((await statOf(pid))?.started ?? 0) / TICKS;
}

/** Clock ticks a second in /proc, on every Linux that Node.js runs on. */
const TICKS = 100;

async function isShell(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).startsWith('/bin/sh\0');
}

/** proc(5): the fields after the name, which stands in parentheses. */
async function statOf(pid: number): Promise<{ readonly parent: number; readonly started: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields === undefined ? undefined : { parent: Number(fields[1]), started: Number(fields[19]) };
}
