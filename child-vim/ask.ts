import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import { visibleText } from '../shared/escape.js';
import { askBy } from '../shared/helper.js';
import type { Prompt } from '../shared/prompt.js';
import { Prompts } from '../shared/prompts.js';
import { type Policy, verdict } from '../shared/verdict.js';
import { type Asking, askingProgram } from '../shared/ways.js';
import { checkLength } from '../shared/whole-text.js';
import { canElicit, digest, elicitation, OpenQuestions } from './elicit.js';
import type { Asker, Question } from './permission.js';
import { scopesOf } from './scopes.js';

/**
 * Whom to ask in each call: the client, a program on this machine, or with `auto` the client if it shows forms. What the
 * client says is not asked again in another way.
 */
export function askers(
  asking: Asking,
  policy: Policy,
): (context: ServerContext, legacy: ClientCapabilities | undefined) => Asker {
  const open = new OpenQuestions();
  const local = localAsker(asking, policy);
  return (context, legacy) => {
    const isClient = asking.way === 'mcp' || (asking.way === 'auto' && canElicit(context, legacy));
    return isClient ? elicitation(open, context, legacy) : local;
  };
}

function localAsker(asking: Asking, policy: Policy): Asker {
  const program = askingProgram(asking);
  const prompts = new Prompts((prompt, signal) => askBy(program, prompt, signal));
  return {
    ask: async (question, signal, keep) => {
      const settled = async (): Promise<boolean> => (await verdict(policy, question)).decision !== 'ask';
      const prompt = promptOf(asking, question);
      return await prompts.ask({ key: digest(question), prompt, settled, keep }, signal);
    },
  };
}

function promptOf({ name }: Asking, question: Question): Prompt {
  const { action, subject, message, details } = question;
  if (details !== undefined) checkLength(details);
  return {
    from: `mcp-vim ${name}`,
    message,
    ...(details === undefined ? {} : { details: `${visibleText(details)}\n(${details.length} characters)` }),
    action,
    subject: visibleText(subject),
    scopes: scopesOf(question).map(({ label }) => label),
    terminal: process.stdin.isTTY === true,
  };
}
