import { Fault } from '../shared/fault.js';
import { oneLine } from '../shared/one-line.js';
import { joined } from '../shared/parts.js';
import type { Children } from './children.js';
import { type Form, formFor } from './forms.js';
import { CALL } from './inner.js';
import { Lookup } from './lookup.js';
import type { MergedLists } from './merged.js';
import { type OwnTool, serverNamed, servers, text } from './own-tool.js';
import { type JsonObject, OWN_ALIAS, objectOf } from './protocol.js';
import type { Ranking } from './ranking.js';
import { definition, type Named, written } from './shown.js';

/** Milliseconds to wait for what servers offer that have not said so yet. */
const PATIENCE = 5000;
/** How many tools are found where nothing is said, and how many at most; and characters of a description. */
const FOUND = 8;
const MOST = 50;
const LONGEST = 200;
/** How many names of arguments are shown. */
const ARGUMENTS = 12;

const readOnly = { readOnlyHint: true, openWorldHint: false } as const;

interface Tools {
  /** What they were made of. */
  readonly from: readonly unknown[];
  readonly all: readonly Named[];
  readonly ranking: Ranking;
}

/** `hub.find` and `hub.describe`: the tools of all servers, without giving all of them to the model. */
export class Search {
  readonly find: OwnTool = {
    definition: {
      name: 'find',
      title: 'Find tools',
      description: 'Find tools of the servers behind this hub by words, the best first, each with its arguments.',
      inputSchema: {
        type: 'object',
        properties: {
          words: { type: 'string', description: 'What it is to do; empty for all tools' },
          server: { type: 'string', description: 'Only tools of this server' },
          limit: { type: 'integer', minimum: 1, maximum: MOST, default: FOUND },
        },
        required: ['words'],
        additionalProperties: false,
      },
      annotations: readOnly,
    },
    run: (given) => this.#find(given),
  };

  readonly describe: OwnTool = {
    definition: {
      name: 'describe',
      title: 'Describe tools',
      description: 'The whole definition of tools, with the schema of their arguments.',
      inputSchema: {
        type: 'object',
        properties: { names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MOST } },
        required: ['names'],
        additionalProperties: false,
      },
      annotations: readOnly,
    },
    run: (given) => this.#describe(given),
  };

  readonly #children: Children;
  readonly #merged: MergedLists;
  readonly #form: Form;
  readonly #lookup: Lookup;
  #known: Tools | undefined;

  /** Names are shown as the specification has them, whatever the client takes as those of its own tools. */
  constructor(children: Children, merged: MergedLists, separator: string) {
    this.#children = children;
    this.#merged = merged;
    this.#form = formFor(undefined, separator);
    this.#lookup = new Lookup(children, this.#form.separator);
  }

  async #find({ words, server, limit = FOUND }: JsonObject): Promise<JsonObject> {
    if (typeof words !== 'string')
      throw new Fault('invalid', 'words must be a text', { next: 'Say what to look for.' });
    if (typeof limit !== 'number' || !(limit >= 1)) throw new Fault('invalid', 'limit must be a number from 1 on');
    const { all, ranking } = await this.#tools();
    const only = server === undefined ? undefined : serverNamed(this.#children, server);
    const ranked = words.trim() === '' ? all : ranking.find(words);
    const fitting = ranked.filter(({ child }) => only === undefined || child === only);
    const found = fitting.slice(0, Math.min(limit, MOST)).map(summary);
    const more = fitting.length - found.length;
    if (found.length === 0) return text(`No tool fits. ${this.#overview()}`);
    return text([...found, ...(more > 0 ? [`(${more} more)`] : [])].join('\n'));
  }

  async #describe({ names }: JsonObject): Promise<JsonObject> {
    if (!Array.isArray(names) || names.length === 0)
      throw new Fault('invalid', 'names must be a list of names of tools', {
        next: 'Give {"names": ["SERVER.TOOL"]}.',
      });
    const { all } = await this.#tools();
    const lines = names.map((name) => oneLine(joined([written(this.#named(all, name))])).toString());
    return text(lines.join('\n'));
  }

  /** @throws Fault `unknown` for a name that is in no list, in whatever form it is. */
  #named(all: readonly Named[], name: unknown): Named {
    const found = this.#lookup.listed('tools', String(name));
    const tool = all.find(({ child, item }) => child === found?.child && item.key === found.name);
    if (tool !== undefined) return tool;
    throw new Fault('unknown', `there is no tool ${JSON.stringify(name)}`, { next: 'Look for it by hub.find.' });
  }

  /** All tools but those of the hub itself, as they would be listed; ranked anew only when a list has changed. */
  async #tools(): Promise<Tools> {
    const [{ Ranking }] = await Promise.all([import('./ranking.js'), this.#children.learned(PATIENCE)]);
    const from = servers(this.#children).flatMap(({ exposure, catalogue }) => [exposure, catalogue?.lists.tools]);
    const known = this.#known;
    if (known?.from.length === from.length && known.from.every((part, at) => part === from[at])) return known;
    const all = this.#merged.named('tools', this.#form).filter(({ child }) => child.alias !== OWN_ALIAS);
    this.#known = { from, all, ranking: new Ranking(all) };
    return this.#known;
  }

  #overview(): string {
    const all = servers(this.#children).map(
      ({ alias, catalogue }) => `${alias} (${catalogue?.lists.tools.length ?? 'not yet known'})`,
    );
    return all.length === 0 ? 'There is no server yet.' : `Servers and how many tools each has: ${all.join(', ')}.`;
  }
}

/** `hub.call`: for the list only, since its calls never come here: the router sends on what is in them. */
export const callSeen: OwnTool = {
  definition: {
    name: CALL,
    title: 'Call a tool',
    description: 'Call a tool that find has shown.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
      required: ['name'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
  run: () => {
    throw new Fault('bug', 'the call in this call was not sent on');
  },
};

/** `files.read(path, head?): Reads a file.` */
function summary(tool: Named): string {
  const { title, description, inputSchema } = definition(tool);
  const { properties, required } = objectOf(inputSchema);
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = Object.keys(objectOf(properties)).map((name) => (needed.has(name) ? name : `${name}?`));
  const shown = names.length > ARGUMENTS ? [...names.slice(0, ARGUMENTS), '…'] : names;
  const said = String(description ?? title ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  const cut = said.length > LONGEST ? `${said.slice(0, LONGEST)}…` : said;
  return `${tool.name}(${shown.join(', ')})${cut === '' ? '' : `: ${cut}`}`;
}
