import { spawn } from 'node:child_process';

/** The least that can stand between: starts a program and passes bytes both ways without looking at them. */
const [program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
