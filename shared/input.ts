import { fstatSync } from 'node:fs';
import { type OnReadOpts, Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** Bytes that are read at a time. */
const CHUNK = 64 * 1024;

/**
 * Standard input, read into one buffer again and again: `process.stdin` allocates 64 KB for each read, however little
 * comes, which shows where many small messages come. This takes the place of `process.stdin`, because some libraries
 * touch that, and two sockets cannot wait for one descriptor. A terminal or a file is read in the ordinary way.
 */
export function standardInput(): Readable {
  const kind = fstatSync(0);
  if (!kind.isFIFO() && !kind.isSocket()) return process.stdin;
  const buffer = Buffer.allocUnsafeSlow(CHUNK);
  const onread: OnReadOpts = {
    buffer,
    // What listeners are given is theirs to keep.
    callback: (length) => input.emit('data', Buffer.from(buffer.subarray(0, length))),
  };
  const options = { fd: 0, readable: true, writable: false, onread };
  const input = new Socket(options);
  // Until it is resumed.
  input.pause();
  Object.defineProperty(process, 'stdin', { configurable: true, enumerable: true, value: input });
  return input;
}
