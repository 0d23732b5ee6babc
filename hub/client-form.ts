import { Call } from '../shared/call.js';
import { Fault } from '../shared/fault.js';
import { Frame } from '../shared/jsonrpc.js';
import { limits } from '../shared/limits.js';
import { joined } from '../shared/parts.js';
import type { Course } from './course.js';
import { INPUT_REQUIRED } from './modern.js';
import { type JsonObject, objectOf } from './protocol.js';
import { relay } from './relay.js';

/** The name of the question among `inputRequests`. */
const KEY = 'permission';

/**
 * Puts a form to the person through the client whose call it is, in the course of that call: by a request, or where the
 * client is sent none by an answer that wants the call made again (2026-07-28).
 * @returns what was filled in; nothing where the person did not accept.
 * @throws Fault `cancelled` when the call was, `denied` when no answer came.
 */
export async function askClient(course: Course, form: JsonObject): Promise<JsonObject> {
  if (!course.call.open) throw cancelled('the caller');
  const answer = course.caller.era === 'legacy' ? await byRequest(course, form) : await byAnswer(course, form);
  const { action, content } = objectOf(answer);
  return action === 'accept' ? objectOf(content) : {};
}

function byRequest({ call, caller }: Course, form: JsonObject): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = { jsonrpc: '2.0', id: 0, method: 'elicitation/create', params: form };
    let isOpen = true;
    const settle = (): void => {
      isOpen = false;
      clearTimeout(timer);
    };
    const question = new Call(Frame.parse(Buffer.from(JSON.stringify(request))), {
      serves: () => isOpen,
      answer: (_, parts) => {
        settle();
        const { kind, outcome } = Frame.parse(joined(parts));
        if (kind === 'result') resolve(outcome);
        else reject(unanswered(String(objectOf(outcome)['message'])));
      },
      about: () => undefined,
    });
    const withdraw = (reason: string, why: Fault): void => {
      settle();
      question.cancel({ reason });
      reject(why);
    };
    const late = 'no answer came in time';
    const timer = setTimeout(() => withdraw(late, unanswered(late)), limits.question).unref();
    call.watchedBy({ cancelled: () => withdraw('the call was cancelled', cancelled('the caller')) });
    relay(question, caller.peer, [], call);
  });
}

function byAnswer(course: Course, form: JsonObject): Promise<unknown> {
  const { held, call, caller } = course;
  return new Promise((resolve, reject) => {
    const name = held.keep({
      caller,
      continue: (next) => {
        clearTimeout(timer);
        course.call = next;
        resolve(objectOf(next.frame.value('inputResponses'))[KEY]);
      },
      drop: (reason) => {
        clearTimeout(timer);
        reject(cancelled(reason));
      },
    });
    const timer = setTimeout(() => held.take(name)?.drop('the client brought no answer'), limits.question).unref();
    call.result({
      resultType: INPUT_REQUIRED,
      inputRequests: { [KEY]: { method: 'elicitation/create', params: form } },
      requestState: held.tickets.issue({ held: name }, call.frame),
    });
  });
}

function unanswered(why: string): Fault {
  return new Fault('denied', `the person could not be asked: ${why}`);
}

function cancelled(why: string): Fault {
  return new Fault('cancelled', `the call was given up: ${why}`);
}
