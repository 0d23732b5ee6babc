import { z } from 'zod';
import { Fault } from '../../shared/fault.js';
import { unrestrictedQuestion } from '../question.js';
import { buffer, checkText, defineTool, expectedTick, patience, target } from '../tool.js';

export const ex = defineTool({
  name: 'ex',
  action: 'exec',
  title: 'Run an Ex command',
  description:
    'Run any Ex command, also of several lines, in the current window. Prefer the other tools. It must not ask anything: the person may not see the prompt. What was done before an error stays done.',
  input: z.strictObject({
    target,
    command: z.string().min(1).describe('Without the leading colon, as update or %s/a/b/'),
    buffer: buffer.optional().describe('Made current before, and left so'),
    expected_changedtick: expectedTick.optional().describe('Needs buffer'),
    timeout: patience,
  }),
  output: z.object({
    target: z.string(),
    output: z.string(),
    bytes: z.number().optional().describe('Of the whole output, if it was cut'),
  }),
  destructive: true,
  handle: async (
    { target: name, command, buffer: number, expected_changedtick: tick, timeout },
    { editors, allow, signal, by },
  ) => {
    checkText('command', command);
    if (tick !== undefined && number === undefined) {
      throw new Fault('invalid', 'expected_changedtick needs buffer: it says whose tick it is');
    }
    const editor = editors.find(name);
    if (number !== undefined && tick !== undefined) await editor.probe(number, tick, signal);
    const params = {
      command,
      ...(number === undefined ? {} : { buffer: number }),
      ...(tick === undefined ? {} : { tick }),
    };
    const where = number === undefined ? '' : ` in buffer ${number}`;
    await allow(unrestrictedQuestion('ex', editor, `run this Ex command${where}`, params, command));
    const { output, bytes } = await editor.run('ex', params, by, timeout * 1000);
    return { target: editor.name, output, ...(bytes > Buffer.byteLength(output) ? { bytes } : {}) };
  },
});
