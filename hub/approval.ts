import { createHash } from 'node:crypto';
import { visibleLine } from '../shared/escape.js';
import type { Fault } from '../shared/fault.js';
import type { Answer } from '../shared/prompt.js';
import type { Rule } from '../shared/rule.js';
import type { Child } from './child.js';
import type { Item } from './item.js';

/** A call of a tool, as far as somebody decides on it. */
export interface ToolCall {
  readonly child: Child;
  /** What the server itself calls the tool. */
  readonly tool: string;
  /** The tool as its server lists it now. */
  readonly listed: Item | undefined;
  /** The arguments as they are written. */
  readonly arguments: Uint8Array;
}

/** What an answer for ever may hold for. */
export interface Scope {
  /** For the person. */
  readonly label: string;
  readonly subject: Pick<Rule, 'subject' | 'subjectPrefix'>;
}

/** What the person is asked before a call crosses. */
export interface Question {
  readonly action: string;
  /** As rules name it. */
  readonly subject: string;
  /** In one line, with nothing in it that could deceive. */
  readonly message: string;
  /** What is to be allowed, as it is. */
  readonly details: string;
  readonly scopes: readonly string[];
  /** Whether it has been decided meanwhile. */
  settled(): Promise<boolean>;
  /** Writes down what is to hold from now on. */
  keep(answer: Answer): Promise<void>;
  /** What the model is told after a no, where that is more than that. */
  refusal?(answer: Answer): Fault;
}

/** Something that has to be so before a call may cross. */
export interface Check {
  /**
   * What has to be asked, or nothing where the call may cross.
   * @throws Fault `denied` where it may not.
   */
  question(call: ToolCall): Promise<Question | undefined>;
}

/** Stands for a question to the last character. */
export function keyOf({ action, subject, message, details }: Question): string {
  return createHash('sha256')
    .update(JSON.stringify([action, subject, message, details]))
    .digest('base64');
}

/** How rules name a tool. */
export function subjectOf({ child, tool }: ToolCall): string {
  return `tool:${child.alias}:${tool}`;
}

/** A tool for the person; in quotes, so that its name cannot be more than a name. */
export function named({ child, tool }: ToolCall): string {
  return `the tool ${visibleLine(JSON.stringify(tool))} of the server ${child.alias}`;
}
