import { Fault } from '../shared/fault.js';
import type { Asked } from '../shared/rule.js';
import type { RuleFile } from '../shared/rule-file.js';
import type { TOOL_ACTIONS } from '../shared/rule-words.js';
import { type Policy, remember, type Verdict, verdict } from '../shared/verdict.js';
import { type Check, named, type Question, type Scope, subjectOf, type ToolCall } from './approval.js';
import { indented } from './indented.js';
import type { Item } from './item.js';
import { objectOf } from './protocol.js';

type Action = (typeof TOOL_ACTIONS)[number];

/** What the person is told of each action. */
const WORDS: Readonly<Record<Action, string>> = {
  read: 'says that it only reads',
  add: 'says that it adds something and changes nothing',
  write: 'may change or destroy something',
};

/** What the person decided on the command line. */
interface Beforehand {
  readonly decided: Policy['decided'];
  /** Whether nothing is called but what only reads. */
  readonly readOnly: boolean;
}

/** Rules, and a question where they say nothing, for the tools of all servers (`--guard`). */
export class Ruled implements Check {
  readonly #policy: Policy;
  readonly #readOnly: boolean;

  constructor(rules: RuleFile, { decided, readOnly }: Beforehand) {
    this.#policy = { decided, rules, unasked: new Set<Action>(['read']) };
    this.#readOnly = readOnly;
  }

  async question(call: ToolCall): Promise<Question | undefined> {
    const asked = { action: actionOf(call.listed), subject: subjectOf(call) };
    const { decision, by } = await this.#verdict(asked);
    if (decision === 'allow') return undefined;
    if (decision === 'deny')
      throw new Fault('denied', `${asked.action} by ${named(call)} is denied by ${by}`, {
        next: 'Do not try it in another way; tell the person what you wanted to do and why.',
      });
    const scopes = scopesOf(call, asked.action);
    return {
      ...asked,
      message: `Allow ${named(call)}, which ${WORDS[asked.action]}, with these arguments?`,
      details: shownArguments(call),
      scopes: scopes.map(({ label }) => label),
      settled: async () => (await verdict(this.#policy, asked)).decision !== 'ask',
      keep: async ({ decision: given, scope }) => {
        if (scope === undefined) return;
        const { subject } = scopes[scope] ?? { subject: { subject: asked.subject } };
        await remember(this.#policy, asked, { decision: given, action: asked.action, ...subject });
      },
    };
  }

  async #verdict(asked: Asked): Promise<Verdict> {
    if (this.#readOnly && asked.action !== 'read') return { decision: 'deny', by: '--read-only' };
    return await verdict(this.#policy, asked);
  }
}

/**
 * What a tool does, by what its server says of it; what says nothing may change anything (MCP schema, ToolAnnotations:
 * the defaults).
 */
export function actionOf(tool: Item | undefined): Action {
  if (tool === undefined) return 'write';
  const known = ACTIONS.get(tool) ?? readAction(tool);
  ACTIONS.set(tool, known);
  return known;
}

/** Each entry is read once. */
const ACTIONS = new WeakMap<Item, Action>();

function readAction({ bytes }: Item): Action {
  const { annotations } = objectOf(JSON.parse(bytes.toString()));
  const { readOnlyHint, destructiveHint } = objectOf(annotations);
  if (readOnlyHint === true) return 'read';
  return destructiveHint === false ? 'add' : 'write';
}

function scopesOf(call: ToolCall, action: Action): readonly Scope[] {
  const { alias } = call.child;
  return [
    { label: `${named(call)}, with any arguments`, subject: { subject: subjectOf(call) } },
    { label: `${action} by all tools of the server ${alias}`, subject: { subjectPrefix: `tool:${alias}:` } },
  ];
}

/** The arguments as they are written, token by token. @throws Fault `denied` for bytes that are no text. */
function shownArguments(call: ToolCall): string {
  try {
    return indented(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(call.arguments));
  } catch {
    throw new Fault('denied', `the arguments for ${named(call)} are no proper text, and cannot be shown`);
  }
}
