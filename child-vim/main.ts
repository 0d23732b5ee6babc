import { listenerUrl } from '../shared/address.js';
import { asFault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import { shutdown } from '../shared/shutdown.js';
import { type Options, readOptions, USAGE } from './options.js';
import { VERSION } from './version.js';

/** Runs the program; the exit status is 0, or 1 after a message. */
async function main(argv: readonly string[]): Promise<void> {
  log.name('mcp-vim');
  const options = await readOptions(argv, process.env);
  if (options.print !== undefined) {
    process.stdout.write(await printed(options));
    return;
  }
  for (const token of options.tokens) log.hide(token);
  shutdown.onSignals();
  const { runBroker } = await import('./broker.js');
  await runBroker(options);
}

async function printed({ print, host, port, tokens }: Options): Promise<string> {
  if (print === 'help') return USAGE;
  if (print === 'version') return `${VERSION}\n`;
  if (print === 'url') return `${listenerUrl(host, port, tokens[0] ?? '')}\n`;
  const { toolHelp } = await import('./tool-help.js');
  return toolHelp();
}

function fail(error: unknown): void {
  log.error(asFault(error).text);
  void shutdown.run(1);
}

// Rejections that nobody handles come here too.
process.on('uncaughtException', fail);
main(process.argv.slice(2)).catch(fail);
