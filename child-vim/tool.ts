import { z } from 'zod';
import { Fault } from '../shared/fault.js';
import type { By } from './editor.js';
import type { Editors } from './editors.js';
import type { Headless } from './headless.js';
import type { Action, inForce, Question } from './permission.js';
import type { Views } from './views.js';

/** What a tool works with while it handles one call. */
export interface Call {
  readonly editors: Editors;
  /** Starts editors, where that can be. */
  readonly headless: Headless | undefined;
  /** The views of all clients. */
  readonly views: Views;
  /** All tools by action, and what becomes of calls to them now. */
  offered(): Offered[];
  /** Whether calls that do this are allowed without a question, whatever they are about. */
  isFree(action: Action): boolean;
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal;
  /** Who calls, with the same signal. */
  readonly by: By;
  /** Tells a client that asked for it how the call goes on. */
  progress(progress: number, message: string): Promise<void>;
  /** Returns when the person (or what they decided before) allows it. @throws Fault `denied`. */
  allow(question: Question): Promise<void>;
}

/** The tools of one action, as `capabilities` tells of them. */
export interface Offered {
  readonly action: Action;
  readonly permission: ReturnType<typeof inForce>;
  readonly names: string[];
}

/** A tool as data: the schemas are the one source of its arguments, its documentation and its checks. */
export interface Tool {
  readonly name: string;
  readonly action: Action;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Whether calling it again with the same arguments changes nothing more. */
  readonly idempotent: boolean;
  /** Whether it can lose something; editing cannot, for there is undo. */
  readonly destructive: boolean;
  handle(args: unknown, call: Call): Promise<Record<string, unknown>>;
  /** The result as text for the model; JSON by default. */
  text(value: Record<string, unknown>): string;
}

interface Definition<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string;
  readonly action: Action;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: O;
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  handle(args: z.infer<I>, call: Call): Promise<z.infer<O>>;
  text?(value: z.infer<O>): string;
}

/** Declares a tool. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(definition: Definition<I, O>): Tool {
  const { text, handle } = definition;
  return {
    idempotent: definition.action === 'read',
    destructive: false,
    ...definition,
    handle: (args, call) => handle(args as z.infer<I>, call),
    text: (value) => (text === undefined ? JSON.stringify(value) : text(value as z.infer<O>)),
  };
}

/** Hints for clients, which may let read-only tools pass unasked; the others mean nothing for those. */
export function annotationsOf({ action, destructive, idempotent }: Tool): Record<string, boolean> {
  if (action === 'read') return { readOnlyHint: true };
  return { readOnlyHint: false, destructiveHint: destructive, ...(idempotent ? { idempotentHint: true } : {}) };
}

/** Names the editor. */
export const target = z.string().min(1).max(64).optional().describe('From targets, or @active; needed if several');

/** A buffer of that editor. The largest integer of JavaScript would only make the schemas longer. */
export const buffer = z.int().positive().meta({ maximum: undefined }).describe('Buffer number from state');

/** The guard of a change. */
export const expectedTick = z
  .int()
  .nonnegative()
  .meta({ maximum: undefined })
  .describe('changedtick you saw; if it changed since, nothing is done');

/** What to do with an edit that comes too late. */
export const rebase = z.boolean().default(false).describe('Edit all the same if only other lines changed since');

/** The guard of a read that goes on from an earlier one. */
export const seenTick = z
  .number()
  .int()
  .nonnegative()
  .optional()
  .describe('changedtick of an earlier read; if it changed since, nothing is read');

/** A place in a text. */
export const place = z.object({ line: z.number(), column: z.number() });
/** How long something may run that can wait for the person. */
export const patience = z.number().min(1).max(300).default(30).describe('Seconds to wait for its end');

/** What most answers about a buffer hold. */
export const bufferFacts = z.object({
  target: z.string(),
  buffer: z.number(),
  filename: z.string(),
  changedtick: z.number(),
  line_count: z.number(),
  modified: z.boolean(),
});

/**
 * Text that can travel to Vim: without NUL, which Vim's JSON drops, and without lone surrogates.
 * @throws Fault `invalid` naming what is wrong.
 */
export function checkText(name: string, text: string): void {
  if (text.includes('\0')) throw new Fault('invalid', `${name} holds a NUL character, which cannot be sent to Vim`);
  if (/\p{Surrogate}/u.test(text)) throw new Fault('invalid', `${name} is not well-formed Unicode (a lone surrogate)`);
}
