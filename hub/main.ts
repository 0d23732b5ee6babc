import { type HubPlace, keepConnected } from '../shared/connect.js';
import { asFault, type Fault } from '../shared/fault.js';
import type { Link } from '../shared/link.js';
import type { ListenOptions } from '../shared/listener.js';
import { log } from '../shared/log.js';
import { systemd } from '../shared/notify.js';
import { shutdown } from '../shared/shutdown.js';
import { stdioLink } from '../shared/stdio.js';
import type { Configuration } from './configuration.js';
import type { Gate } from './gate.js';
import type { HttpFront } from './http.js';
import { Hub } from './hub.js';
import { type HubOptions, hubUsage, readHubOptions } from './options.js';
import { ANY_CLIENT, HUB_INFO } from './protocol.js';

log.name(HUB_INFO.name);

try {
  const [first, ...others] = process.argv.slice(2);
  if (first === 'import') await runImport(others);
  else if (first === 'rules') await runRules(others);
  else if (first === 'init') await runInit(others);
  else if (first === 'rotate') await runRotate(others);
  else await run(await readHubOptions(process.argv.slice(2)));
} catch (error) {
  const fault = asFault(error);
  log.error(fault.text);
  process.exitCode = fault.kind === 'invalid' ? 2 : 1;
}

async function run(options: HubOptions): Promise<void> {
  if (options.mode === 'help') print(hubUsage());
  else if (options.mode === 'version') print(`${HUB_INFO.version}\n`);
  else if (options.mode === 'print-url') await printUrl(options);
  else await serve(options);
}

async function runImport(argv: readonly string[]): Promise<void> {
  const { importServers } = await import('./import.js');
  print(await importServers(argv));
}

async function runRules(argv: readonly string[]): Promise<void> {
  const { manageRules } = await import('./rules.js');
  print(await manageRules(argv));
}

async function runInit(argv: readonly string[]): Promise<void> {
  const { prepare } = await import('./init.js');
  print(await prepare(argv));
}

async function runRotate(argv: readonly string[]): Promise<void> {
  const { rotate } = await import('./rotate.js');
  print(await rotate(argv));
}

function print(text: string): void {
  process.stdout.write(text);
}

async function printUrl(options: HubOptions): Promise<void> {
  const { connectUrl, frontDoor } = await import('./accept.js');
  print(`${connectUrl(await frontDoor(options))}\n`);
}

async function serve(options: HubOptions): Promise<void> {
  for (const token of options.tokens) log.hide(token);
  const configuration = await configurationOf(options);
  const { children, expose } = (await configuration?.read()) ?? options;
  const [gate, key] = await Promise.all([gateOf(options), keyOf(options)]);
  const hub = new Hub(children, {
    separator: options.separator,
    status: options.status,
    ...(expose === undefined ? {} : { expose }),
    gate,
    missing: (why) => void endWithout(why),
    ...key,
  });
  // With files, SIGHUP means that they are to be read again.
  if (configuration === undefined) shutdown.onSignals();
  else shutdown.onSignals(['SIGTERM', 'SIGINT']);
  shutdown.add('the children', () => hub.children.stop());
  hub.children.start();
  const served = options.stdio ? serveStdio(hub) : undefined;
  if (configuration !== undefined) {
    configuration.follow(hub);
    shutdown.add('the configuration', () => configuration.close());
  }
  await openFrontDoor(options, hub);
  for (const address of options.connects) offerTo(address, hub);
  if (served === undefined) hub.children.offer(ANY_CLIENT);
  else {
    const why = await served;
    if (why.kind !== 'gone') log.error(why.text);
    await shutdown.run(why.kind === 'gone' ? 0 : 1);
  }
}

/** HTTP is loaded with its first request: a client on standard input and output never needs it. */
function lazyFront(hub: Hub): NonNullable<ListenOptions['http']> {
  let front: Promise<HttpFront> | undefined;
  return (request, response, path) => {
    front ??= import('./http.js').then(({ HttpFront: Front }) => {
      const made = new Front(
        (link, isForOne) => void hub.serve(link, isForOne),
        (tool) => hub.mirrored(tool),
      );
      shutdown.add('HTTP', () => made.close());
      return made;
    });
    front.then((made) => made.handle(request, response, path)).catch(() => response.destroy());
  };
}

/** Ends because a required child is missing. */
async function endWithout(why: Fault): Promise<void> {
  log.error(why.text);
  await shutdown.run(1);
}

/** The configuration files, where there are any; what reads them is loaded only then. */
async function configurationOf({ children, expose, configs }: HubOptions): Promise<Configuration | undefined> {
  if (configs.length === 0) return undefined;
  const { Configuration } = await import('./configuration.js');
  return new Configuration(children, expose, configs);
}

/** What decides on calls, where something on the command line or in a file may want that. */
async function gateOf({ permissions, configs }: HubOptions): Promise<Gate | undefined> {
  const { guard, pin, asking } = permissions;
  if (!guard && !pin && !asking.isChosen && configs.length === 0) return undefined;
  const { Gate: Made } = await import('./gate.js');
  return new Made(permissions);
}

/** What signs the ids of tasks; where there is no secret, the hub makes one for itself. */
async function keyOf({ name }: HubOptions): Promise<{ readonly key?: Uint8Array }> {
  const [{ masterSecret }, { derivedKey }] = await Promise.all([
    import('../shared/secret.js'),
    import('../shared/token.js'),
  ]);
  return await masterSecret().then(
    ({ current }) => ({ key: derivedKey(current, name) }),
    () => ({}),
  );
}

async function serveStdio(hub: Hub): Promise<Fault> {
  const { link, flushed } = stdioLink();
  const why = await hub.serve(link);
  await flushed;
  return why;
}

/** Serves another hub, which is dialled, as one more client. */
function offerTo(address: HubPlace, hub: Hub): void {
  const stop = new AbortController();
  shutdown.add('the connection to another hub', () => stop.abort());
  const serve = async (link: Link): Promise<void> => {
    throw await hub.serve(link);
  };
  void keepConnected(address, serve, stop.signal);
}

/**
 * A client may start one hub for each of its windows, all with the same options: the first of them listens. Only where
 * the person said where to listen is it an error that somebody else does.
 */
async function openFrontDoor(options: HubOptions, hub: Hub): Promise<void> {
  const { acceptChildren, frontDoor } = await import('./accept.js');
  try {
    const http = lazyFront(hub);
    const listener = await acceptChildren(await frontDoor(options), hub.children, http);
    shutdown.add('the listener', () => listener.close());
    log.info(`${options.name} listens on ${listener.host}:${listener.port}`);
    systemd.ready(`${hub.summary}, on ${listener.host}:${listener.port}`);
  } catch (error) {
    const fault: Fault = asFault(error);
    if (options.bound || !(options.stdio || options.connects.length > 0)) {
      log.error(`${fault.text}. Does another hub with this name run? Choose another --name or --bind.`);
      await shutdown.run(1);
    }
    log.info(`children cannot dial in here: ${fault.message}`);
  }
}
