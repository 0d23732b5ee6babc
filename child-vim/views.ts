import { Fault } from '../shared/fault.js';
import type { Caret } from './caret.js';
import type { Editor } from './editor.js';
import type { Editors } from './editors.js';
import type { Kept } from './player.js';
import type { Client } from './revision.js';

/** Views of one editor; beyond, the one that was used least lately is closed. */
const MOST = 16;

/** A window of a client's own on a buffer: nothing of it is in Vim. */
export interface View {
  readonly buffer: number;
  readonly rows: number;
  readonly columns: number;
  /** Where it was in the text at a changedtick. */
  caret: Caret;
  tick: number;
  /** Its registers and what it searched for. */
  kept: Kept;
  /** Lets go of the text, which is followed as long as it is looked at. */
  readonly release: () => void;
}

/** The views that clients have, one in each editor. */
export class Views {
  /** By editor and client, the latest used last. */
  readonly #views = new Map<Editor, Map<string, View>>();

  constructor(editors: Editors) {
    editors.onEntry((editor, { event, buffer }) => {
      if (event !== 'left' && event !== 'wiped') return;
      for (const [id, view] of this.#views.get(editor) ?? []) {
        if (event === 'left' || view.buffer === buffer) this.#remove(editor, id);
      }
    }, new AbortController().signal);
  }

  /** Opens the view of a client in place of the one it has. */
  open(editor: Editor, { id }: Client, view: View): void {
    this.#remove(editor, id);
    const views = this.#views.get(editor) ?? new Map<string, View>();
    this.#views.set(editor, views.set(id, view));
    const oldest = views.keys().next().value;
    if (views.size > MOST && oldest !== undefined) this.#remove(editor, oldest);
  }

  /** The view of a client. @throws Fault `unknown` where it has none. */
  of(editor: Editor, { id }: Client): View {
    const views = this.#views.get(editor);
    const view = views?.get(id);
    if (views === undefined || view === undefined) {
      throw new Fault('unknown', `you have no view in ${editor.name}`, { next: 'Open one with view-open.' });
    }
    views.delete(id);
    views.set(id, view);
    return view;
  }

  /** Closes the view of a client. @throws Fault `unknown` where it has none. */
  close(editor: Editor, client: Client): void {
    this.of(editor, client);
    this.#remove(editor, client.id);
  }

  /** A client has gone. */
  left(id: string): void {
    for (const editor of [...this.#views.keys()]) this.#remove(editor, id);
  }

  #remove(editor: Editor, id: string): void {
    const views = this.#views.get(editor);
    views?.get(id)?.release();
    views?.delete(id);
    if (views?.size === 0) this.#views.delete(editor);
  }
}
