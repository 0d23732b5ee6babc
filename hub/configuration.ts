import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { asFault, Fault, systemFault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import { systemd } from '../shared/notify.js';
import { shutdown } from '../shared/shutdown.js';
import type { ChildSpec, Reconfigured } from './children.js';
import { type Config, readConfig } from './config.js';
import type { Expose } from './expose.js';
import type { Hub } from './hub.js';
import { FileWatch } from './watch.js';

/** What the hub is to run, and what of it clients see. */
export interface Wanted {
  readonly children: readonly ChildSpec[];
  readonly expose: Expose;
}

/** The children of the command line and of the configuration files, which are followed while the hub runs. */
export class Configuration {
  readonly #fixed: readonly ChildSpec[];
  readonly #expose: Expose | undefined;
  readonly #paths: readonly string[];
  readonly #watches: readonly FileWatch[];
  /** What the person has been told of the files as they are. */
  #remarks: readonly string[] = [];
  /** Whom to tell, and what to change. */
  #hub: Hub | undefined;
  #work: Promise<void> = Promise.resolve();

  /** What the command line says counts before what the files say. */
  constructor(fixed: readonly ChildSpec[], expose: Expose | undefined, paths: readonly string[]) {
    this.#fixed = fixed;
    this.#expose = expose;
    this.#paths = paths.map((path) => resolve(path.replace(/^~(?=\/)/, homedir())));
    this.#watches = this.#paths.map((path) => new FileWatch(path));
  }

  /**
   * All children, those of the command line first; of what clients see, the first word counts.
   * @throws Fault `invalid`, or `gone` for a file that cannot be read.
   */
  async read(): Promise<Wanted> {
    const files = await Promise.all(this.#paths.map(readFileAt));
    const children = new Map<string, { readonly spec: ChildSpec; readonly from: string }>();
    for (const { from, children: specs } of [{ from: 'the command line', children: this.#fixed }, ...files]) {
      for (const spec of specs) {
        const other = children.get(spec.alias);
        if (other !== undefined) throw twiceFault(spec.alias, other.from, from);
        children.set(spec.alias, { spec, from });
      }
    }
    this.#remark(files.flatMap(({ remarks }) => remarks));
    const [expose = 'all'] = [this.#expose, ...files.map((file) => file.expose)].filter((each) => each !== undefined);
    return { children: [...children.values()].map(({ spec }) => spec), expose };
  }

  /** From now on the hub has what the files say, whenever one has changed since it was read, and at each SIGHUP. */
  follow(hub: Hub): void {
    this.#hub = hub;
    const reload = (): void => {
      this.#work = this.#work.then(() => this.#reload(hub));
    };
    for (const watch of this.#watches) watch.start(reload);
    const hadTerminal = hasTerminal();
    process.on('SIGHUP', () => {
      if (hadTerminal && !hasTerminal()) void shutdown.run(0);
      else reload();
    });
  }

  /** Follows no more. */
  close(): void {
    for (const watch of this.#watches) watch.close();
  }

  async #reload(hub: Hub): Promise<void> {
    try {
      const { children, expose } = await this.read();
      const changes = hub.configure(children, expose);
      systemd.status(hub.summary);
      log.info(`the configuration was read again: ${summary(changes)}`);
    } catch (error) {
      const text = `the configuration stays as it was: ${asFault(error).text}`;
      log.error(text);
      hub.say('error', text);
    }
  }

  /** Says what is new. */
  #remark(remarks: readonly string[]): void {
    for (const remark of remarks.filter((each) => !this.#remarks.includes(each))) {
      log.warn(remark);
      this.#hub?.say('warning', remark);
    }
    this.#remarks = remarks;
  }
}

async function readFileAt(path: string): Promise<Config & { readonly from: string }> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw systemFault(`${path} cannot be read`, error);
  }
  return { from: path, ...readConfig(path, text) };
}

function twiceFault(alias: string, one: string, other: string): Fault {
  return new Fault('invalid', `the alias ${alias} is given by ${one} and by ${other}`, { next: 'Rename one of them.' });
}

function summary({ added, removed, replaced }: Reconfigured): string {
  const parts = [
    ['added', added],
    ['stopped', removed],
    ['restarted', replaced],
  ] as const;
  const said = parts
    .filter(([, aliases]) => aliases.length > 0)
    .map(([verb, aliases]) => `${verb} ${aliases.join(', ')}`);
  return said.join('; ') || 'nothing has changed';
}

/** Whether this process has a controlling terminal: one that is gone was closed, which SIGHUP says too (tty(4)). */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
