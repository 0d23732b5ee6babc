import { preview, visibleLine } from '../shared/escape.js';
import type { Editor } from './editor.js';
import type { Action, Question } from './permission.js';

/** Characters of a text that are shown in a question. */
const SHOWN = 10_000;

/** The question before something is done in one editor. `details` is shown, `exact` is what will run. */
export function editorQuestion(
  action: Action,
  editor: Editor,
  what: string,
  exact: Readonly<Record<string, unknown>>,
  details?: string,
): Question {
  return {
    action,
    subject: `target:${editor.name}`,
    // Made only when somebody is asked.
    get message() {
      const head = `Allow in the editor ${visibleLine(editor.name)}: ${visibleLine(what)}?`;
      return details === undefined ? head : `${head}\n\n${preview(details, SHOWN)}`;
    },
    exact: { ...exact, instance: editor.instance },
  };
}

/** The question before Vim runs `text`; its subject names the editor and the exact text. */
export function unrestrictedQuestion(
  kind: 'ex' | 'eval',
  editor: Editor,
  what: string,
  exact: Readonly<Record<string, unknown>>,
  text: string,
): Question {
  const subject = `${kind}:${JSON.stringify(editor.name)}:${JSON.stringify(text)}`;
  return { ...editorQuestion('exec', editor, what, exact, text), subject };
}

/** A buffer as a person knows it. */
export function bufferName({ buffer, filename }: { readonly buffer: number; readonly filename: string }): string {
  return `buffer ${buffer} (${filename === '' ? 'no name' : filename})`;
}
