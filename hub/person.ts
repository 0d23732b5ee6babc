import { visibleText } from '../shared/escape.js';
import { Fault } from '../shared/fault.js';
import { askBy } from '../shared/helper.js';
import { asksForms, formAnswer, permissionForm } from '../shared/permission-form.js';
import type { Answer, Prompt } from '../shared/prompt.js';
import { Prompts } from '../shared/prompts.js';
import { type Asking, askingProgram } from '../shared/ways.js';
import { checkLength, removeWhole } from '../shared/whole-text.js';
import { keyOf, type Question } from './approval.js';
import { askClient } from './client-form.js';
import type { Course } from './course.js';

/** The person whom the hub asks: through the client whose call it is, or by a program on this machine. */
export class Person {
  readonly #asking: Asking;
  readonly #prompts: Prompts;

  constructor(asking: Asking) {
    this.#asking = asking;
    const program = askingProgram(asking);
    this.#prompts = new Prompts((prompt, signal) => askBy(program, prompt, signal));
  }

  /** Whether there is a way that needs no client. */
  get isHere(): boolean {
    return this.#asking.way !== 'mcp';
  }

  /**
   * Asks before a call crosses; what is to hold from now on is written down. What one way answers is asked in no other.
   * @returns nothing where meanwhile it was decided for good.
   * @throws Fault `denied` where nobody can be asked, `cancelled` when the call was.
   */
  async ask(question: Question, course: Course): Promise<Answer | undefined> {
    if (!course.call.open) throw new Fault('cancelled', 'the call was cancelled');
    const { way } = this.#asking;
    const canAsk = asksForms(course.caller.capabilities?.['elicitation']);
    if (way === 'mcp' && !canAsk) throw cannotAsk();
    if (way === 'mcp' || (way === 'auto' && canAsk)) return await this.#askClient(question, course);
    return await this.#askHere(question, course);
  }

  /** Has the program on this machine ask something that no rule is about. @throws Fault as {@link ask}. */
  async answer(prompt: Prompt, key: string, signal: AbortSignal): Promise<Answer | undefined> {
    const settled = async (): Promise<boolean> => false;
    return await this.#prompts.ask({ key, prompt, settled, keep: async () => undefined }, signal);
  }

  async #askClient(question: Question, course: Course): Promise<Answer> {
    // No alias has a space: what a server asks cannot begin like this.
    const headed = { ...question, message: `${this.#name}: ${question.message}` };
    const { request, whole } = await permissionForm(headed);
    try {
      const answer = formAnswer(headed, await askClient(course, request));
      await question.keep(answer);
      return answer;
    } finally {
      if (whole !== undefined) removeWhole(whole);
    }
  }

  async #askHere(question: Question, { call }: Course): Promise<Answer | undefined> {
    const { action, subject, message, details, scopes } = question;
    checkLength(details);
    const prompt: Prompt = {
      from: this.#name,
      message,
      details: `${visibleText(details)}\n(${details.length} characters)`,
      action,
      subject: visibleText(subject),
      scopes,
      terminal: process.stdin.isTTY === true,
    };
    const settled = (): Promise<boolean> => question.settled();
    const keep = (answer: Answer): Promise<void> => question.keep(answer);
    return await this.#prompts.ask({ key: keyOf(question), prompt, settled, keep }, call.signal());
  }

  get #name(): string {
    return `mcp-multibroker ${this.#asking.name}`;
  }
}

function cannotAsk(): Fault {
  return new Fault('denied', `this needs the person's permission, and this client cannot ask for it`, {
    next: 'They can allow it by a rule, start the hub with another --ask, or use a client with elicitation.',
  });
}
