import { listenerUrl } from '../shared/address.js';
import { asFault, Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import { shutdown } from '../shared/shutdown.js';
import { type Options, readOptions, USAGE } from './options.js';
import { VERSION } from './version.js';

/** Runs the program; the exit status is 0, 1 after a message, or 2 for what cannot be meant. */
async function main(argv: readonly string[]): Promise<void> {
  log.name('mcp-vim');
  const options = await readOptions(argv, process.env);
  if (options.print !== undefined) {
    process.stdout.write(await printed(options));
    return;
  }
  if (options.replay !== undefined) {
    const { replay } = await import('./replay.js');
    process.stdout.write(await replay(options.replay));
    return;
  }
  shutdown.onSignals();
  const { runBroker } = await import('./broker.js');
  await runBroker(options);
}

async function printed({ print, host, port, tokens, readOnly }: Options): Promise<string> {
  if (print === 'help') return USAGE;
  if (print === 'version') return `${VERSION}\n`;
  if (print === 'url') return `${url(host, port, tokens.newest)}\n`;
  if (print === 'list') {
    const { toolList } = await import('./tool-list.js');
    return toolList(readOnly);
  }
  const { toolHelp } = await import('./tool-help.js');
  return toolHelp(readOnly);
}

function url(host: string, port: number, token: string): string {
  if (port !== 0) return listenerUrl(host, port, token);
  throw new Fault('invalid', 'with port 0 the system chooses the port when mcp-vim starts', {
    next: 'Give a port to --bind, or let :Mcp without a URL find the broker.',
  });
}

function fail(error: unknown): void {
  const fault = asFault(error);
  log.error(fault.text);
  void shutdown.run(fault.kind === 'invalid' ? 2 : 1);
}

// Rejections that nobody handles come here too.
process.on('uncaughtException', fail);
main(process.argv.slice(2)).catch(fail);
