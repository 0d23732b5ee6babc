import { standardInput } from './input.js';
import { type Link, streamLink } from './link.js';
import { queuedOutput } from './output.js';

/** The link to the process that started this one. */
export interface StdioLink {
  readonly link: Link;
  /** Fulfilled when all that was sent before the link ended has been handed to the system, or can't be. */
  readonly flushed: Promise<void>;
}

/** The link over this process's standard input and output. */
export function stdioLink(name = 'the client'): StdioLink {
  const output = queuedOutput(1, process.stdout);
  const flushed = new Promise<void>((resolve) => {
    output.once('finish', resolve);
    output.once('close', resolve);
  });
  return { link: streamLink(name, standardInput(), output), flushed };
}
