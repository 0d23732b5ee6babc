import type { Call } from '../shared/call.js';
import { Frame } from '../shared/jsonrpc.js';
import { type Edit, joined } from '../shared/parts.js';
import type { Peer } from '../shared/peer.js';
import type { Caller } from './caller.js';
import type { Child } from './child.js';
import { Crossing } from './relay.js';
import { related, relatedBack, type Told, told } from './task-frames.js';
import type { Tasks } from './tasks.js';

/**
 * A call of a session to a child of sessions that has tasks (2025-11-25, basic/utilities/tasks): their ids are exchanged,
 * and where the call has become a task its progress goes on after the answer.
 */
export class TaskedCrossing extends Crossing {
  readonly #child: Child;
  readonly #tasks: Tasks;

  constructor(call: Call, to: Peer, caller: Caller, child: Child, tasks: Tasks, timeout?: number) {
    // How long a task takes is no matter of how soon its server answers.
    super(call, to, caller, call.frame.method === 'tasks/result' ? undefined : timeout);
    this.#child = child;
    this.#tasks = tasks;
  }

  override forward(edits: readonly Edit[]): void {
    super.forward([...edits, ...relatedBack(this.#tasks, this.caller, this.call.frame, 'params')]);
  }

  override progress(frame: Frame): void {
    const edits = related(this.#tasks, this.#child, frame, 'params');
    super.progress(edits.length === 0 ? frame : Frame.parse(joined([frame.with(edits)])));
  }

  protected override exchanged(answer: Frame): readonly Edit[] {
    if (answer.kind !== 'result') return [];
    const { frame } = this.call;
    const isNew = frame.method === 'tools/call' && frame.at('task') !== undefined;
    const result = answer.inside('result');
    const task = told(this.#tasks, 'legacy', this.#child, answer, isNew ? result?.inside('task') : result);
    const edits = related(this.#tasks, this.#child, answer, 'result');
    if (task === undefined || !(isNew || frame.method.startsWith('tasks/'))) return edits;
    if (isNew) this.#begin(task);
    if (task.isOver) this.#tasks.over(this.#child, task.id);
    return [...edits, ...task.edits];
  }

  #begin({ id, ttl }: Told): void {
    const task = this.#tasks.begin(this.caller, this.#child, id, ttl);
    const { bytes } = this.call.frame;
    const token = this.call.frame.at('_meta', 'progressToken');
    if (token === undefined) return;
    const text = bytes.subarray(token.start, token.end);
    task.stop = this.follow((progress) => {
      const span = progress.at('progressToken');
      if (span !== undefined)
        this.caller.hear(progress, [{ span, text }, ...related(this.#tasks, this.#child, progress, 'params')]);
    });
  }
}
