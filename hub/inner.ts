import { OPEN_OBJECT } from '../shared/ascii.js';
import { Fault } from '../shared/fault.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';

/** The hub's tool that calls another one. */
export const CALL = 'call';

/** The call inside a call of {@link CALL}. */
export interface Inner {
  /** The name of the tool, in any form. */
  readonly name: string;
  /** What makes the message a call of that tool, under its own name: the arguments stay the bytes that they are. */
  edits(own: string): readonly Edit[];
}

/**
 * Reads `{"name": "c.echo", "arguments": {…}}` in the arguments of a tool call.
 * @throws Fault `invalid` that tells the model how to do better.
 */
export function innerCall(frame: Frame): Inner {
  const name = frame.value('arguments', 'name');
  const [nameAt, argumentsAt] = [frame.at('name'), frame.at('arguments')];
  if (typeof name !== 'string' || nameAt === undefined || argumentsAt === undefined)
    throw new Fault('invalid', 'the name of the tool to call is missing', { next: EXAMPLE });
  const given = frame.at('arguments', 'arguments');
  if (given !== undefined && frame.bytes[given.start] !== OPEN_OBJECT)
    throw new Fault('invalid', `the arguments for ${name} are no object`, { next: EXAMPLE });
  const text = given === undefined ? '{}' : frame.bytes.subarray(given.start, given.end);
  return {
    name,
    edits: (own) => [
      { span: nameAt, text: Buffer.from(JSON.stringify(own)) },
      { span: argumentsAt, text },
    ],
  };
}

const EXAMPLE =
  'Give {"name": "SERVER.TOOL", "arguments": {"ARGUMENT": "value"}}, the arguments as an object, not as a text.';
