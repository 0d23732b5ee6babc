import { fileURLToPath } from 'node:url';

/** A command line: the program and its arguments. */
export type Command = readonly [string, ...string[]];

const node = process.execPath;

/** A program of this package: `bin/NAME`. */
export function bin(name: string, ...args: readonly string[]): Command {
  return [node, file(`../../bin/${name}`), ...args];
}

/** The lean child, spoken to directly. */
export const echoChild: Command = [node, file('./echo-child.js')];

/** The lean child behind a process that passes bytes both ways without looking. */
export const behindRelay: Command = [node, file('./byte-relay.js'), ...echoChild];

/** The lean child behind a process that decodes and encodes each message. */
export const behindParser: Command = [node, file('./parsing-relay.js'), ...echoChild];

/** The lean child behind the hub, as `x`. */
export const behindHub: Command = bin('mcp-multibroker', '--stdio', 'x', '---', ...echoChild, '---');

function file(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
