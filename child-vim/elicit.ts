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
import type { Permission, Question } from './permission.js';

const KEY = 'permission';
/** How long an open question waits for its answer, in milliseconds. */
const LIFETIME = 600_000;
const MOST_OPEN = 1000;

const FORM = {
  type: 'object' as const,
  properties: {
    decision: {
      type: 'string' as const,
      title: 'Decision',
      description: 'Allow it or deny it, this once',
      enum: ['allow', 'deny'],
    },
  },
  required: ['decision'],
};

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
  readonly #open = new Map<string, { readonly digest: string; readonly until: number }>();

  /** Remembers a question; the handle that the answer has to bring. */
  put(question: Question): string {
    const handle = randomBytes(16).toString('base64url');
    this.#open.set(handle, { digest: digest(question), until: Date.now() + LIFETIME });
    const oldest = this.#open.keys().next().value;
    if (this.#open.size > MOST_OPEN && oldest !== undefined) this.#open.delete(oldest);
    return handle;
  }

  /** Whether the handle belongs to this very question; it is used up. */
  take(handle: string | undefined, question: Question): boolean {
    if (handle === undefined) return false;
    const found = this.#open.get(handle);
    this.#open.delete(handle);
    return found !== undefined && found.until > Date.now() && found.digest === digest(question);
  }
}

function digest({ action, subject, message, exact }: Question): string {
  return createHash('sha256')
    .update(JSON.stringify([action, subject, message, exact]))
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
): Permission {
  return {
    async decide(question) {
      if (!asksForms(declared(context) ?? legacy)) throw cannotAsk(question);
      if (!open.take(context.mcpReq.requestState<string>(), question)) throw ask(open, question);
      const answer = inputResponse(context.mcpReq.inputResponses, KEY);
      const decision =
        answer.kind === 'elicit' && answer.action === 'accept' ? answer.content?.['decision'] : undefined;
      if (decision === 'allow') return;
      throw new Fault('denied', `the person did not allow it (${question.action} in ${question.subject})`, {
        next: 'Do not repeat it unasked; tell the person what you wanted to do and why.',
      });
    },
  };
}

/** What the client declared with this request, as it does from 2026-07-28 on. */
function declared({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  return envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

/** `{}` means forms, as in the revisions that knew nothing else. */
function asksForms(capabilities: ClientCapabilities | undefined): boolean {
  const found = capabilities?.elicitation;
  return found !== undefined && (found.form !== undefined || found.url === undefined);
}

function ask(open: OpenQuestions, question: Question): InputNeeded {
  const request = inputRequired.elicit({ message: question.message, requestedSchema: FORM });
  return new InputNeeded(inputRequired({ inputRequests: { [KEY]: request }, requestState: open.put(question) }));
}

function cannotAsk({ action }: Question): Fault {
  return new Fault('denied', `${action} needs the person's permission, and this client cannot ask for it`, {
    next: `The person can start mcp-vim with --auto-allow ${action}, or use a client with elicitation.`,
  });
}
