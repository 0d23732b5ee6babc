import type { IncomingMessage, OutgoingMessage } from 'node:http';
import { Fault } from './fault.js';
import { limits } from './limits.js';

/**
 * All that a message over HTTP carries. By events: an iterator takes longer than most messages themselves.
 * @throws Fault `protocol` for more than `limits.message` bytes, `gone` when the connection breaks off.
 */
export function wholeBody(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    message.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limits.message) chunks.push(chunk);
      else {
        chunks = [];
        reject(new Fault('protocol', `a message holds at most ${limits.message} bytes`));
      }
    });
    message.on('end', () => {
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks));
    });
    message.on('error', (error) => reject(new Fault('gone', error.message, { cause: error })));
    message.on('aborted', () => reject(new Fault('gone', 'the connection broke off')));
  });
}

/** Bytes up to which copying them costs less than writing two pieces. */
const SHORT = 16 * 1024;

/** Ends a message over HTTP with its body, of a length that its head tells: a short one goes out in one piece with the head. */
export function endAtOnce(message: OutgoingMessage, body: Buffer): void {
  if (body.length <= SHORT) message.end(body.toString('latin1'), 'latin1');
  else message.end(body);
}
