/**
 * The least that a hub in JavaScript could do: passes messages both ways, each decoded, its id exchanged, and encoded
 * again. What the hub is to be held against beside the byte relay.
 */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Lines } from '../shared/lines.js';

interface Message {
  id?: unknown;
  method?: string;
}

const [program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const ids = new Map<number, unknown>();
let next = 0;

pass(process.stdin, child.stdin, (message) => {
  if (message.id === undefined) return;
  ids.set(next, message.id);
  message.id = next;
  next += 1;
});
pass(child.stdout, process.stdout, (message) => {
  if (typeof message.id !== 'number' || message.method !== undefined) return;
  const id = ids.get(message.id);
  ids.delete(message.id);
  message.id = id;
});

function pass(from: Readable, to: Writable, change: (message: Message) => void): void {
  const lines = new Lines();
  from.on('data', (chunk: Buffer) => {
    lines.push(chunk, (line) => {
      const message = JSON.parse(line.toString()) as Message;
      change(message);
      to.write(`${JSON.stringify(message)}\n`);
    });
  });
  from.on('end', () => to.end());
}
