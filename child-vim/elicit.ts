import { createHash, randomBytes } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Fault } from '../shared/fault.js';
import { limits } from '../shared/limits.js';
import { asksForms, type FormQuestion, formAnswer, permissionForm } from '../shared/permission-form.js';
import { removeWhole } from '../shared/whole-text.js';
import type { Asker, Question } from './permission.js';
import { scopesOf } from './scopes.js';

const KEY = 'permission';
const MOST_OPEN = 1000;

/** Thrown to leave a tool with a question to the client; the call comes again with the answer. */
export class InputNeeded extends Error {
  readonly result: InputRequiredResult;

  constructor(result: InputRequiredResult) {
    super('input is needed');
    this.result = result;
  }
}

/** Questions that were put and not answered yet: each is good for one answer to exactly what was asked. */
export class OpenQuestions {
  readonly #open = new Map<string, Put>();

  /** Remembers a question; the handle that the answer has to bring. */
  put(question: Question, whole: string | undefined): string {
    const now = Date.now();
    const handle = randomBytes(16).toString('base64url');
    this.#open.set(handle, { digest: digest(question), until: now + limits.question, whole });
    for (const [other, { until }] of this.#open) {
      if (until > now && this.#open.size <= MOST_OPEN) break;
      this.#remove(other);
    }
    return handle;
  }

  /** Whether the handle belongs to this very question; it is used up. */
  take(handle: string | undefined, question: Question): boolean {
    if (handle === undefined) return false;
    const found = this.#remove(handle);
    return found !== undefined && found.until > Date.now() && found.digest === digest(question);
  }

  #remove(handle: string): Put | undefined {
    const found = this.#open.get(handle);
    this.#open.delete(handle);
    if (found?.whole !== undefined) removeWhole(found.whole);
    return found;
  }
}

interface Put {
  readonly digest: string;
  readonly until: number;
  /** The file with the whole text, if the message has not all of it. */
  readonly whole: string | undefined;
}

/** Stands for a question to the last character. */
export function digest({ action, subject, message, details, exact }: Question): string {
  return createHash('sha256')
    .update(JSON.stringify([action, subject, message, details, exact]))
    .digest('base64');
}

/**
 * Asks the person through the client, by a form. In both eras the tool is left and entered again with the answer (the
 * SDK does the asking for clients that are sent requests), so what is decided is compared with what then runs.
 */
export function elicitation(
  open: OpenQuestions,
  context: ServerContext,
  legacy: ClientCapabilities | undefined,
): Asker {
  return {
    async ask(question, _, keep) {
      if (!canElicit(context, legacy)) throw cannotAsk(question);
      if (!open.take(context.mcpReq.requestState<string>(), question)) throw await ask(open, question);
      const answer = inputResponse(context.mcpReq.inputResponses, KEY);
      const content = answer.kind === 'elicit' && answer.action === 'accept' ? (answer.content ?? {}) : {};
      const given = formAnswer(formQuestion(question), content);
      await keep(given);
      return given;
    },
  };
}

/** Whether the client shows forms to the person. */
export function canElicit(context: ServerContext, legacy: ClientCapabilities | undefined): boolean {
  return asksForms((declared(context) ?? legacy)?.elicitation);
}

/** What the client declared with this request, as it does from 2026-07-28 on. */
function declared({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  return envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

async function ask(open: OpenQuestions, question: Question): Promise<InputNeeded> {
  const { request, whole } = await permissionForm(formQuestion(question));
  const inputRequests = { [KEY]: inputRequired.elicit(request) };
  return new InputNeeded(inputRequired({ inputRequests, requestState: open.put(question, whole) }));
}

function formQuestion(question: Question): FormQuestion {
  const { message, details } = question;
  const scopes = scopesOf(question).map(({ label }) => label);
  return { message, scopes, ...(details === undefined ? {} : { details }) };
}

function cannotAsk({ action }: Question): Fault {
  return new Fault('denied', `${action} needs the person's permission, and this client cannot ask for it`, {
    next: `The person can allow it by a rule or --auto-allow ${action}, start mcp-vim with another --ask, or use a client with elicitation.`,
  });
}
