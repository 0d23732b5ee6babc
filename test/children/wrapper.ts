/** Runs its arguments as a program behind pipes of its own, as package runners do; the end of its input stays here. */
import { spawn } from 'node:child_process';

const [program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.on('data', (chunk: Buffer) => child.stdin.write(chunk));
child.stdout.pipe(process.stdout);
child.on('exit', (code) => process.exit(code ?? 1));
