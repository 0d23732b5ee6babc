/**
 * Another user of the machine, who tries to get at what a person has. Reads the places and ports to try as JSON on standard
 * input, prints what came of each. As root it becomes somebody else first; else it is the person, who is told so.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

interface Plan {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly sockets: readonly string[];
  readonly ports: readonly number[];
  readonly pids: readonly number[];
  readonly lines: readonly string[];
}

const NOBODY = 65_534;
const plan = JSON.parse(await text(process.stdin)) as Plan;
const isRoot = process.getuid?.() === 0;
if (isRoot) {
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}

/** What something comes to: its text, or the code of the error. */
function outcome(work: () => string): string {
  try {
    return `got ${work()}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** Sends a text and takes all that comes until the other side ends the connection. */
function said(where: number | string, line: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = typeof where === 'number' ? connect(where, '127.0.0.1') : connect(where);
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    socket.on('close', () => resolve(heard));
    socket.write(line);
  });
}

const answers: string[] = [];
for (const port of plan.ports) answers.push(...(await Promise.all(plan.lines.map((line) => said(port, line)))));
const uid = process.getuid?.();
process.stdout.write(
  JSON.stringify({
    uid,
    files: plan.files.map((path) => outcome(() => readFileSync(path, 'utf8'))),
    folders: plan.folders.map((path) => outcome(() => readdirSync(path).join())),
    planted: (isRoot ? plan.folders : []).map((path) => outcome(() => String(writeFileSync(`${path}/planted`, '')))),
    sockets: isRoot ? await Promise.all(plan.sockets.map((path) => said(path, plan.lines[0] ?? ''))) : [],
    environments: isRoot ? plan.pids.map((pid) => outcome(() => readFileSync(`/proc/${pid}/environ`, 'utf8'))) : [],
    commands: plan.pids.map((pid) => outcome(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))),
    answers,
  }),
);
