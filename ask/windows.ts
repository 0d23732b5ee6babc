import type { Prompt } from '../shared/prompt.js';
import type { Choice } from './choice.js';

/** How one program shows the windows of a question. */
export interface Windows {
  readonly program: string;
  /** The question; closing the window denies. */
  question(prompt: Prompt): Shown<Choice>;
  /** A list of scopes, of which one may be chosen. */
  scopes(title: string, scopes: readonly string[]): Shown<number | undefined>;
  /** A line to be typed. */
  reason(title: string): Shown<string>;
}

/** A window: the arguments and the input of the program, and what its end means. */
export interface Shown<T> {
  readonly args: readonly string[];
  readonly input?: string;
  meaning(code: number, output: string): T;
}
