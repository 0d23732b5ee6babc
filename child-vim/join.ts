import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import { queuedOutput } from '../shared/output.js';
import { shutdown } from '../shared/shutdown.js';
import { type Announcement, announced } from './discovery.js';

/** The word that begins MCP on a raw line, with the dialler as the client: `["mcp", TOKEN]`. */
export const RAW_MCP = 'mcp';

/** A broker that has just started may not have left word yet: looks at it so often, with these waits in milliseconds. */
const LOOKS = 20;
const WAIT = 100;

/**
 * Passes standard input and output to the broker that runs already under this name, so that a person can have several
 * clients on the same editors. It is reached by its unix socket in the user's private folder alone, where nobody else
 * can listen. When it ends, so does this process, and whoever started it can start the next broker.
 * @returns whether there is one.
 * @throws Fault `busy` when it has other permissions: a person must not get wider ones than they wrote.
 */
export async function joinRunning(name: string, permissions: string): Promise<boolean> {
  for (let look = 0; look < LOOKS; look += 1) {
    const running = await announced(name);
    const socket = running === undefined ? undefined : await reached(running);
    if (running !== undefined && socket !== undefined) {
      if (running.permissions !== permissions) throw otherPermissions(running, permissions);
      pass(socket, running);
      return true;
    }
    await sleep(WAIT);
  }
  return false;
}

async function reached({ socket: path }: Announcement): Promise<Socket | undefined> {
  if (path === '') return undefined;
  const socket = connect({ path, allowHalfOpen: true });
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    return undefined;
  }
}

function otherPermissions({ name, pid, permissions }: Announcement, wanted: string): Fault {
  return new Fault('busy', `an mcp-vim named ${name} runs already (process ${pid}) with other permissions`, {
    next: `It has ${permissions}, this one ${wanted}: give both the same --auto-allow, --auto-deny, --ask, --read-only and --no-trace, or another --name`,
  });
}

function pass(socket: Socket, { name, pid, url }: Announcement): void {
  log.info(`an mcp-vim named ${name} runs already (process ${pid}); its editors are shared`);
  const token = new URL(url).pathname.split('/')[1] ?? '';
  log.hide(token);
  socket.write(`${JSON.stringify([RAW_MCP, token])}\n`);
  const output = queuedOutput(1, process.stdout);
  process.stdin.pipe(socket);
  socket.pipe(output);
  output.on('error', () => socket.destroy());
  socket.on('error', (error) => log.warn(`the mcp-vim named ${name} went away: ${error.message}`));
  socket.once('end', () => socket.end());
  socket.once('close', () => void shutdown.run(process.stdin.readableEnded ? 0 : 1));
}
