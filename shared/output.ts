import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/**
 * A standard stream that never blocks. `process.stdout` and `process.stderr` write to pipes synchronously, so a reader
 * that stops reading would stop the whole process; a socket of our own on the same descriptor queues instead.
 */
export function queuedOutput(descriptor: 1 | 2, otherwise: Writable): Writable {
  const kind = fstatSync(descriptor);
  if (!kind.isFIFO() && !kind.isSocket()) return otherwise;
  return new Socket({ fd: descriptor, readable: false, writable: true });
}
