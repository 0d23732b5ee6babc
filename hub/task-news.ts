import type { Frame } from '../shared/jsonrpc.js';
import type { Caller } from './caller.js';
import { type Child, takesModern } from './child.js';
import { headsOf } from './headed.js';
import type { Listening } from './listening.js';
import { TASKS } from './modern.js';
import { listen } from './standing.js';
import { related, told } from './task-frames.js';
import type { TaskAt, Tasks } from './tasks.js';

/** Milliseconds for a child to say which tasks it tells of. */
const PATIENCE = 5000;

/** Passes on how a task is (2025-11-25, `notifications/tasks/status`) to the session that began it. */
export function passStatus(tasks: Tasks, child: Child, frame: Frame): void {
  const task = told(tasks, 'legacy', child, frame, frame.inside('params'));
  if (task === undefined) return;
  const owner = tasks.owner(child, task.id);
  if (task.isOver) tasks.over(child, task.id);
  owner?.hear(frame, [...task.edits, ...related(tasks, child, frame, 'params')]);
}

/**
 * Has children tell a client of the tasks that it asked for, until the signal says that it does not listen (2026-07-28,
 * `notifications/tasks`), and acknowledges those that they agreed to tell of.
 */
export async function hearOfTasks(
  tasks: Tasks,
  listening: Listening,
  caller: Caller,
  signal: AbortSignal,
): Promise<void> {
  const shown = new Map(listening.taskIds.flatMap((id) => taskOf(tasks, caller, id)));
  const wanted = [...shown.values()];
  const children = [...new Set(wanted.map(({ child }) => child))].filter(takesModern);
  const agreed = new Map(
    await Promise.all(
      children.map(async (child) => {
        const ids = wanted.filter((task) => task.child === child).map(({ id }) => id);
        return [child, await askedOf(tasks, child, ids, listening, signal)] as const;
      }),
    ),
  );
  const isAgreed = ({ child, id }: TaskAt): boolean => agreed.get(child)?.has(id) === true;
  if (!signal.aborted) listening.acknowledge([...shown].filter(([, task]) => isAgreed(task)).map(([id]) => id));
}

/** One that there is not is not agreed to. */
function taskOf(tasks: Tasks, caller: Caller, id: string): (readonly [shown: string, task: TaskAt])[] {
  try {
    return [[id, tasks.find(caller, id)]];
  } catch {
    return [];
  }
}

/** Those of a child's tasks that it agrees to tell of. */
async function askedOf(
  tasks: Tasks,
  child: Child,
  ids: readonly string[],
  who: Listening,
  signal: AbortSignal,
): Promise<ReadonlySet<unknown>> {
  const peer = child.peer ?? (await child.ready(signal).catch(() => undefined));
  if (peer === undefined) return new Set();
  return await new Promise((resolve) => {
    const none = (): void => resolve(new Set());
    const heard = (frame: Frame): void => {
      if (frame.method === 'notifications/tasks') pass(tasks, child, frame, who);
      else resolve(new Set(taken(frame)));
    };
    setTimeout(none, PATIENCE).unref();
    const capabilities = { extensions: { [TASKS]: {} } };
    void listen(peer, { taskIds: ids }, { signal, capabilities, told: heard }).then(none, none);
  });
}

function pass(tasks: Tasks, child: Child, frame: Frame, who: Listening): void {
  const task = told(tasks, 'modern', child, frame, frame.inside('params'));
  if (task === undefined) return;
  if (task.isOver) tasks.over(child, task.id);
  who.hear(frame, [...task.edits, ...headsOf(frame, 'params', child)]);
}

/** What a child acknowledges. */
function taken(frame: Frame): readonly unknown[] {
  const ids = frame.value('notifications', 'taskIds');
  return Array.isArray(ids) ? (ids as unknown[]) : [];
}
