import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { visibleText } from '../shared/escape.js';
import { asFault, Fault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Answer } from '../shared/prompt.js';
import { type Check, named, type Question, subjectOf, type ToolCall } from './approval.js';
import type { Child } from './child.js';
import type { ChildSpec } from './children.js';
import { definitionDiff } from './definition-diff.js';
import type { Item } from './item.js';
import { type Approved, PinFile } from './pin-file.js';
import type { Source } from './source.js';

/** Characters of a change that the model is told. */
const TOLD = 2000;

/** Tools whose definition has changed since it was approved are not called (`--pin`); the first one seen is approved. */
export class Pinned implements Check {
  #sources: ReadonlyMap<string, Source> = new Map();
  readonly #files = new Map<string, PinFile>();
  /** Entries of lists that need not be looked at again. */
  readonly #good = new WeakSet<Item>();

  configure(specs: readonly ChildSpec[]): void {
    this.#sources = new Map(specs.map(({ alias, source }) => [alias, source]));
  }

  /** Approves what is seen for the first time, and says what has changed. */
  saw(child: Child): void {
    this.#learn(child).catch((error: unknown) => log.warnOnce(asFault(error).text));
  }

  async question(call: ToolCall): Promise<Question | undefined> {
    const { child, listed, tool } = call;
    if (listed === undefined) {
      throw new Fault('denied', `the server lists no such tool now: ${named(call)}`, {
        next: 'With --pin only tools that are listed are called.',
      });
    }
    if (this.#good.has(listed)) return undefined;
    const file = this.#fileOf(child);
    const approved = (await this.#learn(child)).get(tool);
    // Another hub may have been told.
    const newest = isApproved(approved, listed) ? approved : (await file.read()).get(tool);
    if (newest === undefined || isApproved(newest, listed)) {
      this.#good.add(listed);
      return undefined;
    }
    return await this.#changed(call, listed, newest, file);
  }

  async #changed(call: ToolCall, listed: Item, before: Approved, file: PinFile): Promise<Question> {
    const { child, tool } = call;
    const now = textOf(listed);
    const details = await definitionDiff(before.definition, now);
    const refusal = (why: string, next: string): Fault =>
      new Fault('denied', `${named(call)} has another definition than the one that was approved${why}`, {
        next: `${next} What changed:\n${visibleText(details).slice(0, TOLD)}`,
      });
    if (before.refused === now)
      throw refusal(', and the person refused it', 'Do not call it; tell them why you wanted to.');
    const scope = 'this definition, until it changes again';
    return {
      action: 'pin',
      subject: subjectOf(call),
      message: `Allow ${named(call)}, whose definition has changed like this since it was approved?`,
      details,
      scopes: [scope],
      settled: async () => {
        const known = (await file.read()).get(tool);
        return isApproved(known, listed) || known?.refused === now;
      },
      keep: async ({ decision, scope: kept }) => {
        if (kept === undefined) return;
        const next = decision === 'allow' ? { definition: now } : { ...before, refused: now };
        await file.change((tools) => tools.set(tool, next));
        if (decision === 'allow')
          log.info(`the new definition of the tool ${JSON.stringify(tool)} of ${child.alias} was approved`);
      },
      refusal: ({ reason }: Answer) =>
        refusal(
          reason === undefined ? ', and the person did not allow it' : `, and the person says: “${reason}”`,
          'Do not repeat it unasked; tell them what you wanted to do and why.',
        ),
    };
  }

  /** Approves what is new; all that is approved. */
  async #learn(child: Child): Promise<ReadonlyMap<string, Approved>> {
    const file = this.#fileOf(child);
    const known = await file.known();
    const listed = child.catalogue?.lists.tools ?? [];
    for (const { key } of listed.filter((item) => known.has(item.key) && !isApproved(known.get(item.key), item)))
      log.warnOnce(`the definition of the tool ${JSON.stringify(key)} of ${child.alias} has changed`);
    if (listed.every(({ key }) => known.has(key))) return known;
    return await file.change((tools) => {
      for (const item of listed) if (!tools.has(item.key)) tools.set(item.key, { definition: textOf(item) });
    });
  }

  #fileOf({ alias }: Child): PinFile {
    const name = `${alias}-${digest(alias, this.#sources.get(alias))}`;
    const file = this.#files.get(name) ?? new PinFile(name);
    this.#files.set(name, file);
    return file;
  }
}

function textOf({ bytes }: Item): string {
  return bytes.toString();
}

/** The order of members means nothing, and not every server keeps it. */
function isApproved(approved: Approved | undefined, item: Item): boolean {
  if (approved === undefined) return false;
  const text = textOf(item);
  return approved.definition === text || isDeepStrictEqual(JSON.parse(approved.definition), JSON.parse(text));
}

/** A server is the same one as long as it is had from the same place: tokens and variables may change. */
function digest(alias: string, source: Source | undefined): string {
  const from = source === undefined ? [] : 'url' in source ? [source.url] : [source.program, source.args];
  return createHash('sha256')
    .update(JSON.stringify([alias, from]))
    .digest('hex')
    .slice(0, 16);
}
