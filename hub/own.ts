import type { Call } from '../shared/call.js';
import { asFault, Fault } from '../shared/fault.js';
import type { Link } from '../shared/link.js';
import { Peer } from '../shared/peer.js';
import type { Children } from './children.js';
import { halt, restart } from './control.js';
import type { Expose } from './expose.js';
import { instructionsOf } from './instructions.js';
import type { MergedLists } from './merged.js';
import { failed, type OwnTool } from './own-tool.js';
import { HUB_INFO, type JsonObject, listChanged, objectOf, REVISIONS } from './protocol.js';
import { callSeen, Search } from './search.js';
import { servers } from './status.js';

/** Which of them are offered. */
export interface OwnSettings {
  readonly status: boolean;
  readonly expose: Expose;
  /** Between alias and name, as the person wants it. */
  readonly separator: string;
}

/** The hub's own tools, served on a link as one more child of it. */
export class OwnTools {
  readonly #children: Children;
  readonly #settings: () => OwnSettings;
  readonly #peer: Peer;
  readonly #status: readonly OwnTool[] = [servers, restart, halt, instructionsOf];
  readonly #search: readonly OwnTool[];

  /** The settings are asked for each time. */
  constructor(link: Link, children: Children, merged: MergedLists, settings: () => OwnSettings) {
    this.#children = children;
    this.#settings = settings;
    const { find, describe } = new Search(children, merged, settings().separator);
    this.#search = [find, describe, callSeen];
    this.#peer = new Peer(link, {
      request: (call) => void this.#answer(call),
      notification: () => undefined,
      unreadable: (fault) => this.#peer.refuse(fault),
      end: () => undefined,
    });
    this.#peer.start();
  }

  /** The settings have changed. */
  changed(): void {
    this.#peer.notify(listChanged('tools'));
  }

  async #answer(call: Call): Promise<void> {
    const { method, params } = call.frame;
    try {
      if (method === 'initialize') call.result(greeting());
      else if (method === 'tools/list') call.result({ tools: this.#offered().map(({ definition }) => definition) });
      else if (method === 'tools/call') call.result(await this.#outcome(params));
      else throw new Fault('unsupported', `the method ${method} is not offered here`);
    } catch (error) {
      call.fail(asFault(error));
    }
  }

  #offered(): readonly OwnTool[] {
    const { status, expose } = this.#settings();
    if (expose === 'search') return [...this.#search, ...this.#status];
    return status ? this.#status : [];
  }

  async #outcome({ name, arguments: given }: JsonObject): Promise<JsonObject> {
    const tool = this.#offered().find(({ definition }) => definition.name === name);
    if (tool === undefined) throw new Fault('unknown', `there is no tool ${JSON.stringify(name)} of the hub itself`);
    try {
      return await tool.run(objectOf(given), this.#children);
    } catch (error) {
      return failed(asFault(error));
    }
  }
}

function greeting(): JsonObject {
  const capabilities = { tools: { listChanged: true } };
  return { protocolVersion: REVISIONS[0], capabilities, serverInfo: HUB_INFO };
}
