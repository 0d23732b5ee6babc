import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Fault } from '../shared/fault.js';
import { Lines } from '../shared/lines.js';
import { type Link, streamLink } from '../shared/link.js';
import { log } from '../shared/log.js';
import { childEnvironment } from './environment.js';
import type { Guard } from './guard.js';
import type { Remarks } from './remarks.js';

/** How to start a child process; no shell is involved. */
export interface ProgramSpec {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string | undefined;
}

/** A running child process. */
export interface ChildProgram {
  readonly link: Link;
  readonly pid: number;
  /** Ends it in order: standard input, then SIGTERM, then SIGKILL to its whole process group. */
  stop(why?: Fault): Promise<void>;
}

/** Waits of the stop ladder and for the last output of a process that exited, in milliseconds. */
const AFTER_STDIN = 1000;
const AFTER_TERM = 3000;
const LAST_WORDS = 200;
const EXITING = 1000;

/** Bytes of a line on standard error above which it is dropped. */
const LONGEST_REMARK = 64 * 1024;

type Spawned = ChildProcessByStdio<Writable, Readable, Readable>;

/** Our own programs are found although they are not on PATH. */
const OWN_PROGRAMS: ReadonlyMap<string, string> = new Map(
  ['mcp-vim', 'mcp-multibroker'].map((name) => [name, fileURLToPath(new URL(`../../bin/${name}`, import.meta.url))]),
);

/**
 * Starts a child in a process group of its own; what it says on standard error is added to `remarks`.
 * @throws Fault `gone` when the program cannot be started.
 */
export async function spawnProgram(
  alias: string,
  spec: ProgramSpec,
  guard: Guard,
  remarks: Remarks,
): Promise<ChildProgram> {
  for (const [name, value] of spec.env) log.hideNamed(name, value);
  const own = OWN_PROGRAMS.get(spec.program);
  const child: Spawned = spawn(
    own === undefined ? spec.program : process.execPath,
    [...(own === undefined ? [] : [own]), ...spec.args],
    {
      cwd: spec.cwd,
      env: childEnvironment(spec.env),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    },
  );
  const failed = once(child, 'error').then(([error]: unknown[]) => error);
  const pid = child.pid;
  if (pid === undefined) throw await startFault(alias, spec, await failed);
  guard.watch(pid);
  child.on('error', (error) => log.warn(`${alias}: ${error.message}`));
  const lost = new AbortController();
  const link = streamLink(alias, child.stdout, child.stdin, { onLoss: () => lost.abort() });
  const said = passOn(alias, child.stderr, remarks);
  const ended = watchEnd(child, link, () => exitFault(alias, child, said() ? remarks.last : ''));
  const stopIt = (why?: Fault): Promise<void> => stop(child, pid, link, ended, why);
  lost.signal.addEventListener('abort', () => void endWithoutExit(alias, link, ended, stopIt), { once: true });
  void ended.then(() => guard.release(pid));
  return { link, pid, stop: stopIt };
}

/** Ends the link once the process is gone and what it wrote last has been read, then what is left of its group. */
async function watchEnd(child: Spawned, link: Link, why: () => Fault): Promise<void> {
  await once(child, 'exit');
  const read = [child.stdout, child.stderr].map((stream) => once(stream, 'close'));
  // A turn more, in which what has come meanwhile is read, however long this process was busy.
  await Promise.race([Promise.all(read), sleep(LAST_WORDS).then(() => nextTurn())]);
  link.close(why());
  child.stdout.destroy();
  child.stderr.destroy();
  if (child.pid !== undefined && signalGroup(child.pid, 'SIGTERM')) {
    await sleep(LAST_WORDS);
    signalGroup(child.pid, 'SIGKILL');
  }
}

/** A process that ends closes its streams a moment before; one that lives on without them is of no use. */
async function endWithoutExit(
  alias: string,
  link: Link,
  ended: Promise<void>,
  stopIt: () => Promise<void>,
): Promise<void> {
  if (await within(ended, EXITING)) return;
  link.close(new Fault('gone', `${alias} closed its output and goes on running`, { data: { child: alias } }));
  await stopIt();
}

async function stop(child: Spawned, pid: number, link: Link, ended: Promise<void>, why?: Fault): Promise<void> {
  link.close(why ?? new Fault('gone', `${link.name} was stopped`));
  if (await within(ended, AFTER_STDIN)) return;
  signalGroup(pid, 'SIGTERM');
  if (await within(ended, AFTER_TERM)) return;
  signalGroup(pid, 'SIGKILL');
  child.kill('SIGKILL');
  await ended;
}

async function within(ended: Promise<void>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const done = await Promise.race([ended.then(() => true), late]);
  timer.abort();
  return done;
}

/** Whether there was anybody to signal. */
function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Shows what the child says on standard error under its alias, and keeps it; whether it has said anything. */
function passOn(alias: string, stderr: Readable, remarks: Remarks): () => boolean {
  let lines = new Lines(LONGEST_REMARK);
  let hasSpoken = false;
  stderr.on('data', (chunk: Buffer) => {
    try {
      lines.push(chunk, (line) => {
        const text = line.toString();
        hasSpoken = true;
        remarks.add(text);
        log.info(`${alias}: ${text}`);
      });
    } catch {
      lines = new Lines(LONGEST_REMARK);
    }
  });
  return () => hasSpoken;
}

function exitFault(alias: string, { exitCode, signalCode }: Spawned, lastLine: string): Fault {
  const how = signalCode === null ? `exited with code ${exitCode ?? 0}` : `was ended by ${signalCode}`;
  const said = lastLine === '' ? '' : ` (it said last: ${lastLine.slice(0, 300)})`;
  return new Fault('gone', `${alias} ${how}${said}`, { data: { child: alias } });
}

async function startFault(alias: string, spec: ProgramSpec, cause: unknown): Promise<Fault> {
  const { program, cwd } = spec;
  const data = { child: alias };
  const folder = cwd === undefined ? undefined : await stat(cwd).catch(() => undefined);
  if (cwd !== undefined && folder?.isDirectory() !== true) {
    return new Fault('gone', `${alias} cannot be started: ${cwd} is no folder`, {
      cause,
      data,
      next: 'Correct its cwd.',
    });
  }
  const { message, code } = cause as NodeJS.ErrnoException;
  if (code !== 'ENOENT') {
    const next = `Check that ${program} may be executed.`;
    return new Fault('gone', `${alias} cannot be started: ${message}`, { cause, data, next });
  }
  return new Fault('gone', `${alias} cannot be started: ${await missing(spec)}`, {
    cause,
    data,
    next: /\s/.test(program)
      ? 'A command is one program without its arguments: give those apart.'
      : 'Install it, or give the full path to it.',
  });
}

/** What is not there: the program, or what a script names in its first line. */
async function missing({ program, env, cwd = '' }: ProgramSpec): Promise<string> {
  if (!program.includes('/')) {
    return `there is no program ${JSON.stringify(program)} on its PATH (${childEnvironment(env)['PATH'] ?? 'which is empty'})`;
  }
  const there = await stat(resolve(cwd, program)).catch(() => undefined);
  if (there === undefined) return `there is no file ${program}`;
  return `the interpreter that ${program} names in its first line is not there`;
}
