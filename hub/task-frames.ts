import { decoded, type Members, type Span } from '../shared/json.js';
import type { Frame } from '../shared/jsonrpc.js';
import type { Edit } from '../shared/parts.js';
import type { Caller } from './caller.js';
import type { Child } from './child.js';
import type { Era } from './modern.js';
import { hasTasks, type Tasks } from './tasks.js';

/** The member of `_meta` that says to which task a message belongs (2025-11-25). */
const RELATED = 'io.modelcontextprotocol/related-task';

/** What a task is when nothing more comes of it. */
const OVER: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

/** What a message of a child says of a task: under which id clients see it, and what it has come to. */
export interface Told {
  /** As the child knows it. */
  readonly id: string;
  readonly isOver: boolean;
  /** How long it is kept, in milliseconds. */
  readonly ttl: number;
  readonly edits: readonly Edit[];
}

/** Reads an object that describes a task, and exchanges its id. */
export function told(tasks: Tasks, era: Era, child: Child, frame: Frame, task: Members | undefined): Told | undefined {
  const span = task?.get('taskId');
  const id = valueAt(frame, span);
  if (span === undefined || typeof id !== 'string') return undefined;
  const ttl = valueAt(frame, task?.get(era === 'modern' ? 'ttlMs' : 'ttl'));
  return {
    id,
    isOver: OVER.has(valueAt(frame, task?.get('status'))),
    ttl: typeof ttl === 'number' ? ttl : Number.POSITIVE_INFINITY,
    edits: [renamed(span, tasks.shown(era, child, id))],
  };
}

/** Exchanges the id of the task to which a message of a child belongs; `in` is where its `_meta` stands. */
export function related(tasks: Tasks, child: Child, frame: Frame, within: 'params' | 'result'): Edit[] {
  const span = relatedSpan(frame, within);
  const id = valueAt(frame, span);
  return span === undefined || typeof id !== 'string' ? [] : [renamed(span, tasks.shown('legacy', child, id))];
}

/** The same in a message of a client, where it has such a task. */
export function relatedBack(tasks: Tasks, caller: Caller, frame: Frame, within: 'params' | 'result'): Edit[] {
  const span = relatedSpan(frame, within);
  if (span === undefined) return [];
  try {
    return [renamed(span, tasks.find(caller, valueAt(frame, span)).id)];
  } catch {
    return [];
  }
}

/** To whom what a child sends in the course of a task belongs, and how its id is exchanged. */
export interface OfTask {
  /** The session that began it, where that is known. */
  readonly caller: Caller | undefined;
  readonly edits: readonly Edit[];
}

/** What a request or a notification of a child says of the task it belongs to; nothing where it says nothing. */
export function ofTask(tasks: Tasks, child: Child, frame: Frame): OfTask | undefined {
  const id = hasTasks(child) ? valueAt(frame, relatedSpan(frame, 'params')) : undefined;
  if (typeof id !== 'string') return undefined;
  return { caller: tasks.owner(child, id), edits: related(tasks, child, frame, 'params') };
}

function relatedSpan(frame: Frame, within: 'params' | 'result'): Span | undefined {
  return frame.inside(within)?.inside('_meta')?.inside(RELATED)?.get('taskId');
}

function valueAt({ bytes }: Frame, span: Span | undefined): unknown {
  return span === undefined ? undefined : decoded(bytes, span);
}

function renamed(span: Span, id: string): Edit {
  return { span, text: Buffer.from(JSON.stringify(id)) };
}
