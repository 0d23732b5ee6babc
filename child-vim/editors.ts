import { Fault } from '../shared/fault.js';
import type { Editor } from './editor.js';
import type { Entry } from './journal.js';

/** How long a name is kept for an editor that is not connected, in milliseconds. */
const KEPT = 60_000;
/** How many such names are kept. */
const MOST_KEPT = 256;

/** Longest target name, in UTF-16 units. */
export const LONGEST_NAME = 64;

/** Stands for the editor that was used last. */
const ACTIVE = '@active';

/** The connected editors by target name. */
export class Editors {
  /** How long a call to one of them waits, in milliseconds. */
  readonly patience: number;
  readonly #byName = new Map<string, Editor>();
  /** The one used last. */
  #active: Editor | undefined;
  /** Names promised to instances that are not connected, now or again: name → instance and since when. */
  readonly #kept = new Map<string, { readonly instance: string; readonly since: number }>();

  readonly #arrivals = new Set<(editor: Editor) => void>();
  readonly #listeners = new Set<(editor: Editor, entry: Entry) => void>();

  /** Whether a trace is kept of what happens in them. */
  readonly isTraced: boolean;

  constructor(patience: number, isTraced = false) {
    this.patience = patience;
    this.isTraced = isTraced;
  }

  /** All of them, in order of connecting. */
  get all(): readonly Editor[] {
    return [...this.#byName.values()];
  }

  /**
   * The name for an instance that asks for `wanted`: the one it had for it, the name itself, or `wanted#2`, `#3`, …
   * It is promised to the instance from now on.
   */
  assign(wanted: string, instance: string): string {
    const own = this.#ofInstance(instance)?.name ?? this.#keptFor(instance);
    if (own === wanted || own?.startsWith(`${wanted}#`) === true) return own;
    let name = wanted;
    for (let number = 2; this.#isTaken(name); number += 1) name = numbered(wanted, number);
    this.#keep(name, instance);
    return name;
  }

  /** Adds an editor; an older connection of the same instance is replaced. */
  add(editor: Editor): void {
    const older = this.#ofInstance(editor.instance);
    if (older !== undefined) this.#byName.delete(older.name);
    // An instance has one name: what it was promised before is free again.
    for (const [name, { instance }] of this.#kept) if (instance === editor.instance) this.#kept.delete(name);
    this.#byName.set(editor.name, editor);
    this.#active = editor;
    editor.feed.journal.onEntry((entry) => {
      for (const listener of this.#listeners) listener(editor, entry);
    });
    for (const arrived of this.#arrivals) arrived(editor);
    older?.close(new Fault('gone', 'the same editor connected again'));
  }

  /** Tells of each editor that connects, until the signal is aborted. */
  onAdd(listener: (editor: Editor) => void, signal: AbortSignal): void {
    this.#arrivals.add(listener);
    signal.addEventListener('abort', () => this.#arrivals.delete(listener), { once: true });
  }

  /** Tells what happens in any of them, until the signal is aborted. */
  onEntry(listener: (editor: Editor, entry: Entry) => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }

  /** Removes an editor that went away; does nothing if it has been replaced. */
  remove(editor: Editor): void {
    if (this.#byName.get(editor.name) !== editor) return;
    this.#byName.delete(editor.name);
    if (!editor.isLeaving) this.#keep(editor.name, editor.instance);
    if (this.#active === editor) this.#active = this.#usedLast();
  }

  /** The editor that was used last. */
  get active(): Editor | undefined {
    return this.#active;
  }

  /**
   * The editor a call means: a name, `@active`, or none while there is exactly one. It counts as used from now on.
   * @throws Fault `unknown` or `invalid`, naming the editors there are.
   */
  find(target: string | undefined): Editor {
    const editor = this.#lookUp(target);
    editor.lastUsed = Date.now();
    this.#active = editor;
    return editor;
  }

  /** The same where there is one, without using it. */
  connected(target: string | undefined): Editor | undefined {
    if (target !== undefined && target !== ACTIVE) return this.#byName.get(target);
    return target === ACTIVE || this.#byName.size === 1 ? this.#active : undefined;
  }

  #lookUp(target: string | undefined): Editor {
    if (this.#byName.size === 0) {
      throw new Fault('unknown', 'no Vim is connected', {
        next: 'Ask the person to run :Mcp in Vim, then call targets.',
      });
    }
    if (target === undefined && this.#byName.size > 1) {
      throw new Fault('invalid', `several editors are connected: ${this.#names()}`, { next: 'Name one as target.' });
    }
    const editor = target === undefined || target === ACTIVE ? this.active : this.#byName.get(target);
    if (editor !== undefined) return editor;
    throw new Fault('unknown', `no editor is named ${JSON.stringify(target)}; connected: ${this.#names()}`, {
      next: 'Call targets for the names.',
    });
  }

  #usedLast(): Editor | undefined {
    return this.all.reduce<Editor | undefined>(
      (last, editor) => (last === undefined || editor.lastUsed >= last.lastUsed ? editor : last),
      undefined,
    );
  }

  #isTaken(name: string): boolean {
    return this.#byName.has(name) || this.#isKept(name);
  }

  #ofInstance(instance: string): Editor | undefined {
    return this.all.find((editor) => editor.instance === instance);
  }

  #names(): string {
    return [...this.#byName.keys()].slice(0, 20).join(', ');
  }

  #keep(name: string, instance: string): void {
    this.#kept.delete(name);
    this.#kept.set(name, { instance, since: Date.now() });
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  #keptFor(instance: string): string | undefined {
    for (const [name, kept] of this.#kept) if (kept.instance === instance && this.#isKept(name)) return name;
    return undefined;
  }

  #isKept(name: string): boolean {
    return Date.now() - (this.#kept.get(name)?.since ?? 0) < KEPT;
  }
}

/** `wanted#2`, and for one that had `wanted#2` with an earlier broker and asks for that, the same. */
function numbered(wanted: string, number: number): string {
  const suffix = `#${number}`;
  const base = [...wanted.replace(/#\d+$/, '')];
  while (base.join('').length + suffix.length > LONGEST_NAME) base.pop();
  return base.join('') + suffix;
}
