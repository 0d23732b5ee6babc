import { visibleLine } from '../shared/escape.js';
import { resolvedPath } from '../shared/path-pattern.js';
import type { Files } from '../shared/rule.js';
import type { VIM_COMMANDS } from '../shared/rule-words.js';
import type { Editor } from './editor.js';
import type { Action, Question } from './permission.js';

/** The question before something is done in one editor. `details` is shown, `exact` is what will run. */
export function editorQuestion(
  action: Action,
  editor: Editor,
  what: string,
  exact: Readonly<Record<string, unknown>>,
  details?: string,
  files?: Question['files'],
): Question {
  return {
    action,
    subject: `target:${editor.name}`,
    // Made only when somebody is asked.
    get message() {
      return `Allow in the editor ${visibleLine(editor.name)}: ${visibleLine(what)}?`;
    },
    exact: { ...exact, instance: editor.instance },
    ...(details === undefined ? {} : { details }),
    ...(files === undefined ? {} : { files }),
  };
}

/** The question before Vim runs `text`, which may do anything; its subject names the editor and the exact text. */
export function unrestrictedQuestion(
  kind: (typeof VIM_COMMANDS)[number],
  editor: Editor,
  what: string,
  exact: Readonly<Record<string, unknown>>,
  text: string,
): Question {
  const subject = `${kind}:${JSON.stringify(editor.name)}:${JSON.stringify(text)}`;
  return { ...editorQuestion('exec', editor, what, exact, text, anyFile), subject };
}

/** The question before the list of editors is told. */
export const listQuestion: Question = {
  action: 'read',
  subject: 'targets',
  message: 'List the connected editors?',
  exact: {},
};

/** For what may concern any file. */
export const anyFile = async (): Promise<Files> => 'any';

/** The file of a buffer, by its full path; none where it has no name. */
export function fileOf({ filename }: { readonly filename: string }): () => Promise<Files> {
  return async () => filesAt([filename]);
}

/** The same for a buffer of which only the number is known. */
export function fileOfBuffer(editor: Editor, buffer: number, signal: AbortSignal): () => Promise<Files> {
  return async () => filesAt([(await editor.request('probe', { buffer }, signal)).filename]);
}

/** Where the paths of buffers lead to; buffers without a name have none. */
export function filesAt(paths: readonly string[]): Files {
  const found = paths.filter((path) => path !== '').map((path) => resolvedPath(path));
  return found.every((path) => path !== undefined) ? found : 'any';
}

/** A buffer as a person knows it. */
export function bufferName({ buffer, filename }: { readonly buffer: number; readonly filename: string }): string {
  return `buffer ${buffer} (${filename === '' ? 'no name' : filename})`;
}
