import type { Call } from '../shared/call.js';
import { visibleLine, visibleText } from '../shared/escape.js';
import { asFault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import { type Answer, MOST_SHOWN, type Prompt } from '../shared/prompt.js';
import { readWhole } from '../shared/whole-text.js';
import type { Person } from './person.js';
import { type JsonObject, objectOf } from './protocol.js';

/** A form of a child's that comes to a yes or a no. */
interface YesOrNo {
  readonly scopes: readonly string[];
  /** The file with all that is to be looked at, where the message has the beginning only. */
  readonly whole?: string;
  /** What the child is told. */
  outcome(answer: Answer): JsonObject;
}

/** How many scopes are shown of a form, and how long each may be. */
const MOST_SCOPES = 10;
const LONGEST_SCOPE = 300;

const DECLINED = { action: 'decline' } as const;

/**
 * Puts a question of a child to the person on this machine, in place of a client that cannot: one that comes to a yes or
 * a no, as a permission does. All others are declined.
 */
export async function standIn(person: Person, alias: string, question: Call): Promise<void> {
  try {
    question.result(await outcome(person, alias, question));
  } catch (error) {
    const { kind, text } = asFault(error);
    if (kind !== 'cancelled') log.warn(`a question of ${alias} was declined: ${text}`);
    question.result(DECLINED);
  }
}

async function outcome(person: Person, alias: string, question: Call): Promise<JsonObject> {
  const { mode = 'form', message, requestedSchema } = question.frame.params;
  const form = mode === 'form' ? yesOrNo(objectOf(requestedSchema)) : undefined;
  if (form === undefined || typeof message !== 'string' || !areShort(form.scopes)) return DECLINED;
  // What shows the question here shows all of it, or does not let it be allowed.
  const text = form.whole === undefined ? message : await readWhole(form.whole);
  if (text === undefined || text.length > MOST_SHOWN) return DECLINED;
  const prompt = promptOf(alias, text, form);
  const answer = await person.answer(prompt, JSON.stringify(prompt), question.signal());
  return answer === undefined ? DECLINED : form.outcome(answer);
}

function promptOf(alias: string, message: string, { scopes }: YesOrNo): Prompt {
  const [first = '', ...more] = message.split('\n');
  return {
    // No alias has a space, so that no server can be called like this hub.
    from: `the server ${alias}`,
    message: visibleLine(first),
    ...(more.length === 0 ? {} : { details: `${visibleText(more.join('\n').trim())}\n(${message.length} characters)` }),
    action: 'answer',
    subject: `server:${alias}`,
    scopes: scopes.map(visibleLine),
    terminal: process.stdin.isTTY === true,
  };
}

function yesOrNo({ properties, required = [] }: JsonObject): YesOrNo | undefined {
  const fields = new Map(Object.entries(objectOf(properties)).map(([name, field]) => [name, objectOf(field)]));
  const needed = Array.isArray(required) ? required.map(String) : [];
  return permission(fields, needed) ?? boolean(fields, needed);
}

type Fields = ReadonlyMap<string, JsonObject>;

/** The form by which `mcp-vim` and this hub ask for a permission; `seen` is the mark for having read a file. */
function permission(fields: Fields, needed: readonly string[]): YesOrNo | undefined {
  const decisions = words(fields.get('decision'));
  const seen = fields.get('seen');
  const isOne =
    decisions.includes('allow') &&
    decisions.includes('deny') &&
    needed.every((name) => name === 'decision' || name === 'seen');
  const others = [...fields.keys()].filter((name) => !['decision', 'scope', 'reason', 'seen'].includes(name));
  if (!isOne || others.length > 0) return undefined;
  const canLast = decisions.includes('allow always') && decisions.includes('deny always');
  const scopes = canLast ? words(fields.get('scope')) : [];
  return {
    scopes,
    ...(seen === undefined ? {} : { whole: String(seen['description']) }),
    outcome: ({ decision, scope, reason }) => ({
      action: 'accept',
      content: {
        decision: scope === undefined ? decision : `${decision} always`,
        ...(seen === undefined ? {} : { seen: decision === 'allow' }),
        ...(scope === undefined ? {} : { scope: scopes[scope] }),
        ...(reason !== undefined && fields.has('reason') ? { reason } : {}),
      },
    }),
  };
}

/** One box to be marked, and texts that may be left out. */
function boolean(fields: Fields, needed: readonly string[]): YesOrNo | undefined {
  const [name, ...more] = [...fields].filter(([, { type }]) => type === 'boolean').map(([each]) => each);
  const areTexts = [...fields].every(([each, field]) => each === name || isPlainText(field));
  if (name === undefined || more.length > 0 || !areTexts || needed.some((each) => each !== name)) return undefined;
  const outcome = ({ decision }: Answer): JsonObject =>
    decision === 'allow' ? { action: 'accept', content: { [name]: true } } : DECLINED;
  return { scopes: [], outcome };
}

/** So that they do not push what is asked off the screen. */
function areShort(scopes: readonly string[]): boolean {
  return scopes.length <= MOST_SCOPES && scopes.every((scope) => scope !== '' && scope.length <= LONGEST_SCOPE);
}

function isPlainText(field: JsonObject): boolean {
  return field['type'] === 'string' && field['enum'] === undefined;
}

function words(field: JsonObject | undefined): readonly string[] {
  const found: unknown = field?.['enum'];
  return Array.isArray(found) && found.every((word) => typeof word === 'string') ? found : [];
}
