import { z } from 'zod';
import { bufferName, editorQuestion, fileOf } from '../question.js';
import { buffer, bufferFacts, defineTool, expectedTick, target } from '../tool.js';
import { lastWriter } from '../writers.js';

export const save = defineTool({
  name: 'save',
  action: 'save',
  title: 'Save a buffer',
  description: "Write a modified buffer to its own file (Vim's :update). Refused if the file was changed on disk.",
  input: z.strictObject({ target, buffer, expected_changedtick: expectedTick }),
  output: bufferFacts.extend({
    written: z.boolean().optional().describe('Missing if nothing was to be written'),
    saved_by: z.string().optional().describe('Who wrote it before'),
    changed: z.boolean().optional().describe('By autocommands, a formatter for one: read again'),
  }),
  idempotent: true,
  destructive: true,
  handle: async ({ target: name, buffer: number, expected_changedtick: tick }, { editors, allow, signal, by }) => {
    const editor = editors.find(name);
    const facts = await editor.probe(number, tick, signal);
    const exact = { number, tick, filename: facts.filename };
    await allow(editorQuestion('save', editor, `save ${bufferName(facts)}`, exact, undefined, fileOf(facts)));
    const saved = await editor.write('save', { buffer: number, tick }, by);
    const before = saved.written ? undefined : await lastWriter(editor, number, by.client);
    return { target: editor.name, ...saved, ...(before === undefined ? {} : { saved_by: before }) };
  },
});
