/** A server that outlives the end of its input and every signal it can, and so does the process that it starts. */
import { spawn } from 'node:child_process';

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
setInterval(() => undefined, 60_000);

if (!process.argv.includes('--grandchild')) {
  spawn(process.execPath, [...process.argv.slice(1), '--grandchild'], { stdio: 'inherit' });
  await import('./plain.js');
}
