import type { Fault } from '../shared/fault.js';
import type { Link } from '../shared/link.js';
import type { Guard } from './guard.js';
import type { Catalogue } from './protocol.js';
import type { Remarks } from './remarks.js';
import type { RemoteSpec } from './remote.js';
import { type ProgramSpec, spawnProgram } from './spawn.js';

/** Where a child comes from: a program to start, or a server to connect to. */
export type Source = ProgramSpec | RemoteSpec;

/** A child that runs, or is spoken to. */
export interface Opened {
  readonly link: Link;
  readonly pid?: number;
  stop(why?: Fault): Promise<void>;
  /** Says where it is found what the server offers. */
  knows?(catalogue: () => Catalogue): void;
  /** Says whom to tell when it may have said something that was not heard. */
  whenUnheard?(tell: () => void): void;
}

/**
 * Starts the program, or begins to speak to the server.
 * @throws Fault `gone` when the program cannot be started.
 */
export async function openSource(alias: string, source: Source, guard: Guard, remarks: Remarks): Promise<Opened> {
  if ('program' in source) return await spawnProgram(alias, source, guard, remarks);
  const { RemoteLink } = await import('./remote.js');
  const link = new RemoteLink(alias, source);
  return {
    link,
    stop: (why) => {
      link.close(why);
      return Promise.resolve();
    },
    knows: (catalogue) => {
      link.catalogue = catalogue;
    },
    whenUnheard: (tell) => {
      link.onUnheard = tell;
    },
  };
}

/** What tells one source from another; the same as long as the child is had in the same way. */
export function sourceKey(source: Source): unknown {
  if ('url' in source)
    return [source.url, [...source.headers], ...(source.client === undefined ? [] : [source.client])];
  const { program, args, env, cwd } = source;
  return [program, args, [...env], cwd];
}
