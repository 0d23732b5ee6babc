import type { Answer, Verb } from './protocol.js';
import type { Remembered } from './remembered.js';

/** One Vim, for who asks it and changes nothing. */
export interface Vim {
  readonly name: string;
  /** What its plugin can do. */
  readonly facts: { readonly verbs: ReadonlySet<string> };
  /** The lines that were seen last. */
  readonly remembered: Remembered;
  /** See `Editor.request`. */
  request<V extends Verb>(verb: V, params: object, signal: AbortSignal): Promise<Answer<V>>;
}
