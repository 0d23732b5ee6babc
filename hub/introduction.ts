import { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Caller } from './caller.js';
import { capabilities, instructions } from './catalog.js';
import type { Children } from './children.js';
import type { Client } from './client.js';
import type { Envelope } from './envelope.js';
import type { Expose } from './expose.js';
import { formFor } from './forms.js';
import type { Gate } from './gate.js';
import { META, MODERN, UNCACHED } from './modern.js';
import { FORMS, HUB_INFO, type JsonObject, objectOf, REVISIONS } from './protocol.js';

/** Milliseconds that a greeting and the lists wait for children that are starting. */
export const PATIENCE = 5000;

/** What is needed for it. */
interface Surroundings {
  readonly children: Children;
  readonly gate: Gate | undefined;
  readonly expose: () => Expose;
}

/** Hub and client say who they are, in either era. */
export class Introduction {
  readonly #hub: Surroundings;
  readonly #separator: string;

  constructor(hub: Surroundings, separator: string) {
    this.#hub = hub;
    this.#separator = separator;
  }

  /** Children hear of forms where the client shows none, too, if the person can be asked without it. */
  join({ owner, capabilities: can }: Caller): void {
    const own = this.#hub.gate?.standsIn === true ? FORMS : {};
    this.#hub.children.join(owner, { ...own, ...can });
  }

  /** What is said of the hub where nobody is greeted (2026-07-28, server/discover). */
  async discover(caller: Envelope): Promise<JsonObject> {
    await Promise.all([this.#hub.children.recalled(PATIENCE), this.#hub.children.eagerReady(PATIENCE)]);
    return {
      ...UNCACHED,
      supportedVersions: [MODERN, ...REVISIONS],
      capabilities: capabilities(MODERN),
      instructions: instructions(this.#hub.children, caller.form, this.#hub.expose()),
      _meta: { [META.server]: HUB_INFO },
    };
  }

  /**
   * Greets a session.
   * @throws Fault `protocol` where that was done before.
   */
  async initialize(client: Client, frame: Frame): Promise<JsonObject> {
    if (client.capabilities !== undefined) throw new Fault('protocol', 'initialize came twice');
    const { protocolVersion, capabilities: can, clientInfo } = frame.params;
    client.capabilities = objectOf(can);
    client.info = objectOf(clientInfo);
    client.form = formFor(client.info['name'], this.#separator);
    this.join(client);
    await Promise.all([this.#hub.children.recalled(PATIENCE), this.#hub.children.eagerReady(PATIENCE)]);
    client.greeted();
    const revision = REVISIONS.find((known) => known === protocolVersion) ?? REVISIONS[0] ?? '';
    return {
      protocolVersion: revision,
      capabilities: capabilities(revision),
      serverInfo: HUB_INFO,
      instructions: instructions(this.#hub.children, client.form, this.#hub.expose()),
    };
  }
}
